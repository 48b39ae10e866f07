package office

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

type DecidedItem struct {
	control.InboxItem
	Decided   vocab.Decision
	DecidedAt time.Time
}

// ItemOf is the item with a code that a person gave.
func ItemOf(tx *store.Tx, code string) (store.Item, error) {
	it, err := tx.Item(code)
	if Absent(err) {
		err = Answer(control.CodeNotFound, "no item %s; run `sallyport inbox` to see the items", legible.Name(code, "of that code"))
	}
	return it, err
}

// AsShown refuses a decision with any digest but that of the item.
func AsShown(it store.Item, digest string) error {
	switch digest {
	case "":
		return Answer(control.CodeBadRequest, "a decision needs the digest you were shown: run `sallyport show %s`", it.Code)
	case it.Digest:
		return nil
	default:
		return &control.Error{Code: control.CodeStale, Message: it.Code + " changed since it was shown: review it again", See: it.Code}
	}
}

// Decidable returns the item, and refuses anything but exactly what the person saw.
func Decidable(tx *store.Tx, d control.Decide) (store.Item, error) {
	it, err := ItemOf(tx, d.Code)
	if err != nil {
		return it, err
	}
	if it.Kind == vocab.ItemResponseHeld {
		return it, Answer(control.CodeBadRequest, "%s is a held response: release it with `sallyport release %s`, or delete it with `sallyport discard %s`", it.Code, it.Code, it.Code)
	}
	// A rejected item can still be allowed by its code, as long as the content is the same.
	reconsidered := it.Decided == vocab.DecidedRejected && !d.Reject
	if it.Decided != "" && !reconsidered || it.Next != "" {
		return it, Stale(tx, it)
	}
	return it, AsShown(it, d.Digest)
}

// Undecided is Decidable for an item that must still be pending: no decision is repeated.
func Undecided(tx *store.Tx, d control.Decide) (store.Item, error) {
	it, err := Decidable(tx, d)
	if err == nil && it.Decided != "" {
		err = Stale(tx, it)
	}
	return it, err
}

// Stale says where the content of a decided item is now.
func Stale(tx *store.Tx, it store.Item) error {
	now, err := Newest(tx, it)
	if err != nil {
		return err
	}
	if now.Code != it.Code {
		return &control.Error{Code: control.CodeStale, Message: fmt.Sprintf("%s changed since, see %s", it.Code, now.Code), See: now.Code}
	}
	switch it.Decided {
	case vocab.DecidedApproved:
		return Answer(control.CodeStale, "%s was already approved", it.Code)
	case vocab.DecidedRejected:
		return Answer(control.CodeStale, "%s was already rejected", it.Code)
	default:
		return Answer(control.CodeStale, "%s is no longer pending: the server went back to the approved version", it.Code)
	}
}

const (
	// A server with more than FloodCodes new codes within floodWindow counts as flooding.
	FloodCodes  = 10
	FloodWindow = time.Minute
	// KeptCodes is how many codes of a flood lead to the pending item; earlier ones are forgotten.
	KeptCodes = 20
)

// Settle makes the pending item of one kind for one server exactly want. item is the result, nil if none; fresh means that something was
// written.
func (o *Office) Settle(tx *store.Tx, want *review.Content, kind vocab.ItemKind, serverID string, now time.Time) (item *store.Item, fresh bool, err error) {
	which := serverID + string(kind)
	have, err := tx.WaitingFor(serverID, kind)
	exists := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, false, err
	}
	if want == nil {
		if !exists {
			return nil, false, nil
		}
		o.withdrawn[which] = have.Code
		have.Decided, have.DecidedAt = vocab.DecidedWithdrawn, now
		return nil, true, tx.PutItem(have)
	}
	digest := want.Digest()
	if exists && have.Digest == digest {
		return &have, false, nil
	}
	flooded := o.Flooded(serverID, now)
	if flooded && !exists {
		// Content that keeps coming and going returns under its old code, if it is the same.
		if last, err := tx.Item(o.withdrawn[which]); err == nil && last.Decided == vocab.DecidedWithdrawn && last.Digest == digest {
			last.Decided, last.DecidedAt, last.Updated, last.Noisy = "", time.Time{}, now, true
			return &last, true, tx.PutItem(last)
		}
	}
	code, err := tx.NewCode()
	if err != nil {
		return nil, false, err
	}
	o.minted[serverID] = append(o.minted[serverID], now)
	next := store.Item{
		Code: code, Kind: kind, ServerID: serverID, Severity: want.Severity, Title: want.Title, Digest: digest, Era: want.Era, Noisy: flooded,
		Created: now, Updated: now, Parts: want.Parts, Findings: want.Findings, Clients: want.Clients, Detail: want.Detail,
	}
	if exists {
		next.Asked, next.AskedAt, next.Noisy = have.Asked, have.AskedAt, have.Noisy || flooded
		have.Decided, have.DecidedAt, have.Next = vocab.DecidedSuperseded, now, code
		if err := tx.PutItem(have); err != nil {
			return nil, false, err
		}
	}
	if flooded {
		if err := o.forgetCodes(tx, which, code); err != nil {
			return nil, false, err
		}
	}
	return &next, true, tx.PutItem(next)
}

