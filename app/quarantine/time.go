package quarantine

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

const (
	ReleaseFor  = 15 * time.Minute
	ClaimGrace  = 10 * time.Second // for a wrapper to come back, and its spool to be read
	tendAtLeast = time.Minute      // clocks are set, and machines sleep
)

// forgetText deletes the text of a held response, inside UpdateHeld. The response itself stays.
func (q *Quarantine) forgetText(tx *store.Tx, put Put, one store.Held, why string) error {
	one.Text, one.Kept, one.State = "", 0, vocab.HeldGone
	return q.putNoted(tx, put, one, vocab.StatusBlocked, "the text of a held response was deleted: "+why)
}

// putNoted writes a held response and the reason why it changed.
func (q *Quarantine) putNoted(tx *store.Tx, put Put, one store.Held, status vocab.Status, why string) error {
	if err := put(one); err != nil {
		return err
	}
	_, err := tx.Append(q.heldRecord(tx, vocab.RecordQuarantine, status, one, why))
	return err
}

// heldRecord is a record about a held response.
func (q *Quarantine) heldRecord(tx *store.Tx, kind vocab.RecordKind, status vocab.Status, one store.Held, summary string) store.Record {
	name := ""
	if server, err := tx.Server(one.ServerID); err == nil {
		name = server.Name
	}
	return q.office.Record(kind, status, store.Record{
		Server: name, ServerID: one.ServerID, Tool: heldTool(one), Code: one.Code, Client: one.Client, Session: one.Session, Request: one.ID, Bytes: one.Bytes, Summary: summary,
		Detail: office.Detail(map[string]any{"check": "quarantine", "state": one.State, "without_marked": one.Without, "unsure": one.Unsure}),
	})
}

// tendSoon requests a new look at the times. It never blocks.
func (q *Quarantine) tendSoon() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// KeepTending handles everything about held responses and exceptions that depends on time, until closing is closed, starting with what
// became due while no hub ran.
func (q *Quarantine) KeepTending(closing <-chan struct{}) {
	for {
		timer := time.NewTimer(q.Tend())
		select {
		case <-closing:
			timer.Stop()
			return
		case <-timer.C:
		case <-q.wake:
		}
		timer.Stop()
	}
}

// Tend does what is due and returns when to call it next.
func (q *Quarantine) Tend() time.Duration {
	q.office.Lock()
	defer q.office.Unlock()
	if q.office.Usable() != nil {
		return tendAtLeast
	}
	now := q.office.Now()
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
	var due []store.Held
	for _, one := range q.all {
		if at := q.dueHeld(one); !at.IsZero() && !later(at) {
			due = append(due, one)
		}
	}
	if err := q.forgetMany(); err != nil {
		q.office.Failed(err)
		return tendAtLeast
	}
	over := false
	for _, e := range q.passes {
		if e.Ended.IsZero() && !e.Until.Add(time.Second).Before(now) && !later(e.Until) {
			over = true
			q.hub.Stale(e.ServerID)
		}
	}
	if len(due) > 0 {
		err := q.UpdateHeld(func(tx *store.Tx, put Put) (bool, error) {
			var errs []error
			for _, one := range due {
				switch one.State {
				case vocab.HeldReleased:
					errs = append(errs, q.expire(tx, put, one))
				case vocab.HeldTaken:
					errs = append(errs, q.waitsAgain(tx, put, one))
				default:
					one.Decided = now
					errs = append(errs, q.forgetText(tx, put, one, "no decision in time"))
				}
			}
			return true, errors.Join(errs...)
		})
		if err != nil {
			q.office.Failed(err)
			return tendAtLeast
		}
		over = true
	}
	if over {
		q.hub.PushChanged()
	}
	q.due = next
	return max(next.Sub(now), time.Millisecond)
}

// dueHeld is when a held response next changes by itself, zero for never.
func (q *Quarantine) dueHeld(one store.Held) time.Time {
	switch {
	case one.State == vocab.HeldReleased:
		return one.Until
	case one.State == vocab.HeldTaken:
		return one.Until.Add(ClaimGrace)
	case heldDecided(one) == "":
		return one.Stored.Add(q.hub.Retention())
	}
	return time.Time{}
}

