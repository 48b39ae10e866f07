package review

import (
	"encoding/json"
	"slices"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

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
		switch inspect.Worst(ReadFindings(p.Findings)) {
		case inspect.Critical:
			c.Severity = vocab.SeverityCritical
		case inspect.High:
			c.Severity = Graver(c.Severity, vocab.SeverityHigh)
		case inspect.Medium, inspect.Low: // not graver than the others
		}
	}
	c.Title = identity.ShortName(server) + " " + interactionTitles[parts[0].Item]
	switch kinds := alike(parts); {
	case len(kinds) > 1:
		c.Title = identity.ShortName(server) + " asked Claude and you for several things; Sallyport blocked it"
	case len(parts) > 1:
		c.Title = identity.ShortName(server) + " " + severalTitles[parts[0].Item]
	}
	return c
}

// interactionTitles are ours: no title quotes a request.
var interactionTitles = map[string]string{
	control.PartInteraction + inspect.AskSampling:    "asked Claude to write something; Sallyport blocked it",
	control.PartInteraction + inspect.AskElicitation: "asked you a question; Sallyport blocked it",
	control.PartInteraction + inspect.AskRoots:       "asked for your folders; Sallyport blocked it",
	control.PartInteraction + inspect.AskOther:       "asked Claude for something; Sallyport blocked it",
}

// severalTitles are for several requests of one kind.
var severalTitles = map[string]string{
	control.PartInteraction + inspect.AskSampling:    "asked Claude to write several things; Sallyport blocked them",
	control.PartInteraction + inspect.AskElicitation: "asked you several questions; Sallyport blocked them",
	control.PartInteraction + inspect.AskRoots:       "asked for your folders in several ways; Sallyport blocked it",
	control.PartInteraction + inspect.AskOther:       "asked Claude for several things; Sallyport blocked them",
}

var interactionWords = map[string]string{
	control.PartInteraction + inspect.AskSampling:    "asks Claude to write something",
	control.PartInteraction + inspect.AskElicitation: "asks you a question",
	control.PartInteraction + inspect.AskRoots:       "asks which folders you work in",
	control.PartInteraction + inspect.AskOther:       "asks Claude for something",
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
	for _, kind := range []string{inspect.AskSampling, inspect.AskElicitation, inspect.AskRoots, inspect.AskOther} {
		allowed := control.Allowed{Kind: kind}
		for _, asked := range server.Asks {
			switch {
			case !asked.Allowed || asked.Part != control.PartInteraction+kind:
			case asked.Digest == "":
				allowed.All = true
			default:
				allowed.Requests = append(allowed.Requests, pin.Digest(asked.Digest))
			}
		}
		if allowed.All || len(allowed.Requests) > 0 {
			all = append(all, allowed)
		}
	}
	return all
}
