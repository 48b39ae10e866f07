package approvals

import (
	"bytes"
	"maps"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

const interactionKey = "interaction.policy"

// Interaction stores a refused request of a server for a person's decision. The wrapper's findings are not believed: they are computed here
// again.
func (a *Approvals) Interaction(w control.Wrapper, in control.Interaction) (control.Kept, error) {
	params := in.Params
	if len(params) == 0 {
		params = []byte("{}")
	}
	digest, err := pin.RequestDigest(in.Method, params)
	if err != nil || len(params) > control.MaxInteraction || params[0] != '{' { // lists have no digest of their own
		return control.Kept{}, office.Answer(control.CodeBadRequest, "a request that cannot be shown to a person")
	}
	watch := a.hub.Rules().NewWatch()
	found := review.Together(append(inspect.Asked(in.Method, params), watch.Answer(params, inspect.Terms{}).Findings...), in.Findings)
	a.office.Lock()
	defer a.office.Unlock()
	s, err := a.hub.Wrapper(w, "interaction")
	if err != nil {
		return control.Kept{}, err
	}
	now := a.office.Now()
	part := store.Part{
		Item: control.PartInteraction + string(vocab.AskOf(in.Method)), State: vocab.PartNew, Digest: string(digest), Definition: params, Findings: review.WriteFindings(found),
	}
	var kept control.Kept
	var notices []review.Notice
	err = a.office.Update(func(tx *store.Tx) (bool, error) {
		kept, notices = control.Kept{}, nil
		l, err := ledger.Read(tx, s.Server)
		if err != nil {
			return false, err
		}
		if said, decided := review.DecidedOn(l.Server, part, a.hub.Settings(l.Server)[interactionKey]); decided {
			kept.Code = said.Code // rejected before: it can still be allowed by its code
			return false, nil
		}
		have, err := tx.WaitingFor(l.Server.ID, vocab.ItemInteraction)
		if err != nil && !office.Absent(err) {
			return false, err
		}
		parts, gone := review.WithPart(have.Parts, part)
		before := review.AskedBefore(have)
		if gone > 0 {
			before[part.Item] += gone
		}
		want := review.InteractionContent(l.Server, parts, before)
		item, fresh, err := a.office.Settle(tx, want, vocab.ItemInteraction, l.Server.ID, now)
		if err != nil {
			return false, err
		}
		kept.Code = item.Code
		if !fresh && !bytes.Equal(item.Detail, want.Detail) { // one more that is not shown
			item.Detail = want.Detail
			return true, tx.PutItem(*item)
		}
		if fresh {
			notices = append(notices, review.NoticeOf(*item, l.Server.Name))
		}
		return fresh, nil
	})
	if err != nil {
		return control.Kept{}, a.office.Failed(err)
	}
	if len(notices) > 0 {
		a.hub.PushAll()
		a.office.Tell(notices...)
	}
	return kept, nil
}

// DecideInteraction decides on a server's requests, kind by kind. Once approved, the same request passes when it is made again, word for
// word; if the policy asks about the first of each kind, so do others of that kind without a High finding.
func (a *Approvals) DecideInteraction(tx *store.Tx, it store.Item, d control.Decide, out *control.Decided) (bool, error) {
	l, err := LedgerOf(tx, it)
	if err != nil {
		return false, err
	}
	out.Server = l.Server.Name
	chosen, err := office.Selection(it, d)
	if err != nil {
		return false, err
	}
	now := a.office.Now()
	policy := a.hub.Settings(l.Server)[interactionKey]
	var left []store.Part
	for _, part := range it.Parts {
		if !chosen[part.Item] {
			out.Left, left = review.WithKind(out.Left, part.Item), append(left, part)
			continue
		}
		digests := []string{part.Digest}
		if policy == "ask" && inspect.Worst(review.ReadFindings(part.Findings)).Rank() < inspect.High.Rank() {
			digests = append(digests, "")
		}
		for _, digest := range digests {
			review.Remember(&l.Server, store.Asked{Part: part.Item, Digest: digest, Allowed: !d.Reject, Code: it.Code, At: now})
		}
		action := vocab.ActionApprove
		if d.Reject {
			action = vocab.ActionReject
			out.Rejected = review.WithKind(out.Rejected, part.Item)
		} else {
			out.Approved = review.WithKind(out.Approved, part.Item)
		}
		if err := tx.AddHistory(store.Event{ServerID: l.Server.ID, Item: part.Item, At: now, Action: action, By: vocab.ByPerson, Digest: part.Digest, Code: it.Code}); err != nil {
			return false, err
		}
	}
	if len(chosen) == 0 {
		if it.Decided == "" {
			out.Next = it.Code
		}
		return false, nil
	}
	if err := l.PutServer(tx); err != nil {
		return false, err
	}
	waited := it.Decided == ""
	it.Decided, it.DecidedAt = vocab.DecidedApproved, now
	if d.Reject || !waited && len(left) > 0 {
		it.Decided = vocab.DecidedRejected
	}
	if err := tx.PutItem(it); err != nil {
		return false, err
	}
	if len(left) > 0 && waited {
		before := review.AskedBefore(it)
		maps.DeleteFunc(before, func(item string, _ int) bool { return chosen[item] })
		rest, _, err := a.office.Settle(tx, review.InteractionContent(l.Server, left, before), vocab.ItemInteraction, l.Server.ID, now)
		if err != nil {
			return false, err
		}
		out.Next, it.Next = rest.Code, rest.Code
		if err := tx.PutItem(it); err != nil {
			return false, err
		}
	}
	return true, a.noteDecided(tx, l.Server, d, it, out)
}
