package quarantine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// heldIndex holds what the hub knows about held responses without reading the store: each by its code, and the undecided ones grouped into
// items, one for each server, tool and most serious rule. So a thousand responses of one tool are one line in the inbox, and one more only
// concerns its own wrapper. The office's lock guards it.
type heldIndex struct {
	all     map[string]store.Held // by code
	ids     map[string]string     // code by server and the wrapper's id
	items   map[heldKey]*HeldItem
	granted map[string]bool // codes of responses that are released or being delivered
	waiting int             // responses in items
	kept    int64           // bytes of all texts
}

// heldKey is what the responses of one item have in common.
type heldKey struct{ server, what, rule string }

// noRule precedes the reason in a heldKey without a rule.
const noRule = "why:"

// HeldItem are the responses of one item, in the order they were stored.
type HeldItem struct {
	heldKey
	marks   []heldMark
	kept    int64          // bytes of their texts
	clients map[string]int // the clients of its responses
}

// heldMark is the part of one response that its item needs.
type heldMark struct {
	code, id     string
	stored, time time.Time
	severity     vocab.Severity
	why          vocab.HeldWhy
	client       string
	kept         int64
	asked        bool
	askedAt      time.Time
}

func newHeldIndex() heldIndex {
	return heldIndex{all: map[string]store.Held{}, ids: map[string]string{}, items: map[heldKey]*HeldItem{}, granted: map[string]bool{}}
}

// heldDecided is the outcome of a held response: "" while it waits for a person.
func heldDecided(one store.Held) vocab.Decision {
	switch one.State {
	case vocab.HeldReleased, vocab.HeldTaken, vocab.HeldDelivered:
		return vocab.DecidedApproved
	case vocab.HeldDiscarded:
		return vocab.DecidedRejected
	case vocab.HeldGone:
		if !one.Decided.IsZero() {
			return vocab.DecidedWithdrawn
		}
	case vocab.HeldWaiting, vocab.HeldExpired: // for a person
	}
	return ""
}

// keyOf is the item of a held response. Reads of resources are one item per server: their URIs are unlimited and can be made up.
func keyOf(one store.Held) heldKey {
	key := heldKey{server: one.ServerID, what: heldPart(one), rule: noRule + string(one.Why)}
	if kind, _, _ := strings.Cut(one.Item, ":"); kind == string(pin.Resource) || kind == string(pin.ResourceTemplate) {
		key.what = one.Method
	}
	var gravest inspect.Level
	for rule, level := range levelsOf(one) {
		if level.Rank() > gravest.Rank() || level.Rank() == gravest.Rank() && rule < key.rule {
			key.rule, gravest = rule, level
		}
	}
	return key
}

// severityOfHeld is the severity of a response by its most serious finding.
func severityOfHeld(one store.Held) vocab.Severity {
	gravest := vocab.SeverityReview
	for _, level := range levelsOf(one) {
		gravest = review.Graver(gravest, review.SeverityOf(level))
	}
	return gravest
}

func markOf(one store.Held) heldMark {
	return heldMark{code: one.Code, id: one.ID, stored: one.Stored, time: one.Time, severity: severityOfHeld(one), why: one.Why, client: one.Client, kept: one.Kept, asked: one.Asked, askedAt: one.AskedAt}
}

// put stores the current state of a held response.
func (x *heldIndex) put(one store.Held) {
	x.drop(one.Code)
	x.all[one.Code] = one
	x.ids[heldID(one.ServerID, one.ID)] = one.Code
	x.kept += one.Kept
	if one.State == vocab.HeldReleased || one.State == vocab.HeldTaken {
		x.granted[one.Code] = true
	}
	if heldDecided(one) != "" {
		return
	}
	key := keyOf(one)
	it := x.items[key]
	if it == nil {
		it = &HeldItem{heldKey: key, clients: map[string]int{}}
		x.items[key] = it
	}
	mark := markOf(one)
	i, _ := it.find(mark)
	it.marks = slices.Insert(it.marks, i, mark)
	it.kept += mark.kept
	it.clients[mark.client]++
	x.waiting++
}

// drop forgets a held response.
func (x *heldIndex) drop(code string) {
	old, known := x.all[code]
	if !known {
		return
	}
	delete(x.all, code)
	delete(x.ids, heldID(old.ServerID, old.ID))
	delete(x.granted, code)
	x.kept -= old.Kept
	if heldDecided(old) != "" {
		return
	}
	key := keyOf(old)
	it := x.items[key]
	if i, there := it.find(markOf(old)); there {
		it.kept -= it.marks[i].kept
		if it.clients[old.Client]--; it.clients[old.Client] <= 0 {
			delete(it.clients, old.Client)
		}
		it.marks = slices.Delete(it.marks, i, i+1)
		x.waiting--
	}
	if len(it.marks) == 0 {
		delete(x.items, key)
	}
}

func (it *HeldItem) find(mark heldMark) (at int, there bool) {
	return slices.BinarySearchFunc(it.marks, mark, func(a, b heldMark) int {
		return cmp.Or(a.stored.Compare(b.stored), cmp.Compare(a.id, b.id))
	})
}

func (it *HeldItem) Count() int { return len(it.marks) }

func (it *HeldItem) newest() heldMark { return it.marks[len(it.marks)-1] }

// MaxCodes is how many codes of one item are listed, the newest first.
const MaxCodes = 100

func (it *HeldItem) codes() []string {
	var codes []string
	for i := len(it.marks) - 1; i >= 0 && len(codes) < MaxCodes; i-- {
		codes = append(codes, it.marks[i].code)
	}
	return codes
}

func (it *HeldItem) gravest() vocab.Severity {
	severity := vocab.SeverityReview
	for _, m := range it.marks {
		severity = review.Graver(severity, m.severity)
	}
	return severity
}

// Concerns reports whether it waits for a client or a server.
func (it *HeldItem) Concerns(client, server string) bool {
	return it.server == server || client != "" && it.clients[client] > 0
}

// HeldWaiting is the number of items with responses held for a client or a server.
func (x *heldIndex) HeldWaiting(client, server string) (n int) {
	for _, it := range x.items {
		if it.Concerns(client, server) {
			n++
		}
	}
	return n
}

// itemWith is the item that a response is held in, nil if none.
func (x *heldIndex) itemWith(code string) *HeldItem {
	one, known := x.all[code]
	if !known || heldDecided(one) != "" {
		return nil
	}
	return x.items[keyOf(one)]
}

// HeldOf is how many responses of a server are held.
func (x *heldIndex) HeldOf(server string) (n int) {
	for key, it := range x.items {
		if key.server == server {
			n += len(it.marks)
		}
	}
	return n
}

func heldID(server, id string) string { return server + " " + id }

// SameKey is the key by which a server's wrappers recognise the same request. A plain digest of arguments would reveal guessable ones: a
// password of six digits is guessed in a second.
func (q *Quarantine) SameKey(server string) []byte {
	return q.office.Store.Derive("same request", server)
}

// keyedSame is the digest of a request under a key.
func keyedSame(key []byte, same string) string { return string(control.Keyed(key, pin.Digest(same))) }

// sameOf is the digest that a wrapper compares with its request's. Earlier versions stored the digest without a key.
func (q *Quarantine) sameOf(one store.Held) string {
	if one.Keyed == "" && one.Same != "" {
		return keyedSame(q.SameKey(one.ServerID), one.Same)
	}
	return one.Keyed
}
