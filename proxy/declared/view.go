package declared

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/powers"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Observation is what the last complete snapshot saw. It is never modified.
type Observation struct {
	digests    map[string]pin.Digest // by pin key, what is declared
	withheld   map[string]bool       // pin keys that collide, are ambiguous or can't be called: declared, never served
	unread     map[string]bool       // pin keys of ambiguous definitions: a part of withheld
	uncallable map[string]bool       // of tools that can't be called on the way to the server: a part of it too
	Ordinal    map[string]int        // positions of tools in their listing, from 1, for "tool 3 of SERVER"
	pages      map[string]*seenPage  // the pages that were read, by URI
	entries    map[string]pin.Digest // of the pages in the listing of resources, by URI, read or not

	sanitizes map[string]bool            // pin keys of tools with a parameter named SanitizeArgument
	raws      map[string]json.RawMessage // by pin key, the definitions
	powers    map[string]powers.Reach    // by pin key of a tool, what its calls do
	loose     map[string]pin.Item        // by looseKey, listed resources that are not pinned, under a standing rule
	skills    *skillSet                  // nil if the server has none
}

// looseKey is one definition of a resource. A server can list two of one.
func looseKey(i pin.Item) string { return string(i.Digest) + " " + i.Name }

// declares reports whether the item is in the listings, served or not.
func (o *Observation) declares(key string) bool {
	_, digested := o.digests[key]
	return digested || o.withheld[key]
}

// View is one consistent answer to "what may pass now": the hub's last state combined with what was observed. It is replaced as a whole, so
// that a call uses one view from beginning to end and takes no lock.
type View struct {
	State    *control.State
	Policy   policy.Wrapper // for what is not of one tool: see PolicyOf
	Seen     *Observation   // nil before the first snapshot was judged
	Launch   control.LaunchVerdict
	Verified bool // false: the last check failed, so what is declared now is unknown
	apart    bool // the server speaks a protocol version that we don't

	Served    map[string]bool             // pin keys declared now with an approved digest
	tools     map[string]Named            // the tools among them, by each name that a call can use
	prompts   map[string]Named            // and the prompts
	delivered map[string]string           // by pin key, the names that differ from the server's
	aliases   map[string]string           // pin keys of names that are not the server's, and the item that each means
	templates []uriTemplate               // of served resource templates
	policies  map[string]*policy.Wrapper  // of tools with settings of their own, by pin key
	stood     map[string]inspect.Standing // items of the snapshot that the person's standing rule objects to, by pin key
}

// newView judges: an item is served only if its current digest is one of those approved for it, and the person's standing rule does not
// withhold it.
func newView(state *control.State, seen *Observation, verified, apart bool, rule *standingRule) *View {
	v := &View{State: state, Policy: policy.ForWrapper(state.Settings), Seen: seen, Verified: verified, apart: apart, Served: map[string]bool{}, tools: map[string]Named{}, prompts: map[string]Named{}}
	v.Launch = control.LaunchGo
	if state.Launch != nil && state.Launch.Verdict != "" {
		v.Launch = state.Launch.Verdict
	}
	if len(state.Tools) > 0 {
		v.policies = policiesOf(state)
	}
	if seen == nil || !v.Open() {
		return v
	}
	for key, digest := range seen.digests {
		if v.Approves(key, digest) && !rule.withholds(v, key, digest, seen.raws[key]) {
			v.Served[key] = true
			if t, ok := templateOf(key); ok {
				v.templates = append(v.templates, t)
			}
		}
	}
	for _, item := range seen.loose {
		if !v.Policy.Resources {
			rule.withholds(v, item.Key(), item.Digest, item.Raw)
		}
	}
	return v
}

// policiesOf are the settings of the tools that have their own.
func policiesOf(state *control.State) map[string]*policy.Wrapper {
	policies := make(map[string]*policy.Wrapper, len(state.Tools))
	for item, own := range state.Tools {
		values := policy.Values(maps.Clone(state.Settings))
		maps.Copy(values, own)
		of := policy.ForWrapper(values)
		policies[item] = &of
	}
	return policies
}