// forgetCodes records a code of a flood and forgets the oldest: a server that changes all day would use up the codes and the disk. Each
// content has its own code, and nobody can have read more of them than are kept.
func (o *Office) forgetCodes(tx *store.Tx, of, code string) error {
	codes := append(o.flood[of], code)
	if extra := len(codes) - KeptCodes; extra > 0 {
		for _, old := range codes[:extra] {
			if err := tx.ForgetDecided(old); err != nil {
				return err
			}
		}
		codes = slices.Clone(codes[extra:])
	}
	o.flood[of] = codes
	return nil
}

// Flooded reports whether a server has used up its new codes for this minute.
func (o *Office) Flooded(serverID string, now time.Time) bool {
	recent := slices.DeleteFunc(o.minted[serverID], func(t time.Time) bool { return now.Sub(t) >= FloodWindow })
	o.minted[serverID] = recent
	return len(recent) >= FloodCodes
}

// Newest follows superseded codes to the pending item, skipping those forgotten in a flood.
func Newest(tx *store.Tx, it store.Item) (store.Item, error) {
	for range 10_000 {
		if it.Next == "" {
			return it, nil
		}
		next, err := tx.Item(it.Next)
		if Absent(err) {
			next, err = tx.WaitingFor(it.ServerID, it.Kind)
		}
		if Absent(err) {
			return it, nil
		}
		if err != nil {
			return it, err
		}
		it = next
	}
	return it, nil
}

// maxReason limits a person's reason for a decision: a sentence or two.
const maxReason = 500

// AddReason adds a person's reason, if there is one, to the detail of a decision's record.
func AddReason(detail map[string]any, reason string) {
	if reason = strings.TrimSpace(reason); reason != "" {
		detail["reason"] = strings.ToValidUTF8(cut.Bytes(reason, maxReason), "")
	}
}

// MaxName limits a name sent by a wrapper.
const MaxName = 256

// Selection is the part of an item that a decision covers, by the keys of its parts (review.PartKey). The name of an item covers all its forms, a
// key one.
func Selection(it store.Item, d control.Decide) (chosen map[string]bool, err error) {
	chosen = map[string]bool{}
	parts := map[string][]store.Part{}
	it.Parts = review.ShownParts(it)
	for _, p := range it.Parts {
		parts[p.Item] = append(parts[p.Item], p)
		if key := review.PartKey(p); key != p.Item {
			parts[key] = append(parts[key], p)
		}
	}
	for _, name := range d.Items {
		if err := selectNamed(it, name, parts[name], d.Reject, chosen); err != nil {
			return nil, err
		}
	}
	if it.Kind == vocab.ItemNewServer {
		// What was reviewed ran as shown: a person who allows anything has seen the launch too. Rejecting what a server declares says
		// nothing about what it runs.
		defer func() {
			if _, shown := parts[review.KeyLaunch]; shown && len(chosen) > 0 {
				chosen[review.KeyLaunch] = !d.Reject
			}
			if !chosen[review.KeyLaunch] {
				delete(chosen, review.KeyLaunch)
			}
		}()
	}
	if len(d.Items) > 0 {
		return chosen, nil
	}
	suspect := it.Kind == vocab.ItemNewServer && inspect.SuspectServer(review.ReadFindings(it.Findings))
	for _, p := range it.Parts {
		findings := review.ReadFindings(p.Findings)
		switch {
		case p.State == vocab.PartRemoved:
		case d.Reject:
			chosen[review.PartKey(p)] = true
		case review.Withheld(findings):
		case d.All, review.Clean(findings) && !suspect:
			chosen[review.PartKey(p)] = true
		}
	}
	return chosen, nil
}

// selectNamed adds the forms of one named item that can be decided on.
func selectNamed(it store.Item, name string, forms []store.Part, reject bool, chosen map[string]bool) error {
	shown, some := legible.Escape(cut.Bytes(name, 128)), false
	for _, p := range forms {
		switch {
		case p.State == vocab.PartRemoved:
			return Answer(control.CodeBadRequest, "%s is gone: nothing to decide", shown)
		case reject || !review.Withheld(review.ReadFindings(p.Findings)):
			chosen[review.PartKey(p)], some = true, true
		}
	}
	switch {
	case len(forms) == 0:
		return Answer(control.CodeBadRequest, "%s has no item %s", it.Code, shown)
	case !some:
		return Answer(control.CodeBadRequest, "%s can't be allowed: its name is used twice, or its text can be read in two ways", shown)
	}
	return nil
}
