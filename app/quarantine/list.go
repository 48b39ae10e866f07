package quarantine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Waits is one inbox item: a stored one, or one made of held responses.
type Waits struct {
	store.Item
	Held *HeldItem // of held responses, else nil
}

// WaitingItems are all pending items, in reading order. An item of held responses shows the newest; the others are not read from the store,
// however many there are.
func (q *Quarantine) WaitingItems(tx *store.Tx) ([]Waits, error) {
	return q.withHeld(tx.Waiting(), func(held *HeldItem) (store.Item, error) { return q.ShownHeld(tx, held) })
}

// WaitingHeads is WaitingItems without the content.
func (q *Quarantine) WaitingHeads(tx *store.Tx) ([]Waits, error) {
	return q.withHeld(tx.WaitingHeads(), func(held *HeldItem) (store.Item, error) {
		newest := q.all[held.newest().code]
		return held.head(itemOfHeld(newest, "", nil, newest.Stored)), nil
	})
}

// withHeld inserts the items of held responses among the stored ones, in reading order.
func (q *Quarantine) withHeld(waiting []store.Item, item func(*HeldItem) (store.Item, error)) ([]Waits, error) {
	all := make([]Waits, 0, len(waiting)+len(q.items))
	for _, it := range waiting {
		all = append(all, Waits{Item: it})
	}
	for _, held := range q.items {
		it, err := item(held)
		if err != nil {
			return nil, err
		}
		all = append(all, Waits{it, held})
	}
	orderWaiting(all)
	return all, nil
}

func orderWaiting(all []Waits) {
	slices.SortFunc(all, func(a, b Waits) int { // those of held responses come in no order
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Code, b.Code))
	})
	review.SortItems(all, func(w Waits) store.Item { return w.Item })
}

// ShownHeld is the item of held responses: the newest, with the severity of the most serious, marked as asked for if any was.
func (q *Quarantine) ShownHeld(tx *store.Tx, held *HeldItem) (store.Item, error) {
	newest := q.all[held.newest().code]
	it, err := tx.Item(newest.Code)
	if office.Absent(err) { // something else removed it, but the index can still name it
		it, err = itemOfHeld(newest, heldDigest(newest), nil, newest.Stored), nil
	}
	for i := range it.Parts {
		it.Parts[i].State = partState(newest.State)
	}
	return held.head(it), err
}

// head is the item of these responses, made of that of the newest.
func (held *HeldItem) head(it store.Item) store.Item {
	it.Severity, it.Title = held.gravest(), heldTitles(it.Title, len(held.marks))
	it.Asked, it.AskedAt = false, time.Time{}
	for _, m := range held.marks {
		it.Asked = it.Asked || m.asked
		if m.askedAt.After(it.AskedAt) {
			it.AskedAt = m.askedAt
		}
	}
	return it
}

// heldTitles turns the title of the newest into one for n responses.
func heldTitles(title string, n int) string {
	if n == 1 {
		return title
	}
	return fmt.Sprintf("%s (%d responses)", title, n)
}

// TellHeld fills in the part of an item on the wire that is about its responses.
func (q *Quarantine) TellHeld(tx *store.Tx, held *HeldItem, out *control.InboxItem) {
	if held == nil {
		return
	}
	out.Count, out.Codes, out.Group = len(held.marks), held.codes(), held.name()
	out.Why, out.Allowed = held.newest().why, q.allowsHeld(tx, held)
	if !strings.HasPrefix(held.rule, noRule) {
		out.Rule = held.rule
	}
	out.First, out.Last = held.marks[0].time.UTC(), held.newest().time.UTC()
	for _, m := range held.marks { // by the wrappers' clocks: what was written without a hub comes late
		if t := m.time.UTC(); t.Before(out.First) {
			out.First = t
		} else if t.After(out.Last) {
			out.Last = t
		}
	}
}

// allowsHeld reports whether the tool of these responses is allowed now, so that it can be blocked.
func (q *Quarantine) allowsHeld(tx *store.Tx, held *HeldItem) bool {
	name, tool := strings.CutPrefix(held.what, string(pin.Tool)+":")
	return tool && q.hub.Allows(tx, held.server, name)
}

// name is stable as long as there is an item for the server, tool and rule.
func (key heldKey) name() string {
	sum := sha256.Sum256([]byte(key.server + "\x00" + key.what + "\x00" + key.rule))
	return hex.EncodeToString(sum[:8])
}

// beside adds a response's position in its item, and the codes of its neighbours.
func (held *HeldItem) beside(one store.Held, out *control.HeldDetail) {
	if held == nil {
		return
	}
	at, there := held.find(markOf(one))
	if !there {
		return
	}
	out.Place = len(held.marks) - at
	if at > 0 {
		out.Older = held.marks[at-1].code
	}
	if at < len(held.marks)-1 {
		out.Newer = held.marks[at+1].code
	}
}

// RaiseHeld moves the item of a held response to the top of the inbox, and reports whether the code is one.
func (q *Quarantine) RaiseHeld(code string) (held bool) {
	one, held := q.all[strings.ToUpper(code)]
	if !held || heldDecided(one) != "" {
		return held
	}
	err := q.UpdateHeld(func(_ *store.Tx, put Put) (bool, error) {
		one.AskedAt = q.office.Now()
		return true, put(one)
	})
	_ = q.office.Failed(err)
	return true
}

// AskedHeld records that a model asked for a held response, inside UpdateHeld.
func (q *Quarantine) AskedHeld(put Put, code string, at time.Time) error {
	one := q.all[code]
	one.Asked, one.AskedAt = true, at
	return put(one)
}

// DecidedHeld lists decided responses since then. Discarded and expired ones are one line per item; released ones one each.
func (q *Quarantine) DecidedHeld(tx *store.Tx, since time.Time) (out []office.DecidedItem, err error) {
	type alike struct {
		heldKey
		decided vocab.Decision
		code    string
	}
	newest, counts := map[alike]store.Held{}, map[alike]int{}
	for _, one := range q.all {
		decided := heldDecided(one)
		if decided == "" || one.Decided.Before(since) {
			continue
		}
		of := alike{heldKey: keyOf(one), decided: decided}
		if decided == vocab.DecidedApproved {
			of.code = one.Code
		}
		if last, some := newest[of]; !some || one.Decided.After(last.Decided) || one.Decided.Equal(last.Decided) && one.Stored.After(last.Stored) {
			newest[of] = one
		}
		counts[of]++
	}
	for of, one := range newest {
		it, err := tx.Item(one.Code)
		if office.Absent(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		server, err := tx.Server(one.ServerID)
		if err != nil && !office.Absent(err) {
			return nil, err
		}
		it.Title = heldTitles(it.Title, counts[of])
		shown := review.InboxItem(it, server)
		shown.Count = counts[of]
		for i := range shown.Parts {
			shown.Parts[i].State = partState(one.State)
		}
		out = append(out, office.DecidedItem{InboxItem: shown, Decided: of.decided, DecidedAt: one.Decided.UTC()})
	}
	return out, nil
}

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
	_ = json.Unmarshal(text.Guards, &d.Guards) // nil: none was asked
	return d, review.ReadFindings(text.Findings), nil
}