// PolicyOf are the settings for an item, by its pin key; "" is one of no tool. They are not modified.
func (v *View) PolicyOf(item string) *policy.Wrapper {
	if of := v.policies[item]; of != nil {
		return of
	}
	return &v.Policy
}

// TurnedOff reports whether a person turned a tool off (tools.mode): to the client it does not exist, whatever was approved.
func (v *View) TurnedOff(key string) bool {
	return HasKind(key, pin.Tool) && v.PolicyOf(key).Mode == "off"
}

// Digest is the digest of an item's definition as it is declared now, "" for none.
func (v *View) Digest(key string) pin.Digest {
	if v.Seen == nil {
		return ""
	}
	return v.Seen.digests[key]
}

// Definition is the approved definition of an item as it is declared now, with its digest; nil if it may not pass.
func (v *View) Definition(key string) (pin.Digest, json.RawMessage) {
	if v.Seen == nil || !v.Served[key] {
		return "", nil
	}
	return v.Seen.digests[key], v.Seen.raws[key]
}

// OutputSchema is the approved output schema of a tool as it is declared now, nil for none.
func (v *View) OutputSchema(item string) json.RawMessage {
	if v.Seen == nil {
		return nil
	}
	return v.State.Items[item].Schemas[v.Seen.digests[item]]
}

// ReachOf is what calls of a tool do, as it is declared now. A person's own classes go before Sallyport's reading.
func (v *View) ReachOf(item string) (reach powers.Reach) {
	if v.Seen != nil {
		reach = v.Seen.powers[item]
	}
	if classes, own := policy.ClassesOf(v.PolicyOf(item).Classes); own {
		reach.Classes = powers.ClassesNamed(classes...)
	}
	return reach
}

// Open reports whether at least one item of the server is approved, and the server is not blocked as a whole. A server whose launch is not
// allowed, or has not been seen yet, is not open either.
func (v *View) Open() bool {
	return v.State.Open && v.usable() && !v.apart
}

// usable reports whether nothing stands against the server as a whole: a block, its launch, a sign-in that it wants.
func (v *View) usable() bool {
	return !v.State.Blocked && v.Launch == control.LaunchGo && !v.State.SignIn.Wanted
}

// Held reports whether the server can't be used before a person has decided on its launch, or has signed in.
func (v *View) Held() bool { return v.Launch == control.LaunchHold || v.State.SignIn.Wanted }

// Shut is why nothing of the server passes, for a view that is not open.
func (v *View) Shut() refusal.Reason {
	switch {
	case v.State.Revision == 0:
		return refusal.NoHub
	case v.State.Blocked:
		return refusal.Blocked
	case v.Launch == control.LaunchHold:
		return refusal.Launch
	case v.State.SignIn.Wanted:
		return refusal.SignIn
	case v.State.Open && v.Launch == control.LaunchWait:
		return refusal.LaunchUnseen
	case v.apart:
		return refusal.Version
	case !v.Verified && v.State.Code == "":
		return refusal.Unlisted
	}
	for _, item := range v.State.Items {
		if item.State == vocab.PartRejected {
			return refusal.Nothing
		}
	}
	return refusal.Unreviewed
}

// Approves reports whether this definition of this item may be delivered, in any listing or response.
func (v *View) Approves(key string, digest pin.Digest) bool {
	if !v.usable() || (v.Seen != nil && v.Seen.withheld[key]) || v.TurnedOff(key) {
		return false
	}
	item, known := v.State.Items[key]
	return known && digest != "" && slices.Contains(item.Approved, digest)
}

// Allows reports whether a request for this item, or its response, may pass.
func (v *View) Allows(key string) bool { return v.Verified && v.Served[key] }

// AllowsResource reports whether a resource may be read: on an open server any except an unapproved page; with pins.resources only one that
// is approved by name or matches an approved template.
func (v *View) AllowsResource(uri string) bool {
	if !v.Verified || !v.Open() {
		return false
	}
	if v.OfSkill(uri) {
		return len(v.SkillFiles(uri)) > 0
	}
	key := pin.Key(pin.Resource, uri)
	if v.Served[key] {
		return true
	}
	if v.stood[key].Withheld {
		return false
	}
	if pin.IsPage(uri) {
		return false // a template that matches it does not replace its own approval
	}
	if !v.Policy.Resources {
		return !v.ShutsResources()
	}
	for _, t := range v.templates {
		if t.matches(uri) {
			return true
		}
	}
	return false
}

