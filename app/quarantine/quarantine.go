// Package quarantine keeps held responses until a person has decided on them or they expire: stored with an inbox item and a record in one
// transaction (Hold), listed together with similar ones (WaitingItems), released once (Release) and delivered by the wrapper that asks for
// them (Take), discarded, or forgotten when time or space runs out (Tend). It also owns the exceptions: which rules let the responses of
// one item of a server pass, and until when (Except).
//
// A response is granted to one wrapper at a time. If it may have been delivered already, a person is told so before it is released again.
// The index changes only once a write is on disk (UpdateHeld). The text is the server's, stored as it came.
//
// Callers must hold the office's lock, except for the calls of the protocol and the window, KeepTending, Tend and SettleClaims, which take
// it, and Prepare, which needs none. The quarantine knows no connection and pushes nothing: the functions of Hub do.
package quarantine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Hub has the functions of the hub that the quarantine needs. All of them are called with the lock held.
type Hub struct {
	Wrapper     func(w control.Wrapper, call string) (*office.Wrapper, error) // of a connection, for a call that needs the store
	AnyWrapper  func(is func(*office.Wrapper) bool) bool                      // whether a live wrapper matches
	NameOf      func(*office.Wrapper) string                                  // its server's name in its records
	Settings    func(server store.Server, item string) policy.Values          // in force for an item of a server, by its pin key
	Retention   func() time.Duration                                          // how long a held response is kept at most
	Allows      func(tx *store.Tx, server, tool string) bool                  // a tool of a server is allowed now
	Stale       func(server string)                                           // marks its wrappers to be updated by the next PushChanged
	PushChanged func()                                                        // updates the wrappers for which something changed
	PushAll     func()                                                        // brings every wrapper up to date
	Rules       func() *inspect.RuleFile                                      // a person's own, in addition to the catalogue
	// Caused are those of a wrapper's records that it can have caused, under a server's name; it counts the others.
	Caused func(of *office.Wrapper, server string, sent []control.Record) (records []store.Record, refused int)
}

// Quarantine is the department. Its fields are the index of held responses and exceptions; the office's lock guards them.
type Quarantine struct {
	office *office.Office
	hub    Hub

	heldIndex
	passes map[string]store.Exception // by id
	away   map[string]time.Time       // by code: since when the wrapper it was granted to is gone
	wake   chan struct{}              // the time of the next due action changed
	due    time.Time                  // the next due time, as far as Tend knows
	Most   Cap                        // the limits
}

func New(o *office.Office, hub Hub) *Quarantine {
	return &Quarantine{
		office: o, hub: hub, heldIndex: newHeldIndex(), passes: map[string]store.Exception{}, away: map[string]time.Time{}, wake: make(chan struct{}, 1), Most: heldMost,
	}
}

// ReadHeld rebuilds the index.
func (q *Quarantine) ReadHeld() error {
	return q.office.Store.View(func(tx *store.Tx) error {
		held, passes := tx.AllHeld(), tx.Exceptions()
		q.heldIndex = newHeldIndex()
		for _, one := range held {
			q.put(one)
		}
		clear(q.passes)
		for _, e := range passes {
			q.passes[e.ID] = e
		}
		return nil
	})
}

// OpenHeld loads what an earlier hub held.
func (q *Quarantine) OpenHeld() error {
	q.office.Lock()
	defer q.office.Unlock()
	if q.office.Usable() != nil {
		return nil
	}
	err := q.office.Update(func(tx *store.Tx) (bool, error) {
		n, err := tx.SweepHeld()
		return n > 0, err
	})
	if err == nil {
		err = q.ReadHeld()
	}
	if errors.Is(err, store.ErrCorrupt) {
		return q.office.OpenedDamaged(err)
	}
	if err != nil {
		return fmt.Errorf("open quarantine: %w", err)
	}
	return nil
}

// DistrustHeld is for a store in which older records were restored: its exceptions are void, and released responses wait for a person
// again.
func (q *Quarantine) DistrustHeld(tx *store.Tx, now time.Time) error {
	for _, one := range tx.AllHeld() {
		if one.State != vocab.HeldReleased && one.State != vocab.HeldTaken {
			continue
		}
		one.State, one.Unsure = vocab.HeldWaiting, true
		if err := tx.PutHeld(one); err != nil {
			return err
		}
	}
	for _, e := range tx.Exceptions() {
		if !e.Ended.IsZero() {
			continue
		}
		e.Ended = now
		if err := tx.PutException(e); err != nil {
			return err
		}
	}
	return nil
}

// Put writes a held response within UpdateHeld.
type Put func(store.Held) error

