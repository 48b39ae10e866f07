package app

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// kindInteraction is the item of what a server asked its client for and was refused.
const kindInteraction = "interaction"

const interactionKey = "interaction.policy"

// maxAsked bounds what is remembered of one server's requests; past it the oldest is asked about again.
const maxAsked = 64

// Interaction stores a request of a server that was not let through, for a person's decision. What the wrapper says of it is
// not believed: what is found in it is looked for here as well.
func (h *Hub) Interaction(w control.Wrapper, in control.Interaction) (control.Kept, error) {
	params := in.Params
	if len(params) == 0 {
		params = []byte("{}")
	}
	digest, err := pin.RequestDigest(in.Method, params)
	if err != nil || len(params) > control.MaxInteraction || params[0] != '{' { // lists have no digest of their own
		return control.Kept{}, answer(control.CodeBadRequest, "a request that cannot be shown to a person")
	}
	watch := h.own.file.Load().NewWatch()
	found := together(append(inspect.Asked(in.Method, params), watch.Answer(params, inspect.Terms{}).Findings...), in.Findings)
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[w]
	if s == nil {
		return control.Kept{}, answer(control.CodeBadRequest, "interaction before register")
	}
	if err := h.usable(); err != nil {
		return control.Kept{}, err
	}
	now := h.opts.Now()
	part := store.Part{
		Item: control.PartInteraction + inspect.AskKind(in.Method), State: stateNew, Digest: string(digest), Definition: params, Findings: writeFindings(found),
	}
	var kept control.Kept
	var notice *ItemNotice
	err = h.update(func(tx *store.Tx) (bool, error) {
		kept, notice = control.Kept{}, nil
		l, err := readLedger(tx, s.server)
		if err != nil {
			return false, err
		}
		if said, decided := decidedOn(l.server, part, h.settings.forServer(l.server)[interactionKey]); decided {
			kept.Code = said.Code // said no before: by its code it can still be allowed
			return false, nil
		}
		have, err := tx.WaitingFor(l.server.ID, kindInteraction)
		if err != nil && !absent(err) {
			return false, err
		}
		parts, gone := withPart(have.Parts, part)
		before := askedBefore(have)
		if gone > 0 {
			before[part.Item] += gone
		}
		want := interactionContent(l.server, parts, before)
		item, fresh, err := h.settle(tx, want, kindInteraction, l.server.ID, now)
		if err != nil {
			return false, err
		}
		kept.Code = item.Code
		if !fresh && !bytes.Equal(item.Detail, want.detail) { // one more that is not shown
			item.Detail = want.detail
			return true, tx.PutItem(*item)
		}
		if fresh {
			n := noticeOf(*item, l.server.Name)
			notice = &n
		}
		return fresh, nil
	})
	if err != nil {
		return control.Kept{}, h.failed(err)
	}
	if notice != nil {
		h.pushAll()
		h.notify(*notice)
	}
	return kept, nil
}

// decidedOn is a decision that was made over this request, or over its kind where the first of each kind is asked about.
func decidedOn(server store.Server, part store.Part, policy string) (store.Asked, bool) {
	for _, asked := range slices.Backward(server.Asks) {
		if asked.Part == part.Item && (asked.Digest == part.Digest || asked.Digest == "" && policy == "ask" && !asked.Allowed) {
			return asked, true
		}
	}
	return store.Asked{}, false
}

// interactionContent is what waits of a server's requests. before counts those of each part that stand in it no more.
func interactionContent(server store.Server, parts []store.Part, before map[string]int) *content {
	c := &content{kind: kindInteraction, serverID: server.ID, era: server.Era, severity: severityReview, clients: server.Clients, parts: parts}
	if len(before) > 0 {
		c.detail, _ = json.Marshal(askedDetail{before})
	}
	for _, p := range parts {
		switch inspect.Worst(readFindings(p.Findings)) {
		case inspect.Critical:
			c.severity = severityCritical
		case inspect.High:
			c.severity = graver(c.severity, severityHigh)
		}
	}
	c.title = identity.ShortName(server) + " " + interactionTitles[parts[0].Item]
	switch kinds := alike(parts); {
	case len(kinds) > 1:
		c.title = identity.ShortName(server) + " asked Claude and you for several things; Sallyport blocked it"
	case len(parts) > 1:
		c.title = identity.ShortName(server) + " " + severalTitles[parts[0].Item]
	}
	return c
}

// interactionTitles are ours: nothing of what was asked stands in a title.
var interactionTitles = map[string]string{
	control.PartInteraction + inspect.AskSampling:    "asked Claude to write something; Sallyport blocked it",
	control.PartInteraction + inspect.AskElicitation: "asked you a question; Sallyport blocked it",
	control.PartInteraction + inspect.AskRoots:       "asked for your folders; Sallyport blocked it",
	control.PartInteraction + inspect.AskOther:       "asked Claude for something; Sallyport blocked it",
}