// everyResource is the key of the item for all resources of a server that has nothing else.
var everyResource = pin.Key(pin.Resource, "*")

// ShutsResources reports whether this item is declared and not allowed.
func (v *View) ShutsResources() bool {
	return !v.Policy.Resources && v.Seen != nil && v.Seen.declares(everyResource) && !v.Served[everyResource]
}

// differs returns the list_changed notifications that a client needs to get from the view before to this one.
func (v *View) differs(before *View) []string {
	var changed []string
	say := func(notification string) {
		if !slices.Contains(changed, notification) {
			changed = append(changed, notification)
		}
	}
	if before.Open() != v.Open() || before.Verified != v.Verified || before.Policy.Sanitizer != v.Policy.Sanitizer || before.Policy.Descriptions != v.Policy.Descriptions {
		say(Tools.Changed)
		say(Prompts.Changed)
		say(Resources.Changed)
	}
	keys := maps.Clone(v.Served)
	maps.Copy(keys, before.Served)
	for _, stood := range []map[string]inspect.Standing{v.stood, before.stood} { // a resource that is not pinned is not served
		for key := range stood {
			keys[key] = true
		}
	}
	for key := range keys {
		same := v.Served[key] == before.Served[key]
		if same && v.named(key) == before.named(key) && (v.Seen == nil || before.Seen == nil || v.Seen.digests[key] == before.Seen.digests[key]) && sameStanding(v.stood[key], before.stood[key]) {
			continue
		}
		for _, l := range lists {
			if HasKind(key, l.Kind) {
				say(l.Changed)
			}
		}
	}
	return changed
}

// HasKind reports whether a pin key is of this kind.
func HasKind(key string, kind pin.Kind) bool {
	n := len(kind)
	return len(key) > n && key[n] == ':' && key[:n] == string(kind)
}

// PinsResource reports whether a listed resource is pinned: all of them with pins.resources, else only pages.
func (v *View) PinsResource(line []byte, value frame.Span) bool {
	if v.Policy.Resources {
		return true
	}
	uri, ok := NameOf(pin.Resource, line, value)
	return !ok || pin.IsPage(uri)
}

// ApprovesListed reports whether an element of a listing may be delivered, and the digest that its item is served by.
func (v *View) ApprovesListed(kind pin.Kind, name string, digest pin.Digest) (of pin.Digest, ok bool) {
	if kind != pin.Resource || !pin.IsPage(name) {
		return digest, v.Approves(pin.Key(kind, name), digest)
	}
	if v.Seen == nil || !v.approvesEntry(name, digest) {
		return "", false
	}
	return v.Seen.digests[pin.Key(kind, name)], true
}

// WhyNot is the reason why an item of an open server is not served.
func (v *View) WhyNot(key string) refusal.Reason {
	item, known := v.State.Items[key]
	if v.Seen == nil {
		return refusal.Unverified
	}
	_, declared := v.Seen.digests[key]
	switch {
	case v.TurnedOff(key):
		return refusal.TurnedOff
	case !known && !v.stood[key].Withheld:
		return refusal.Unknown
	case v.Seen.unread[key]:
		return refusal.Unread
	case v.Seen.uncallable[key]:
		return refusal.Uncallable
	case v.Seen.mismatches(key):
		return refusal.SkillMismatch
	case v.Seen.withheld[key]:
		return refusal.Withheld
	case v.stood[key].Withheld && v.stood[key].Level == inspect.Critical:
		return refusal.DescribedCritical
	case v.stood[key].Withheld:
		return refusal.DescribedHigh
	case item.State == vocab.PartRejected:
		return refusal.Rejected
	case item.State == vocab.PartRemoved || !declared && item.State != vocab.PartNew:
		return refusal.Removed
	case item.State == vocab.PartNew:
		return refusal.New
	default:
		return refusal.Changed
	}
}

// Ordinal is a tool's position in its listing, from 1; 0 if unknown.
func (v *View) Ordinal(key string) int {
	if v.Seen == nil {
		return 0
	}
	return v.Seen.Ordinal[key]
}
