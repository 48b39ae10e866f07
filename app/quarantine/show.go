package quarantine

import (
	"encoding/json"
	"time"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// HeldItemDetail is the whole item of a held response.
func (q *Quarantine) HeldItemDetail(tx *store.Tx, it store.Item) (control.ItemDetail, error) {
	server, err := tx.Server(it.ServerID)
	if err != nil && !office.Absent(err) {
		return control.ItemDetail{}, err
	}
	held, findings, err := q.heldDetail(tx, it)
	if err != nil {
		return control.ItemDetail{}, err
	}
	out := control.ItemDetail{
		InboxItem: review.InboxItem(it, server), Command: server.Argv, URL: server.URL, Info: server.ServerInfo, Findings: []inspect.Finding{}, Held: held,
		Details: []control.PartDetail{},
	}
	if one, known := q.all[it.Code]; known {
		out.Decided, out.Asked = heldDecided(one), one.Asked
	}
	in := q.itemWith(it.Code)
	q.TellHeld(tx, in, &out.InboxItem)
	in.beside(q.all[it.Code], held)
	for i := range out.Parts {
		out.Parts[i].State = partState(held.State)
	}
	for _, p := range it.Parts {
		part := review.PartDetail(p)
		part.State, part.Findings = partState(held.State), review.Listed(findings)
		out.Details = append(out.Details, part)
	}
	return out, nil
}

// heldDetail is a held response for a person.
func (q *Quarantine) heldDetail(tx *store.Tx, it store.Item) (*control.HeldDetail, []inspect.Finding, error) {
	one, err := tx.Held(it.Code)
	if office.Absent(err) {
		one, err = store.Held{Code: it.Code, State: vocab.HeldGone}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	d := &control.HeldDetail{
		State: one.State, Time: one.Time.UTC(), Client: one.Client, Method: one.Method, Item: one.Item, Name: one.Name, Error: one.Error, Bytes: one.Bytes,
		Why: one.Why, Score: one.Score, Checks: []inspect.Check{}, RuleSet: one.RuleSet, Without: one.Without, Unsure: one.Unsure,
		Excepts: exceptable(one),
	}
	_ = json.Unmarshal(one.Checks, &d.Checks)
	if one.Text != "" {
		d.Expires = one.Stored.Add(q.hub.Retention()).UTC()
	}
	if one.State == vocab.HeldReleased || one.State == vocab.HeldTaken {
		d.Until = one.Until.UTC()
	}
	if one.State == vocab.HeldDelivered {
		d.Delivered = one.Delivered.UTC()
	}
	var findings []inspect.Finding
	text, err := tx.HeldText(one)
	switch {
	case office.Absent(err):
		for _, p := range it.Parts {
			findings = append(findings, review.ReadFindings(p.Findings)...)
		}
		if one.Text != "" { // it was changed in the store: show and deliver nothing of it
			d.State, d.Expires = vocab.HeldGone, time.Time{}
		}
		return d, findings, nil
	case err != nil:
		return nil, nil, err
	}
	d.Params, d.Answer = mask.Params(text.Params, nil), text.Answer
	return d, review.ReadFindings(text.Findings), nil
}