// UpdateHeld is Update for held responses: the index changes once the write is on disk.
func (q *Quarantine) UpdateHeld(f func(tx *store.Tx, put Put) (wrote bool, err error)) error {
	var changed []store.Held
	err := q.office.Update(func(tx *store.Tx) (bool, error) {
		changed = changed[:0]
		return f(tx, func(one store.Held) error {
			changed = append(changed, one)
			return tx.PutHeld(one)
		})
	})
	if err != nil {
		return err
	}
	for _, one := range changed {
		was := q.all[one.Code].State
		q.put(one)
		if one.State == vocab.HeldReleased || was == vocab.HeldReleased {
			q.hub.Stale(one.ServerID) // its wrappers know which responses are released for their client
		}
		if at := q.dueHeld(one); !at.IsZero() && at.Before(q.due) {
			q.tendSoon()
		}
	}
	return nil
}

// Hold stores a held response, and returns once it is on disk. A repeated one is stored once.
func (q *Quarantine) Hold(w control.Wrapper, held control.Held) (control.Kept, error) {
	q.office.Lock()
	s, err := q.hub.Wrapper(w, "hold")
	var secrets []string
	if err == nil {
		secrets = s.Secrets
	}
	q.office.Unlock()
	if err != nil {
		return control.Kept{}, err
	}
	ready, err := Prepare(held, secrets) // without the lock, because it can take a while
	if err != nil {
		return control.Kept{}, err
	}
	q.office.Lock()
	defer q.office.Unlock()
	if now, err := q.hub.Wrapper(w, "hold"); err != nil || now != s {
		return control.Kept{}, cmp.Or(err, office.Answer(control.CodeBadRequest, "hold before register"))
	}
	code, notices, err := q.HoldPrepared(s, q.hub.NameOf(s), ready, nil)
	if err != nil {
		return control.Kept{}, q.office.Failed(err)
	}
	q.office.CrashPoint("held")
	q.hub.PushChanged()
	q.office.Tell(notices...)
	return control.Kept{Code: code}, nil
}

// readyHeld is a held response ready to be stored.
type readyHeld struct {
	store.Held
	text     []byte
	findings []inspect.Finding
	same     string // digest of the request as sent; stored under a key
	cut      bool   // the response was too large to be sent
}

const (
	maxHeldID       = 64
	maxHeldName     = 4096
	MaxHeldItem     = 64 << 10
	MaxHeldFindings = 20_000
	maxHeldChecks   = 100
	// maxShownFindings is how many findings an inbox item shows, most serious first. All of them are stored with the text.
	maxShownFindings = 200
)

// weightless reports a finding that held nothing: a match by name alone. An exception for its rule would change nothing.
func weightless(f inspect.Finding) bool {
	r := rules.Named(f.Rule)
	return f.Level == inspect.Low && r.Name != "" && (r.Floor || r.Level != inspect.Low)
}

// Prepare rejects what no wrapper of ours would send. The response itself is stored as it came; the request is stored with its secrets
// masked, including those of the server's command, which are passed in.
func Prepare(in control.Held, secrets []string) (readyHeld, error) {
	bad := func(format string, args ...any) (readyHeld, error) {
		return readyHeld{}, office.Answer(control.CodeBadRequest, "a held response that cannot be: "+format, args...)
	}
	switch {
	case in.ID == "" || len(in.ID) > maxHeldID || legible.Name(in.ID, "") == "":
		return bad("its id")
	case in.Method == "" || len(in.Method) > office.MaxName || !utf8.ValidString(in.Method):
		return bad("its method")
	case len(in.Item) > MaxHeldItem || !utf8.ValidString(in.Item):
		return bad("its item")
	case in.Why != vocab.HeldThreat && in.Why != vocab.HeldLimit && in.Why != vocab.HeldProvider:
		return bad("why it was held")
	case len(in.Answer) == 0 && in.Bytes > control.MaxHeldAnswer: // too large to be sent
	case len(in.Answer) == 0 || !utf8.Valid(in.Answer) || !json.Valid(in.Answer):
		return bad("a response that is not JSON")
	case len(in.Params) > 0 && (!utf8.Valid(in.Params) || !json.Valid(in.Params)):
		return bad("params that are no JSON")
	case len(in.Findings) > MaxHeldFindings || len(in.Checks) > maxHeldChecks:
		return bad("more findings than there can be")
	case len(in.Same) > 128:
		return bad("its digest")
	}
	levels := map[string]inspect.Level{}
	for _, f := range in.Findings {
		if f.Level.Rank() == 0 || f.Rule == "" || len(f.Rule) > office.MaxName {
			return bad("a finding without rule or level")
		}
		if f.Level.Rank() > levels[f.Rule].Rank() && !weightless(f) {
			levels[f.Rule] = f.Level
		}
	}
	checks := in.Checks
	if checks == nil {
		checks = []inspect.Check{}
	}
	findings, err := json.Marshal(in.Findings)
	if err != nil {
		return bad("its findings")
	}
	guards, err := guardsOf(in.Guards)
	if err != nil {
		return bad("%v", err)
	}
	if in.Method != "tools/call" && in.Method != "prompts/get" { // a URI is an argument too, and can contain a password
		in.Item, in.Name = mask.Text(in.Item, secrets), mask.Text(in.Name, secrets)
	}
	out := readyHeld{findings: in.Findings, cut: len(in.Answer) == 0, same: string(in.Same), Held: store.Held{
		ID: in.ID, Client: cut.Bytes(strings.ToValidUTF8(in.Client, ""), office.MaxName), Session: cut.Bytes(in.Session, office.MaxName), Era: cut.Bytes(in.Era, office.MaxName), Method: in.Method,
		Item: in.Item, Name: strings.ToValidUTF8(cut.Bytes(in.Name, maxHeldName), ""), Error: in.Error, Why: in.Why, Score: in.Score,
		Checks: office.Detail(checks), RuleSet: cut.Bytes(in.RuleSet, office.MaxName), Levels: office.Detail(levels), Time: in.Time.UTC(), Bytes: max(in.Bytes, int64(len(in.Answer))), State: vocab.HeldWaiting,
	}}
	out.text, out.Text = store.HeldText{Params: mask.Params(in.Params, secrets), Answer: in.Answer, Findings: findings, Guards: guards}.Encode()
	out.Kept = int64(len(out.text))
	return out, nil
}

