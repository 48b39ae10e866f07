package quarantine

import (
	"encoding/json"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// heldToDecide finds the subject of a decision, and refuses anything but exactly what the person saw.
func heldToDecide(tx *store.Tx, code, digest string) (one store.Held, err error) {
	it, err := office.ItemOf(tx, code)
	if err != nil {
		return one, err
	}
	if it.Kind != vocab.ItemResponseHeld {
		return one, office.Answer(control.CodeBadRequest, "%s is not a held response: decide on it with `sallyport approve %s` or `sallyport reject %s`", it.Code, it.Code, it.Code)
	}
	one, err = tx.Held(it.Code)
	if office.Absent(err) {
		return one, office.Answer(control.CodeStale, "%s is no longer known", it.Code)
	}
	if err != nil {
		return one, err
	}
	return one, office.AsShown(it, digest)
}

// Release decides on a held response.
func (q *Quarantine) Release(peer control.Peer, r control.Release) (out control.ReleaseAnswer, err error) {
	q.office.Lock()
	defer q.office.Unlock()
	if err := q.office.Decides(peer, r.Code); err != nil {
		return out, err
	}
	err = q.UpdateHeld(func(tx *store.Tx, put Put) (bool, error) {
		one, err := heldToDecide(tx, r.Code, r.Digest)
		if err != nil {
			return false, err
		}
		out = control.ReleaseAnswer{Code: one.Code, Tool: heldTool(one)}
		if server, err := tx.Server(one.ServerID); err == nil {
			out.Server = server.Name
		}
		wrote := false
		if r.Discard {
			wrote, err = q.discardHeld(tx, put, &one, r)
		} else {
			wrote, err = q.releaseHeld(tx, put, &one, r)
		}
		out.State, out.Already = one.State, !wrote
		if one.State == vocab.HeldReleased || one.State == vocab.HeldTaken {
			out.Until = one.Until.UTC()
		}
		return wrote, err
	})
	if err != nil {
		return out, q.office.Failed(err)
	}
	q.office.CrashPoint("released")
	if !out.Already {
		q.hub.PushChanged()
	}
	return out, nil
}

// releaseHeld allows one delivery of a held response, within ReleaseFor.
func (q *Quarantine) releaseHeld(tx *store.Tx, put Put, one *store.Held, r control.Release) (bool, error) {
	now := q.office.Now()
	switch {
	case one.State == vocab.HeldTaken, one.State == vocab.HeldDelivered,
		one.State == vocab.HeldReleased && one.Without == r.WithoutMarked && now.Before(one.Until):
		return false, nil
	case one.State == vocab.HeldDiscarded:
		return false, office.Answer(control.CodeStale, "%s was already discarded", one.Code)
	}
	text, err := tx.HeldText(*one)
	if office.Absent(err) {
		return false, office.Answer(control.CodeStale, "the text of %s is no longer stored, so there is nothing to release", one.Code)
	}
	if err != nil {
		return false, err
	}
	if r.WithoutMarked {
		if _, err := q.hub.Rules().RemoveMarked(text.Answer, review.ReadFindings(text.Findings)); err != nil {
			return false, office.Answer(control.CodeBadRequest, "Sallyport can't remove the marked text from %s (%s): release all of it, or discard it", one.Code, office.OneLine(err.Error()))
		}
	}
	one.State, one.Decided, one.Until, one.Without = vocab.HeldReleased, now, now.Add(ReleaseFor), r.WithoutMarked
	if err := put(*one); err != nil {
		return false, err
	}
	words := "a person released a held response once"
	if one.Without {
		words = "a person released a held response once, without the marked text"
	}
	err = q.noteHeldDecision(tx, vocab.RecordRelease, *one, words, r)
	q.office.CrashPoint("release")
	return true, err
}

// discardHeld deletes the text of a held response for good.
func (q *Quarantine) discardHeld(tx *store.Tx, put Put, one *store.Held, r control.Release) (bool, error) {
	switch one.State {
	case vocab.HeldDiscarded:
		return false, nil
	case vocab.HeldDelivered:
		return false, office.Answer(control.CodeStale, "%s was already delivered", one.Code)
	case vocab.HeldTaken:
		return false, office.Answer(control.CodeStale, "%s was released and is being delivered", one.Code)
	case vocab.HeldWaiting, vocab.HeldReleased, vocab.HeldExpired, vocab.HeldGone: // no wrapper has it
	}
	one.State, one.Decided, one.Text, one.Kept = vocab.HeldDiscarded, q.office.Now(), "", 0
	if err := put(*one); err != nil {
		return false, err
	}
	return true, q.noteHeldDecision(tx, vocab.RecordRejection, *one, "a person discarded a held response", r)
}

func (q *Quarantine) noteHeldDecision(tx *store.Tx, kind vocab.RecordKind, one store.Held, words string, r control.Release) error {
	record := q.heldRecord(tx, kind, vocab.StatusOK, one, words)
	record.Session = ""
	more := map[string]any{"check": "quarantine", "digest": r.Digest, "without_marked": one.Without, "rules": rulesOfLevels(one)}
	if !one.Until.IsZero() && kind == vocab.RecordRelease {
		more["until"] = one.Until.UTC()
	}
	office.AddReason(more, r.Reason)
	record.Detail = office.Detail(more)
	_, err := tx.Append(record)
	return err
}

// levelsOf is the most serious level of each rule that matched in a held response.
func levelsOf(one store.Held) map[string]inspect.Level {
	levels := map[string]inspect.Level{}
	_ = json.Unmarshal(one.Levels, &levels)
	return levels
}
