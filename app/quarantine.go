package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// quarantine is what the hub knows of held responses and exceptions without asking the store. the office's lock guards it.
type quarantine struct {
	heldIndex
	passes map[string]store.Exception // by id
	away   map[string]time.Time       // by code: since when the wrapper that was granted it is not there
	wake   chan struct{}              // something is due at another time than before
	due    time.Time                  // when something is due next, as far as tend knows
	most   heldCap                    // what waits at most
}

func newQuarantine() quarantine {
	return quarantine{heldIndex: newHeldIndex(), passes: map[string]store.Exception{}, away: map[string]time.Time{}, wake: make(chan struct{}, 1), most: heldMost}
}

// readQuarantine reads what is held anew.
func (h *Hub) readQuarantine() error {
	return h.office.Store.View(func(tx *store.Tx) error {
		held, err := tx.AllHeld()
		if err != nil {
			return err
		}
		passes, err := tx.Exceptions()
		if err != nil {
			return err
		}
		h.quarantine.heldIndex = newHeldIndex()
		for _, one := range held {
			h.quarantine.put(one)
		}
		clear(h.quarantine.passes)
		for _, e := range passes {
			h.quarantine.passes[e.ID] = e
		}
		return nil
	})
}

// openQuarantine knows what a hub before this one held.
func (h *Hub) openQuarantine() error {
	h.office.Lock()
	defer h.office.Unlock()
	if h.office.Usable() != nil {
		return nil
	}
	err := h.office.Update(func(tx *store.Tx) (bool, error) {
		n, err := tx.SweepHeld()
		return n > 0, err
	})
	if err == nil {
		err = h.readQuarantine()
	}
	if errors.Is(err, store.ErrCorrupt) {
		return h.office.OpenedDamaged(err)
	}
	if err != nil {
		return fmt.Errorf("open quarantine: %w", err)
	}
	return nil
}

