package proxy

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// observation is what the last complete snapshot saw. It is never changed after it was made.
type observation struct {
	digests  map[string]pin.Digest // by pin key, what is declared
	withheld map[string]bool       // pin keys that collide or have no one reading: declared, never served
	unread   map[string]bool       // pin keys of definitions that have no one reading: among the withheld
	ordinal  map[string]int        // tools by their place in the listing, from 1, for "tool 3 of SERVER"
	uis      map[string]bool       // ui:// resources that a tool names: pinned with it
}

// pinned says whether the resource is pinned whatever pins.resources says.
func (o *observation) pinned(uri string) bool { return o != nil && o.uis[uri] }

// declares says whether the item stands in the listings, served or not.
func (o *observation) declares(key string) bool {
	_, digested := o.digests[key]
	return digested || o.withheld[key]
}

// view is one consistent answer to "what may pass now": the hub's last state beside what was observed. It is replaced
// whole, so that a call looks at one view from beginning to end and takes no lock.
type view struct {
	state    *control.State
	policy   policy.Wrapper
	seen     *observation // nil before the first snapshot was judged
	launch   control.LaunchVerdict
	verified bool // false: the last check did not come to an end, so what is declared now is not known
	apart    bool // the server speaks a protocol version that we do not

	served    map[string]bool // pin keys that are declared now with an approved digest
	tools     map[string]tool // the same, of tools alone and by name
	templates []uriTemplate   // of served resource templates
}

// tool is a served tool's name and pin key, kept so that a call of it makes neither anew.
type tool struct{ name, key string }

// newView judges: an item is served if the digest that is declared now is one of those approved for it, and for no other
// reason.
func newView(state *control.State, seen *observation, verified, apart bool) *view {
	v := &view{state: state, policy: policy.ForWrapper(state.Settings), seen: seen, verified: verified, apart: apart, served: map[string]bool{}, tools: map[string]tool{}}
	v.launch = control.LaunchGo
	if state.Launch != nil && state.Launch.Verdict != "" {
		v.launch = state.Launch.Verdict
	}
	if seen == nil || !v.open() {
		return v
	}
	for key, digest := range seen.digests {
		if v.approves(key, digest) {
			v.served[key] = true
			if hasKind(key, pin.Tool) {
				name := key[len(pin.Tool)+1:]
				v.tools[name] = tool{name, key}
			}
			if t, ok := templateOf(key); ok {
				v.templates = append(v.templates, t)
			}
		}
	}
	return v
}

// open says that at least one item of the server is approved, and that it is not blocked as a whole. What may not run,
// or has not been seen to be what may, is not open either.
func (v *view) open() bool {
	return v.state.Open && !v.state.Blocked && v.launch == control.LaunchGo && !v.apart
}

// shut is why nothing of the server passes, for a view that is not open.
func (v *view) shut() refusal.Reason {
	switch {
	case v.state.Revision == 0:
		return refusal.NoHub
	case v.state.Blocked:
		return refusal.Blocked
	case v.launch == control.LaunchHold:
		return refusal.Launch
	case v.state.Open && v.launch == control.LaunchWait:
		return refusal.LaunchUnseen
	case v.apart:
		return refusal.Version
	case !v.verified && v.state.Code == "":
		return refusal.Unlisted
	}
	for _, item := range v.state.Items {
		if item.State == "rejected" {
			return refusal.Nothing
		}
	}
	return refusal.Unreviewed
}

// approves says whether this definition of this item may be delivered, whichever listing or answer it stands in.
func (v *view) approves(key string, digest pin.Digest) bool {
	if v.state.Blocked || v.launch != control.LaunchGo || (v.seen != nil && v.seen.withheld[key]) {
		return false
	}
	item, known := v.state.Items[key]
	return known && digest != "" && slices.Contains(item.Approved, digest)
}

// allows says whether a request for this item may go out, or its answer in.
func (v *view) allows(key string) bool { return v.verified && v.served[key] }

// allowsResource says whether a resource may be read: on an open server any but a pinned user interface that is not
// approved, with pins.resources only what is approved by name or matched by an approved template.
func (v *view) allowsResource(uri string) bool {
	if !v.verified || !v.open() {
		return false
	}
	key := pin.Key(pin.Resource, uri)
	if v.served[key] {
		return true
	}
	if v.seen.pinned(uri) && v.seen.declares(key) {
		return false // a template wide enough to hold it does not make up for its own definition
	}
	if !v.policy.Resources {
		return !v.shutsResources()
	}
	for _, t := range v.templates {
		if t.matches(uri) {
			return true
		}
	}
	return false
}

// everyResource is the key of the item that stands for all resources of a server which has nothing else.
var everyResource = pin.Key(pin.Resource, "*")

// shutsResources says that this item is declared and not allowed.
func (v *view) shutsResources() bool {
	return !v.policy.Resources && v.seen != nil && v.seen.declares(everyResource) && !v.served[everyResource]
}

// differs names the list_changed notifications a client that saw the view before must hear to see this one.
func (v *view) differs(before *view) []string {
	var changed []string
	say := func(notification string) {
		if !slices.Contains(changed, notification) {
			changed = append(changed, notification)
		}
	}
	if before == nil {
		return nil
	}
	if before.open() != v.open() || before.verified != v.verified {
		say(lists[methodListTools].changed)
		say(lists[methodListPrompts].changed)
		say(lists[methodListResources].changed)
	}
	keys := map[string]bool{}
	for key := range v.served {
		keys[key] = true
	}
	for key := range before.served {
		keys[key] = true
	}
	for key := range keys {
		same := v.served[key] == before.served[key]
		if same && (v.seen == nil || before.seen == nil || v.seen.digests[key] == before.seen.digests[key]) {
			continue
		}
		for _, m := range listMethods {
			if l := lists[m]; hasKind(key, l.kind) {
				say(l.changed)
			}
		}
	}
	return changed
}

func hasKind(key string, kind pin.Kind) bool {
	n := len(kind)
	return len(key) > n && key[n] == ':' && key[:n] == string(kind)
}

// pinsResource says whether a listed resource is pinned: all of them with pins.resources, else only those of a tool's user
// interface.
func (v *view) pinsResource(line []byte, value frame.Span) bool {
	if v.policy.Resources {
		return true
	}
	uri, ok := nameOf(pin.Resource, line, value)
	return !ok || v.seen.pinned(uri)
}

// whyNot names the reason for which an item of an open server is not served.
func (v *view) whyNot(key string) refusal.Reason {
	item, known := v.state.Items[key]
	if v.seen == nil {
		return refusal.Unverified
	}
	_, declared := v.seen.digests[key]
	switch {
	case !known:
		return refusal.Unknown
	case v.seen.unread[key]:
		return refusal.Unread
	case v.seen.withheld[key]:
		return refusal.Withheld
	case item.State == "rejected":
		return refusal.Rejected
	case item.State == "removed" || !declared && item.State != "new":
		return refusal.Removed
	case item.State == "new":
		return refusal.New
	default:
		return refusal.Changed
	}
}
