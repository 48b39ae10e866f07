package app

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

const (
	releaseFor  = 15 * time.Minute
	claimGrace  = 10 * time.Second // for a wrapper to come back, and for what it wrote down to be read
	tendAtLeast = time.Minute      // clocks are set, and machines sleep
)

// forgetText takes the text of a held answer away, inside updateHeld. Its record stays.
func (h *Hub) forgetText(tx *store.Tx, put putHeld, one store.Held, why string) error {
	one.Text, one.Kept, one.State = "", 0, vocab.HeldGone
	if err := put(one); err != nil {
		return err
	}
	_, err := tx.Append(h.heldRecord(tx, vocab.RecordQuarantine, vocab.StatusBlocked, one, "the text of a held response was deleted: "+why))
	return err
}

// heldRecord is a record about a held answer.
func (h *Hub) heldRecord(tx *store.Tx, kind, status string, one store.Held, summary string) store.Record {
	name := ""
	if server, err := tx.Server(one.ServerID); err == nil {
		name = server.Name
	}
	return h.office.Record(kind, status, store.Record{
		Server: name, ServerID: one.ServerID, Tool: heldTool(one), Code: one.Code, Client: one.Client, Session: one.Session, Bytes: one.Bytes, Summary: summary,
		Detail: office.Detail(map[string]any{"check": "quarantine", "state": one.State, "without_marked": one.Without, "unsure": one.Unsure}),
	})
}

// tendSoon has the times looked at anew. It never waits.
func (h *Hub) tendSoon() {
	select {
	case h.quarantine.wake <- struct{}{}:
	default:
	}
}

// tendHeld does what time does to held answers and exceptions, until closing is closed. What is due when the hub starts was due
// while none ran.
func (h *Hub) tendHeld(closing <-chan struct{}) {
	for {
		timer := time.NewTimer(h.tend())
		select {
		case <-closing:
			timer.Stop()
			return
		case <-timer.C:
		case <-h.quarantine.wake:
		}
		timer.Stop()
	}
}

// tend does what is due and says when the next thing is.
func (h *Hub) tend() time.Duration {
	h.office.Lock()
	defer h.office.Unlock()
	if h.office.Usable() != nil {
		return tendAtLeast
	}
	now := h.office.Now()
	next := now.Add(tendAtLeast)
	later := func(t time.Time) bool { // t is to come
		if t.After(now) {
			if t.Before(next) {
				next = t
			}
			return true
		}
		return false
	}
	var expired, stale, unsure []store.Held
	for _, one := range h.quarantine.all {
		due := h.dueHeld(one)
		switch {
		case due.IsZero() || later(due):
		case one.State == vocab.HeldReleased:
			expired = append(expired, one)
		case one.State == vocab.HeldTaken:
			unsure = append(unsure, one)
		default:
			stale = append(stale, one)
		}
	}
	if err := h.forgetMany(); err != nil {
		h.office.Failed(err)
		return tendAtLeast
	}
	over := false
	for _, e := range h.quarantine.passes {
		if e.Ended.IsZero() && !e.Until.Add(time.Second).Before(now) {
			if !later(e.Until) {
				over = true
				h.markStale(e.ServerID)
			}
		}
	}
	if len(expired)+len(stale)+len(unsure) > 0 {
		err := h.updateHeld(func(tx *store.Tx, put putHeld) (bool, error) {
			for _, one := range expired {
				if err := h.expire(tx, put, one); err != nil {
					return false, err
				}
			}
			for _, one := range unsure {
				if err := h.waitsAgain(tx, put, one); err != nil {
					return false, err
				}
			}
			for _, one := range stale {
				one.Decided = now // nobody did; it waits no more
				if err := h.forgetText(tx, put, one, "no decision in time"); err != nil {
					return false, err
				}
			}
			return true, nil
		})
		if err != nil {
			h.office.Failed(err)
			return tendAtLeast
		}
		over = true
	}
	if over {
		h.pushChanged()
	}
	h.quarantine.due = next
	return max(next.Sub(now), time.Millisecond)
}

// dueHeld is when time does something to a held response next, zero where it does nothing more.
func (h *Hub) dueHeld(one store.Held) time.Time {
	switch {
	case one.State == vocab.HeldReleased:
		return one.Until
	case one.State == vocab.HeldTaken:
		return one.Until.Add(claimGrace)
	case heldDecided(one) == "":
		return one.Stored.Add(h.retention())
	}
	return time.Time{}
}

// expire ends a release that nobody asked for in time: the answer waits again.
func (h *Hub) expire(tx *store.Tx, put putHeld, one store.Held) error {
	one.State = vocab.HeldExpired
	if err := put(one); err != nil {
		return err
	}
	_, err := tx.Append(h.heldRecord(tx, vocab.RecordQuarantine, vocab.StatusBlocked, one, "a released response was not collected in time, so it is held again"))
	return err
}

