package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// MaxAlike is how many different requests of one kind are pending at once, together not larger than one may be: nobody reads more.
const MaxAlike = 10

// WithPart adds a request to the pending ones. A repeated one appears once, with the more serious findings of the two: parts outside the
// digest may differ (_meta). gone is how many of its kind were dropped for lack of space: the least serious, and the oldest of those, so
// that harmless ones never displace serious ones.
func WithPart(have []store.Part, part store.Part) (parts []store.Part, gone int) {
	parts = slices.Clone(have)
	for i, p := range parts {
		if p.Item == part.Item && p.Digest == part.Digest {
			if gravity(part) > gravity(p) {
				parts[i] = part
			}
			return parts, 0
		}
	}
	for parts = append(parts, part); ; gone++ {
		n, size, least := 0, 0, -1
		for i, p := range parts {
			if p.Item != part.Item {
				continue
			}
			n++
			size += len(p.Definition)
			if least < 0 || gravity(p) < gravity(parts[least]) {
				least = i
			}
		}
		if n <= 1 || n <= MaxAlike && size <= control.MaxInteraction {
			return parts, gone
		}
		parts = slices.Delete(parts, least, least+1)
	}
}

func gravity(p store.Part) int { return inspect.Worst(ReadFindings(p.Findings)).Rank() }

// askedDetail is what an item of requests stores besides its parts: how many of each were dropped.
type askedDetail struct {
	Before map[string]int `json:"before"`
}

// AskedBefore is how many requests of each part are no longer in an item.
func AskedBefore(it store.Item) map[string]int {
	var d askedDetail
	if len(it.Detail) == 0 || json.Unmarshal(it.Detail, &d) != nil || d.Before == nil {
		return map[string]int{}
	}
	return d.Before
}

// alike groups the requests of an item by kind, in order of arrival.
func alike(parts []store.Part) (kinds [][]store.Part) {
	for _, p := range parts {
		i := slices.IndexFunc(kinds, func(of []store.Part) bool { return of[0].Item == p.Item })
		if i < 0 {
			kinds = append(kinds, []store.Part{p})
			continue
		}
		kinds[i] = append(kinds[i], p)
	}
	return kinds
}

// asOne merges the requests of one kind into the part that is shown and decided on.
func asOne(requests []store.Part) store.Part {
	if len(requests) == 1 {
		return requests[0]
	}
	one := store.Part{Item: requests[0].Item, State: requests[0].State}
	var definitions [][]byte
	var digests []string
	var found []inspect.Finding
	for i, p := range requests {
		definitions, digests = append(definitions, p.Definition), append(digests, p.Digest)
		for _, f := range ReadFindings(p.Findings) {
			f.Where = strings.TrimSuffix(fmt.Sprintf("request %d: %s", i+1, f.Where), ": ")
			found = append(found, f)
		}
	}
	one.Definition = slices.Concat([]byte{'['}, bytes.Join(definitions, []byte{','}), []byte{']'})
	one.Findings = WriteFindings(found)
	if raw, err := json.Marshal(digests); err == nil {
		digest, _ := pin.DigestOf("requests", one.Item, raw)
		one.Digest = string(digest)
	}
	return one
}

// ShownParts are the parts of an item as listed for selection.
func ShownParts(it store.Item) []store.Part {
	if it.Kind != vocab.ItemInteraction {
		return it.Parts
	}
	var parts []store.Part
	for _, of := range alike(it.Parts) {
		parts = append(parts, asOne(of))
	}
	return parts
}

// InteractionDetails are the requests of an item for a person: their parameters as the server wrote them.
func InteractionDetails(it store.Item) (details []control.PartDetail) {
	before := AskedBefore(it)
	for _, of := range alike(it.Parts) {
		one := asOne(of)
		d := PartDetail(one)
		d.Definition = one.Definition
		for i, p := range of {
			host, links := hostOf(p.Definition)
			change := pin.Change{Op: pin.Added, Words: askWords[askOf(p.Item)].verb, After: string(p.Definition)}
			if len(of) > 1 {
				nth := fmt.Sprintf(" (request %d of %d)", i+1, len(of))
				change.Path, change.Words = strconv.Itoa(i+1), change.Words+nth
				host.Path, host.Words = change.Path+" host", host.Words+nth
			}
			if links {
				d.Changes = append(d.Changes, host)
			}
			d.Changes = append(d.Changes, change)
		}
		if n := before[one.Item]; n > 0 {
			d.Changes = append(d.Changes, pin.Change{Path: "more", Op: pin.Added, Words: fmt.Sprintf("and %d more, blocked and not shown; your decision doesn't cover them", n)})
		}
		details = append(details, d)
	}
	return details
}