// distrustHeld is for a store in which older records were brought back: no exception of it holds, and what was released waits
// for a person again.
func (h *Hub) distrustHeld(tx *store.Tx, now time.Time) error {
	held, err := tx.AllHeld()
	if err != nil {
		return err
	}
	for _, one := range held {
		if one.State != vocab.HeldReleased && one.State != vocab.HeldTaken {
			continue
		}
		one.State, one.Unsure = vocab.HeldWaiting, true
		if err := tx.PutHeld(one); err != nil {
			return err
		}
	}
	passes, err := tx.Exceptions()
	if err != nil {
		return err
	}
	for _, e := range passes {
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

// putHeld writes a held response inside updateHeld.
type putHeld func(store.Held) error

// updateHeld is update for what is held: what was written is known once it is on the disk, and not before.
func (h *Hub) updateHeld(f func(tx *store.Tx, put putHeld) (wrote bool, err error)) error {
	var changed []store.Held
	err := h.office.Update(func(tx *store.Tx) (bool, error) {
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
		was := h.quarantine.all[one.Code].State
		h.quarantine.put(one)
		if one.State == vocab.HeldReleased || was == vocab.HeldReleased {
			h.markStale(one.ServerID) // its wrappers are told what is released for their client
		}
		if at := h.dueHeld(one); !at.IsZero() && at.Before(h.quarantine.due) {
			h.tendSoon()
		}
	}
	return nil
}

// Hold stores an answer that was held back, and answers once it is on the disk. One that comes twice is stored once.
func (h *Hub) Hold(w control.Wrapper, held control.Held) (control.Kept, error) {
	h.office.Lock()
	s := h.wrapperOf(w)
	h.office.Unlock()
	if s == nil {
		return control.Kept{}, office.Answer(control.CodeBadRequest, "hold before register")
	}
	ready, err := prepareHeld(held, s.Secrets) // outside the lock: it may take a while
	if err != nil {
		return control.Kept{}, err
	}
	h.office.Lock()
	defer h.office.Unlock()
	if h.wrapperOf(w) != s {
		return control.Kept{}, office.Answer(control.CodeBadRequest, "hold before register")
	}
	if err := h.office.Usable(); err != nil {
		return control.Kept{}, err
	}
	code, notice, err := h.hold(s, h.nameOf(s), ready, nil)
	if err != nil {
		return control.Kept{}, h.office.Failed(err)
	}
	h.office.CrashPoint("held")
	h.pushChanged()
	if notice != nil {
		h.office.Tell(*notice)
	}
	return control.Kept{Code: code}, nil
}

// readyHeld is a held answer as it will be stored.
type readyHeld struct {
	store.Held
	text     []byte
	findings []inspect.Finding
	same     string // of what was asked, as it was sent: it is kept under a key
	cut      bool   // the answer was too large to be sent
}

const (
	maxHeldID       = 64
	maxHeldName     = 4096
	maxHeldItem     = 64 << 10
	maxHeldFindings = 20_000
	maxHeldChecks   = 100
	// maxShownFindings is how many findings stand in the inbox item, the gravest first. All of them are kept with the text.
	maxShownFindings = 200
)

// prepareHeld refuses what no wrapper of ours says. The answer inside is of a server: it is stored as it came, and is no more
// than text to us. What was asked is stored with its secrets masked, and those of the server's own command, which are named.
func prepareHeld(in control.Held, secrets []string) (readyHeld, error) {
	bad := func(format string, args ...any) (readyHeld, error) {
		return readyHeld{}, office.Answer(control.CodeBadRequest, "a held response that cannot be: "+format, args...)
	}
	switch {
	case in.ID == "" || len(in.ID) > maxHeldID || legible.Name(in.ID, "") == "":
		return bad("its id")
	case in.Method == "" || len(in.Method) > office.MaxName || !utf8.ValidString(in.Method):
		return bad("its method")
	case len(in.Item) > maxHeldItem || !utf8.ValidString(in.Item):
		return bad("its item")
	case in.Why != vocab.HeldThreat && in.Why != vocab.HeldLimit && in.Why != vocab.HeldProvider:
		return bad("why it was held")
	case len(in.Answer) == 0 && in.Bytes > control.MaxHeldAnswer: // too large to be sent
	case len(in.Answer) == 0 || !utf8.Valid(in.Answer) || !json.Valid(in.Answer):
		return bad("a response that is not JSON")
	case len(in.Params) > 0 && (!utf8.Valid(in.Params) || !json.Valid(in.Params)):
		return bad("params that are no JSON")
	case len(in.Findings) > maxHeldFindings || len(in.Checks) > maxHeldChecks:
		return bad("more findings than there can be")
	case len(in.Same) > 128:
		return bad("its digest")
	}
	levels := map[string]inspect.Level{}
	for _, f := range in.Findings {
		if f.Level.Rank() == 0 || f.Rule == "" || len(f.Rule) > office.MaxName {
			return bad("a finding without rule or level")
		}
		if f.Level.Rank() > levels[f.Rule].Rank() {
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
	if in.Method != "tools/call" && in.Method != "prompts/get" { // a URI is an argument too, and can carry a password
		in.Item, in.Name = mask.Text(in.Item, secrets), mask.Text(in.Name, secrets)
	}
	out := readyHeld{findings: in.Findings, cut: len(in.Answer) == 0, same: string(in.Same), Held: store.Held{
		ID: in.ID, Client: cut.Bytes(strings.ToValidUTF8(in.Client, ""), office.MaxName), Session: cut.Bytes(in.Session, office.MaxName), Era: cut.Bytes(in.Era, office.MaxName), Method: in.Method,
		Item: in.Item, Name: strings.ToValidUTF8(cut.Bytes(in.Name, maxHeldName), ""), Error: in.Error, Why: in.Why, Score: in.Score,
		Checks: office.Detail(checks), RuleSet: cut.Bytes(in.RuleSet, office.MaxName), Levels: office.Detail(levels), Time: in.Time.UTC(), Bytes: max(in.Bytes, int64(len(in.Answer))), State: vocab.HeldWaiting,
	}}
	out.text, out.Text = store.HeldText{Params: mask.Params(in.Params, secrets), Answer: in.Answer, Findings: findings}.Encode()
	out.Kept = int64(len(out.text))
	return out, nil
}

// hold stores a held answer with its inbox item and its record, in one transaction. more is written with them. The caller
// holds the lock.
func (h *Hub) hold(s *approvals.Wrapper, server string, ready readyHeld, more func(*store.Tx) error) (code string, notice *review.Notice, err error) {
	one := ready.Held
	one.ServerID = s.Server
	if s.Client != "" {
		one.Client = s.Client // what it registered as, not what it says now
	}
	if code := h.quarantine.ids[heldID(one.ServerID, one.ID)]; code != "" {
		return code, nil, nil
	}
	if ready.same != "" {
		one.Keyed = keyedSame(h.sameKey(one.ServerID), ready.same)
	}
	now := h.office.Now()
	one.Stored = now
	if one.Time.IsZero() || one.Time.After(now) {
		one.Time = now.UTC()
	}
	var evicted []store.Held
	fits := false
	if ready.cut {
		evicted = h.quarantine.makePlace(h.quarantine.most)
	} else {
		evicted, fits = h.quarantine.makeRoom(h.quarantine.most, one.Kept)
	}
	digest := heldDigest(one)
	if !fits {
		one.Text, one.Kept, one.State = "", 0, vocab.HeldGone
	}
	var item store.Item
	err = h.updateHeld(func(tx *store.Tx, put putHeld) (bool, error) {
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
			if err := h.forgetText(tx, put, old, "too many held responses; this was the oldest one of the largest item"); err != nil {
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
		_, err := tx.Append(h.office.Record(vocab.RecordQuarantine, vocab.StatusHeld, store.Record{
			Server: server, ServerID: one.ServerID, Tool: heldTool(one), Code: one.Code, Client: one.Client, Session: one.Session, Bytes: one.Bytes, Summary: summary,
			Detail: office.Detail(map[string]any{"check": "quarantine", "why": one.Why, "rules": rulesIn(ready.findings), "score": one.Score, "method": cut.Bytes(legible.Escape(one.Method), office.MaxName), "item": cut.Bytes(one.Item, office.MaxName), "rule_set": one.RuleSet}),
		}))
		h.office.CrashPoint("hold")
		return true, err
	})
	if err != nil {
		return "", nil, err
	}
	n := review.NoticeOf(item, server)
	n.Group = keyOf(one).name()
	return one.Code, &n, nil
}

// heldDigest is over everything that a person is shown of a held answer and decides on. The text is in it by its sum.
func heldDigest(one store.Held) string {
	raw, err := json.Marshal(struct {
		V                                                                  int
		Server, Client, Method, Item, Name, Why, RuleSet, ID, Checks, Text string
		Error                                                              bool
	}{1, one.ServerID, one.Client, one.Method, one.Item, one.Name, one.Why, one.RuleSet, one.ID, string(one.Checks), one.Text, one.Error})
	if err != nil {
		raw = []byte(one.ID + one.Text)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