// waitsAgain is for an answer that was granted to a wrapper which never said that it arrived.
func (h *Hub) waitsAgain(tx *store.Tx, put putHeld, one store.Held) error {
	one.State, one.Unsure = vocab.HeldWaiting, true
	if err := put(one); err != nil {
		return err
	}
	_, err := tx.Append(h.heldRecord(tx, vocab.RecordQuarantine, vocab.StatusWarned, one, "the guard stopped while it delivered a released response, which may or may not have arrived; it is held again"))
	return err
}

// settleClaims ends the claims of wrappers that have gone without a word. asOf is from before the spool was read: what such a
// wrapper wrote down has been taken. It says how long the next claim has.
func (h *Hub) settleClaims(asOf time.Time) (next time.Duration, waits bool) {
	h.office.Lock()
	defer h.office.Unlock()
	if h.office.Usable() != nil {
		return 0, false
	}
	var gone []store.Held
	for code := range h.quarantine.granted {
		one := h.quarantine.all[code]
		if one.State != vocab.HeldTaken || h.claimed(one) {
			delete(h.quarantine.away, code)
			continue
		}
		since, known := h.awaySince(code)
		if !known { // it was granted by a hub before this one
			since = asOf
			h.quarantine.away[code] = since
		}
		left := claimGrace - asOf.Sub(since)
		if left <= 0 {
			gone = append(gone, one)
		} else if !waits || left < next {
			next, waits = left, true
		}
	}
	if len(gone) == 0 {
		return next, waits
	}
	err := h.updateHeld(func(tx *store.Tx, put putHeld) (bool, error) {
		var errs []error
		for _, one := range gone {
			errs = append(errs, h.waitsAgain(tx, put, one))
		}
		return true, errors.Join(errs...)
	})
	if err != nil {
		h.office.Failed(err)
		return claimGrace, true
	}
	for _, one := range gone {
		delete(h.quarantine.away, one.Code)
	}
	h.pushChanged()
	return next, waits
}

// awaySince is when the hub first saw that the wrapper which was granted a response is not there.
func (h *Hub) awaySince(code string) (since time.Time, known bool) {
	since, known = h.quarantine.away[code]
	return since, known
}

// awayHeld starts the clock of what a wrapper that has gone was granted.
func (h *Hub) awayHeld() {
	for code := range h.quarantine.granted {
		one := h.quarantine.all[code]
		if _, known := h.awaySince(code); !known && one.State == vocab.HeldTaken && !h.claimed(one) {
			h.quarantine.away[code] = h.office.Now()
		}
	}
}

// claimed says whether the wrapper that was granted an answer is there.
func (h *Hub) claimed(one store.Held) bool {
	return len(one.Takers) > 0 && h.anyWrapper(func(s *approvals.Wrapper) bool { return claimOf(s) == one.Takers[len(one.Takers)-1] })
}

// maxHeldKnown is how many held responses that wait no more can be looked up, and a tenth more before the oldest are forgotten: each
// write seals the list of all of them anew. The timeline has every one.
const maxHeldKnown = 10_000

// forgottenHeld are those of which nothing need be known any more: decided before t, or more than can be looked up, the oldest of them.
func forgottenHeld(held []store.Held, t time.Time) []store.Held {
	over := slices.DeleteFunc(slices.Clone(held), func(one store.Held) bool {
		return heldDecided(one) == "" || one.State == vocab.HeldReleased || one.State == vocab.HeldTaken
	})
	slices.SortFunc(over, func(a, b store.Held) int { return a.Decided.Compare(b.Decided) })
	n := max(0, len(over)-maxHeldKnown)
	for n < len(over) && over[n].Decided.Before(t) {
		n++
	}
	return over[:n]
}

// forgetMany forgets the oldest of what waits no more, where there is too much of it: a server that sends nothing but poison has
// thousands discarded in an hour.
func (h *Hub) forgetMany() error {
	if len(h.quarantine.all)-h.quarantine.waiting-len(h.quarantine.granted) <= maxHeldKnown+maxHeldKnown/10 {
		return nil
	}
	gone := forgottenHeld(slices.Collect(maps.Values(h.quarantine.all)), time.Time{})
	err := h.office.Update(func(tx *store.Tx) (bool, error) {
		for _, one := range gone {
			if err := tx.ForgetHeld(one.Code); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, one := range gone {
		h.quarantine.drop(one.Code)
	}
	return nil
}

// forgetHeldBefore forgets what was held and decided before t, and exceptions that ended before it. The caller reads what is held anew.
func (h *Hub) forgetHeldBefore(tx *store.Tx, t time.Time) (n int, err error) {
	held, err := tx.AllHeld()
	if err != nil {
		return 0, err
	}
	for _, one := range forgottenHeld(held, t) {
		if err := tx.ForgetHeld(one.Code); err != nil {
			return 0, err
		}
		n++
	}
	passes, err := tx.Exceptions()
	if err != nil {
		return 0, err
	}
	for _, e := range passes {
		if e.Until.After(t) {
			continue
		}
		if err := tx.DeleteException(e.ID); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}