// hostOf is where a request that opens a page leads, to be read before its address: an address can look like another one, its host in ASCII
// can't.
func hostOf(params []byte) (host pin.Change, links bool) {
	var link struct{ Mode, URL string }
	if json.Unmarshal(params, &link) != nil || link.URL == "" && link.Mode != "url" {
		return host, false
	}
	host = pin.Change{Path: "host", Op: pin.Added, Words: "asks you to open a page on this host", After: inspect.LinkHost(link.URL)}
	if host.After == "" {
		host.Words = "asks you to open a page, without a valid host"
	}
	return host, true
}

// maxAsked limits the decisions remembered about one server's requests; beyond it the oldest is asked about again.
const maxAsked = 64

// DecidedOn is the decision about this request, or about its kind if the policy asks about the first of each kind.
func DecidedOn(server store.Server, part store.Part, policy string) (store.Asked, bool) {
	for _, asked := range slices.Backward(server.Asks) {
		if asked.Part == part.Item && (asked.Digest == part.Digest || asked.Digest == "" && policy == "ask" && !asked.Allowed) {
			return asked, true
		}
	}
	return store.Asked{}, false
}

// InteractionContent is the inbox content of a server's requests. before counts those of each part that were dropped.
func InteractionContent(server store.Server, parts []store.Part, before map[string]int) *Content {
	c := &Content{Kind: vocab.ItemInteraction, ServerID: server.ID, Era: server.Era, Severity: vocab.SeverityReview, Clients: server.Clients, Parts: parts}
	if len(before) > 0 {
		c.Detail, _ = json.Marshal(askedDetail{before})
	}
	for _, p := range parts {
		c.Severity = Graver(c.Severity, SeverityOf(inspect.Worst(ReadFindings(p.Findings))))
	}
	title := askWords[askOf(parts[0].Item)].blocked
	switch {
	case len(alike(parts)) > 1:
		title = "asked Claude and you for several things; Sallyport blocked it"
	case len(parts) > 1:
		title = askWords[askOf(parts[0].Item)].several
	}
	c.Title = identity.ShortName(server) + " " + title
	return c
}

// askWords says in our words what each kind of request is; no title quotes one.
var askWords = map[vocab.Ask]struct {
	noun    string // in sentences: "… was allowed by a person"
	verb    string
	blocked string // the title of one, and of several
	several string
}{
	vocab.AskSampling: {
		"the request to have Claude write something", "asks Claude to write something",
		"asked Claude to write something; Sallyport blocked it", "asked Claude to write several things; Sallyport blocked them",
	},
	vocab.AskElicitation: {
		"the question to the user", "asks you a question",
		"asked you a question; Sallyport blocked it", "asked you several questions; Sallyport blocked them",
	},
	vocab.AskRoots: {
		"the question for the user's folders", "asks which folders you work in",
		"asked for your folders; Sallyport blocked it", "asked for your folders in several ways; Sallyport blocked it",
	},
	vocab.AskOther: {
		"the request to the client", "asks Claude for something",
		"asked Claude for something; Sallyport blocked it", "asked Claude for several things; Sallyport blocked them",
	},
}

// askOf is the kind of the requests in a part, "" for other parts.
func askOf(item string) vocab.Ask {
	kind, ok := strings.CutPrefix(item, control.PartInteraction)
	if !ok {
		return ""
	}
	return vocab.Ask(kind)
}

// WithKind adds a kind for which several requests are decided on at once.
func WithKind(kinds []string, kind string) []string {
	if slices.Contains(kinds, kind) {
		return kinds
	}
	return append(kinds, kind)
}

func Remember(server *store.Server, asked store.Asked) {
	server.Asks = slices.DeleteFunc(slices.Clone(server.Asks), func(a store.Asked) bool { return a.Part == asked.Part && a.Digest == asked.Digest })
	server.Asks = append(server.Asks, asked)
	for len(server.Asks) > maxAsked { // drop rejections before approvals
		oldest := max(0, slices.IndexFunc(server.Asks, func(a store.Asked) bool { return !a.Allowed }))
		server.Asks = slices.Delete(server.Asks, oldest, oldest+1)
	}
}

// ForgetAsked takes back what a server may ask, when the server is blocked as a whole.
func ForgetAsked(server *store.Server) {
	server.Asks = slices.DeleteFunc(slices.Clone(server.Asks), func(a store.Asked) bool { return a.Allowed })
}

// AsksOf are the allowed requests, for the server's wrappers.
func AsksOf(server store.Server) []control.Allowed {
	var all []control.Allowed
	for _, kind := range vocab.Asks {
		allowed := control.Allowed{Kind: kind}
		for _, a := range server.Asks {
			switch {
			case !a.Allowed || askOf(a.Part) != kind:
			case a.Digest == "":
				allowed.All = true
			default:
				allowed.Requests = append(allowed.Requests, pin.Digest(a.Digest))
			}
		}
		if allowed.All || len(allowed.Requests) > 0 {
			all = append(all, allowed)
		}
	}
	return all
}