// HoldPrepared stores a held response with its inbox item and its record in one transaction, together with more. The caller holds the lock.
func (q *Quarantine) HoldPrepared(s *office.Wrapper, server string, ready readyHeld, more func(*store.Tx) error) (code string, notices []review.Notice, err error) {
	one := ready.Held
	one.ServerID = s.Server
	if s.Client != "" {
		one.Client = s.Client // as registered, not as it says now
	}
	if code := q.ids[heldID(one.ServerID, one.ID)]; code != "" {
		return code, nil, nil
	}
	if ready.same != "" {
		one.Keyed = keyedSame(q.SameKey(one.ServerID), ready.same)
	}
	now := q.office.Now()
	one.Stored = now
	if one.Time.IsZero() || one.Time.After(now) {
		one.Time = now.UTC()
	}
	var evicted []store.Held
	fits := false
	if ready.cut {
		evicted = q.makePlace(q.Most)
	} else {
		evicted, fits = q.makeRoom(q.Most, one.Kept)
	}
	digest := heldDigest(one)
	if !fits {
		one.Text, one.Kept, one.State = "", 0, vocab.HeldGone
	}
	var item store.Item
	err = q.UpdateHeld(func(tx *store.Tx, put Put) (bool, error) {
		if more != nil {
			if err := more(tx); err != nil {
				return false, err
			}
		}
		if one.Code, err = tx.NewCode(); err != nil {
			return false, err
		}
		for _, old := range evicted {
			old.Decided = now
			if err := q.forgetText(tx, put, old, "too many held responses; this was the oldest one of the largest item"); err != nil {
				return false, err
			}
		}
		item = itemOfHeld(one, digest, ready.findings, now)
		if err := tx.PutHeldItem(item); err != nil {
			return false, err
		}
		if one.Text != "" {
			if err := tx.PutHeldText(one.Code, ready.text); err != nil {
				return false, err
			}
		}
		if err := put(one); err != nil {
			return false, err
		}
		summary := item.Title
		if one.State == vocab.HeldGone {
			summary += "; it was too large to keep and is gone"
		}
		_, err := tx.Append(q.office.Record(vocab.RecordQuarantine, vocab.StatusHeld, store.Record{
			Server: server, ServerID: one.ServerID, Tool: heldTool(one), Code: one.Code, Client: one.Client, Session: one.Session, Request: one.ID, Bytes: one.Bytes, Summary: summary,
			Detail: office.Detail(map[string]any{"check": "quarantine", "why": one.Why, "rules": rulesIn(ready.findings), "score": one.Score, "method": cut.Bytes(legible.Escape(one.Method), office.MaxName), "item": cut.Bytes(one.Item, office.MaxName), "rule_set": one.RuleSet}),
		}))
		q.office.CrashPoint("hold")
		return true, err
	})
	if err != nil {
		return "", nil, err
	}
	notice := review.NoticeOf(item, server)
	notice.Group = keyOf(one).name()
	return one.Code, []review.Notice{notice}, nil
}

// heldDigest covers everything about a held response that a person sees and decides on, including the text by its checksum.
func heldDigest(one store.Held) string {
	raw, err := json.Marshal(struct {
		V                                                                  int
		Server, Client, Method, Item, Name, Why, RuleSet, ID, Checks, Text string
		Error                                                              bool
	}{1, one.ServerID, one.Client, one.Method, one.Item, one.Name, string(one.Why), one.RuleSet, one.ID, string(one.Checks), one.Text, one.Error})
	if err != nil {
		raw = []byte(one.ID + one.Text)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