// severalTitles are those of several requests of one kind.
var severalTitles = map[string]string{
	control.PartInteraction + inspect.AskSampling:    "asked Claude to write several things; Sallyport blocked them",
	control.PartInteraction + inspect.AskElicitation: "asked you several questions; Sallyport blocked them",
	control.PartInteraction + inspect.AskRoots:       "asked for your folders in several ways; Sallyport blocked it",
	control.PartInteraction + inspect.AskOther:       "asked Claude for several things; Sallyport blocked them",
}

// askedWords name a request in our sentences: "… was allowed by a person".
var askedWords = map[string]string{
	control.PartInteraction + inspect.AskSampling:    "the request to have Claude write something",
	control.PartInteraction + inspect.AskElicitation: "the question to the user",
	control.PartInteraction + inspect.AskRoots:       "the question for the user's folders",
	control.PartInteraction + inspect.AskOther:       "the request to the client",
}

var interactionWords = map[string]string{
	control.PartInteraction + inspect.AskSampling:    "asks Claude to write something",
	control.PartInteraction + inspect.AskElicitation: "asks you a question",
	control.PartInteraction + inspect.AskRoots:       "asks which folders you work in",
	control.PartInteraction + inspect.AskOther:       "asks Claude for something",
}

// decideInteraction decides on what a server asked, kind by kind. Approved, the same request passes when it is made again, word for word; and
// where the first of each kind is asked about, the others of that kind that nothing grave is found in.
func (h *Hub) decideInteraction(tx *store.Tx, it store.Item, d control.Decide, out *control.Decided) (bool, error) {
	l, err := readLedger(tx, it.ServerID)
	if absent(err) {
		return false, answer(control.CodeNotFound, "the server of %s is no longer known", it.Code)
	}
	if err != nil {
		return false, err
	}
	out.Server = l.server.Name
	chosen, err := selection(it, d)
	if err != nil {
		return false, err
	}
	now := h.opts.Now()
	policy := h.settings.forServer(l.server)[interactionKey]
	var left []store.Part
	for _, part := range it.Parts {
		if !chosen[part.Item] {
			out.Left, left = withKind(out.Left, part.Item), append(left, part)
			continue
		}
		digests := []string{part.Digest}
		if policy == "ask" && inspect.Worst(readFindings(part.Findings)).Rank() < inspect.High.Rank() {
			digests = append(digests, "")
		}
		for _, digest := range digests {
			remember(&l.server, store.Asked{Part: part.Item, Digest: digest, Allowed: !d.Reject, Code: it.Code, At: now})
		}
		action := "approve"
		if d.Reject {
			action = "reject"
			out.Rejected = withKind(out.Rejected, part.Item)
		} else {
			out.Approved = withKind(out.Approved, part.Item)
		}
		if err := tx.AddHistory(store.Event{ServerID: l.server.ID, Item: part.Item, At: now, Action: action, By: store.ByPerson, Digest: part.Digest, Code: it.Code}); err != nil {
			return false, err
		}
	}
	if len(chosen) == 0 {
		if it.Decided == "" {
			out.Next = it.Code
		}
		return false, nil
	}
	if err := l.putServer(tx); err != nil {
		return false, err
	}
	waited := it.Decided == ""
	it.Decided, it.DecidedAt = decidedApproved, now
	if d.Reject || !waited && len(left) > 0 {
		it.Decided = decidedRejected
	}
	if err := tx.PutItem(it); err != nil {
		return false, err
	}
	if len(left) > 0 && waited {
		before := askedBefore(it)
		maps.DeleteFunc(before, func(item string, _ int) bool { return chosen[item] })
		rest, _, err := h.settle(tx, interactionContent(l.server, left, before), kindInteraction, l.server.ID, now)
		if err != nil {
			return false, err
		}
		out.Next, it.Next = rest.Code, rest.Code
		if err := tx.PutItem(it); err != nil {
			return false, err
		}
	}
	return true, h.noteDecided(tx, l.server, d, it, out)
}

// withKind adds a kind of which several requests are decided on at once.
func withKind(kinds []string, kind string) []string {
	if slices.Contains(kinds, kind) {
		return kinds
	}
	return append(kinds, kind)
}

func remember(server *store.Server, asked store.Asked) {
	server.Asks = slices.DeleteFunc(slices.Clone(server.Asks), func(a store.Asked) bool { return a.Part == asked.Part && a.Digest == asked.Digest })
	server.Asks = append(server.Asks, asked)
	for len(server.Asks) > maxAsked { // what was refused is asked about again sooner than what was allowed
		oldest := max(0, slices.IndexFunc(server.Asks, func(a store.Asked) bool { return !a.Allowed }))
		server.Asks = slices.Delete(server.Asks, oldest, oldest+1)
	}
}

// forgetAsked takes back what a server may ask: whoever blocks it whole allows it nothing.
func forgetAsked(server *store.Server) {
	server.Asks = slices.DeleteFunc(slices.Clone(server.Asks), func(a store.Asked) bool { return a.Allowed })
}

// asksOf is what the wrappers of a server are told that it may ask.
func asksOf(server store.Server) []control.Allowed {
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