// expire holds a released response again that no wrapper collected in time.
func (q *Quarantine) expire(tx *store.Tx, put Put, one store.Held) error {
	one.State = vocab.HeldExpired
	return q.putNoted(tx, put, one, vocab.StatusBlocked, "a released response was not collected in time, so it is held again")
}

// waitsAgain holds a response again whose wrapper never confirmed the delivery.
func (q *Quarantine) waitsAgain(tx *store.Tx, put Put, one store.Held) error {
	one.State, one.Unsure = vocab.HeldWaiting, true
	return q.putNoted(tx, put, one, vocab.StatusWarned, "the guard stopped while it delivered a released response, which may or may not have arrived; it is held again")
}

// SettleClaims ends the claims of wrappers that disappeared without a confirmation. asOf is from before the spool was read, so
// confirmations in it have been taken. It returns the time left for the next claim.
func (q *Quarantine) SettleClaims(asOf time.Time) (next time.Duration, waits bool) {
	q.office.Lock()
	defer q.office.Unlock()
	if q.office.Usable() != nil {
		return 0, false
	}
	var gone []store.Held
	for code := range q.granted {
		one := q.all[code]
		if one.State != vocab.HeldTaken || q.claimed(one) {
			delete(q.away, code)
			continue
		}
		if _, known := q.away[code]; !known { // an earlier hub granted it
			q.away[code] = asOf
		}
		left := ClaimGrace - asOf.Sub(q.away[code])
		if left <= 0 {
			gone = append(gone, one)
		} else if !waits || left < next {
			next, waits = left, true
		}
	}
	if len(gone) == 0 {
		return next, waits
	}
	err := q.UpdateHeld(func(tx *store.Tx, put Put) (bool, error) {
		var errs []error
		for _, one := range gone {
			errs = append(errs, q.waitsAgain(tx, put, one))
		}
		return true, errors.Join(errs...)
	})
	if err != nil {
		q.office.Failed(err)
		return ClaimGrace, true
	}
	for _, one := range gone {
		delete(q.away, one.Code)
	}
	q.hub.PushChanged()
	return next, waits
}

// AwaySince is when the hub first noticed that the wrapper to which a response was granted is gone.
func (q *Quarantine) AwaySince(code string) (since time.Time, known bool) {
	since, known = q.away[code]
	return since, known
}

// AwayHeld starts that clock for grants of a wrapper that is gone.
func (q *Quarantine) AwayHeld() {
	for code := range q.granted {
		one := q.all[code]
		if _, known := q.away[code]; !known && one.State == vocab.HeldTaken && !q.claimed(one) {
			q.away[code] = q.office.Now()
		}
	}
}

// claimed reports whether the wrapper to which a response was granted is connected.
func (q *Quarantine) claimed(one store.Held) bool {
	return len(one.Takers) > 0 && q.hub.AnyWrapper(func(s *office.Wrapper) bool { return claimOf(s) == one.Takers[len(one.Takers)-1] })
}

// maxHeldKnown is how many decided responses can be looked up; a tenth more before the oldest are forgotten, because each write seals the
// whole list again. The timeline has all of them.
const maxHeldKnown = 10_000

// forgottenHeld are the responses to forget: decided before t, or the oldest beyond the limit.
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

// forgetMany forgets the oldest decided ones if there are too many: a server that sends only poison may have thousands discarded in an
// hour.
func (q *Quarantine) forgetMany() error {
	if len(q.all)-q.waiting-len(q.granted) <= maxHeldKnown+maxHeldKnown/10 {
		return nil
	}
	gone := forgottenHeld(slices.Collect(maps.Values(q.all)), time.Time{})
	err := q.office.Update(func(tx *store.Tx) (bool, error) {
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
		q.drop(one.Code)
	}
	return nil
}

// ForgetHeldBefore forgets responses decided before t, and exceptions that ended before it. The caller then rebuilds the index.
func (q *Quarantine) ForgetHeldBefore(tx *store.Tx, t time.Time) (n int, err error) {
	for _, one := range forgottenHeld(tx.AllHeld(), t) {
		if err := tx.ForgetHeld(one.Code); err != nil {
			return 0, err
		}
		n++
	}
	for _, e := range tx.Exceptions() {
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
