package quarantine

import (
	"cmp"
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// maxTakers limits the wrappers remembered per response that did not confirm its delivery.
const maxTakers = 8

// claimOf identifies a wrapper process for a grant: stable when a hub comes back, and different for every server.
func claimOf(s *office.Wrapper) string {
	if s.Session == "" {
		return ""
	}
	return s.Server[:min(len(s.Server), 16)] + " " + s.Session
}

// heldFor reports whether a response was held for this wrapper's client.
func heldFor(s *office.Wrapper, one store.Held, said string) bool {
	client := cmp.Or(s.Client, legible.Name(said, ""))
	return client == one.Client && (client != "" || one.ServerID == s.Server)
}

// Take grants a released response to a wrapper, once, and returns when that is on disk. The wrapper that has it may ask again: then it has
// not delivered it.
func (q *Quarantine) Take(w control.Wrapper, take control.Take) (out control.Taken, err error) {
	q.office.Lock()
	defer q.office.Unlock()
	s, err := q.hub.Wrapper(w, "take")
	if err != nil {
		return out, err
	}
	if claimOf(s) == "" {
		return out, office.Answer(control.CodeBadRequest, "take without a session")
	}
	one, known := q.all[strings.ToUpper(take.Code)]
	if !known || !heldFor(s, one, take.Client) {
		return out, nil
	}
	out = control.Taken{State: one.State, Method: one.Method}
	if one.Method == "tools/call" {
		out.Tool = one.Name
	}
	err = q.UpdateHeld(func(tx *store.Tx, put Put) (bool, error) {
		server, err := tx.Server(one.ServerID)
		if err != nil && !office.Absent(err) {
			return false, err
		}
		out.Server = identity.ToldName(server.Name, server)
		again := one.State == vocab.HeldTaken && one.Takers[len(one.Takers)-1] == claimOf(s)
		now := q.office.Now()
		switch {
		case one.State != vocab.HeldReleased && !again:
			return false, nil
		case !now.Before(one.Until):
			out.State = vocab.HeldExpired
			return true, q.expire(tx, put, one)
		case take.Same && one.ServerID != s.Server, !take.Same && (one.Method != "tools/call" || one.Error):
			out.State = vocab.HeldReleased
			return false, nil
		}
		text, err := tx.HeldText(one)
		if office.Absent(err) {
			out.State = vocab.HeldGone
			one.Decided = now
			return true, q.forgetText(tx, put, one, "it isn't what was stored")
		}
		if err != nil {
			return false, err
		}
		out.Answer, out.Error = text.Answer, one.Error
		if one.Without {
			if out.Answer, err = q.hub.Rules().RemoveMarked(text.Answer, review.ReadFindings(text.Findings)); err != nil {
				return false, office.Answer(control.CodeUnavailable, "Sallyport can't remove the marked text from %s: %s", one.Code, office.OneLine(err.Error()))
			}
		}
		out.State, out.Settings = vocab.HeldTaken, q.hub.Settings(server, one.Item)
		if again {
			return false, nil
		}
		one.State, one.Taken = vocab.HeldTaken, now
		takers := append(slices.DeleteFunc(slices.Clone(one.Takers), func(t string) bool { return t == claimOf(s) }), claimOf(s))
		one.Takers = takers[max(0, len(takers)-maxTakers):]
		err = put(one)
		q.office.CrashPoint("take")
		return true, err
	})
	if err != nil {
		return control.Taken{}, q.office.Failed(err)
	}
	q.office.CrashPoint("taken")
	q.hub.PushChanged()
	return out, nil
}

// confirmHeld accepts a wrapper's confirmation for a response that was granted to it, and no other. taken means that it was such a record.
// The caller holds the lock.
func (q *Quarantine) confirmHeld(s *office.Wrapper, server string, in control.Record) (taken bool, err error) {
	one, known := q.all[in.Code]
	if in.Status != vocab.StatusOK || !known || claimOf(s) == "" || !slices.Contains(one.Takers, claimOf(s)) {
		return false, nil
	}
	if one.State == vocab.HeldDelivered {
		return true, nil // confirmed before
	}
	last := one.Takers[len(one.Takers)-1] == claimOf(s)
	err = q.UpdateHeld(func(tx *store.Tx, put Put) (bool, error) {
		sent, _ := q.hub.Caused(s, server, []control.Record{in})
		if len(sent) == 0 {
			return false, nil
		}
		record := sent[0]
		record.Tool, record.Summary = heldTool(one), "a released response was delivered"
		record.Request = one.ID
		if from, err := tx.Server(one.ServerID); err == nil { // any wrapper of its client may have delivered it
			record.Server, record.ServerID = from.Name, from.ID
		}
		record.Detail = office.Detail(map[string]any{"check": "quarantine", "without_marked": one.Without, "held_for": one.Client})
		if one.State == vocab.HeldTaken && !last {
			// Two wrappers have it by now: when it was released again, a person was told that it may have been delivered.
			record.Status, record.Summary = vocab.StatusWarned, "a released response had already been delivered before it was released again"
			stored, err := tx.Append(record)
			return len(stored) > 0, err
		}
		one.State, one.Delivered, one.Unsure = vocab.HeldDelivered, q.office.Now(), false
		one.Text, one.Kept = "", 0
		_, appended := tx.Append(record)
		if err := errors.Join(put(one), appended); err != nil {
			return false, err
		}
		q.office.CrashPoint("confirm")
		return true, nil
	})
	delete(q.away, one.Code)
	q.office.CrashPoint("confirmed")
	return true, err
}

// ConfirmAll handles the records that confirm deliveries, the only thing a wrapper's records can change about held responses: refused
// counts others of that kind. The caller holds the lock.
func (q *Quarantine) ConfirmAll(s *office.Wrapper, server string, sent []control.Record) (rest []control.Record, refused int, err error) {
	if !slices.ContainsFunc(sent, func(r control.Record) bool { return r.Kind == vocab.RecordQuarantine }) {
		return sent, 0, nil
	}
	some := false
	for _, in := range sent {
		if in.Kind != vocab.RecordQuarantine {
			rest = append(rest, in)
			continue
		}
		taken, err := q.confirmHeld(s, server, in)
		if err != nil {
			return nil, 0, err
		}
		if some = some || taken; !taken {
			refused++
		}
	}
	if some {
		q.hub.PushChanged()
	}
	return rest, refused, nil
}

// ReleasedFor are the responses that the same request of a wrapper gets instead of running again.
func (q *Quarantine) ReleasedFor(s *office.Wrapper) []control.Released {
	var out []control.Released
	now := q.office.Now()
	for code := range q.granted {
		one := q.all[code]
		if same := q.sameOf(one); one.State == vocab.HeldReleased && same != "" && one.ServerID == s.Server && heldFor(s, one, "") && now.Before(one.Until) {
			out = append(out, control.Released{Code: one.Code, Same: pin.Digest(same), Until: one.Until.UTC()})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Code < out[j].Code })
	return out
}
