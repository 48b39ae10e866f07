package calls

import (
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// DecideCall allows a call once, or refuses it. apply follows once the decision is on the disk.
func (c *Calls) DecideCall(tx *store.Tx, it store.Item, d control.Decide, out *control.Decided) (wrote bool, apply func(), err error) {
	l, err := ledger.Read(tx, it.ServerID)
	if err != nil {
		return false, nil, err
	}
	out.Server = l.Server.Name
	now, call := c.office.Now(), review.CallOf(it)
	switch {
	case it.Decided == "" && !now.Before(call.Expires), !keepsArguments(it):
		return false, nil, office.Answer(control.CodeStale, "%s is over: its arguments are no longer kept. When the call is made again, it gets a new item", it.Code)
	case !d.Reject && !l.Approves(call.Item, pin.Digest(call.Defined)):
		return false, nil, office.Answer(control.CodeStale, "%s can't be allowed: the tool changed since, or is no longer allowed", it.Code)
	}
	if _, err := office.Selection(it, d); err != nil {
		return false, nil, err
	}
	call.Until = now.Add(CountsFor)
	kind, words := vocab.RecordApproval, "allowed once"
	var forGood []store.AllowedCall
	if d.Always && !d.Reject {
		// Without a grant beside it, so that nothing is left when a person takes it back.
		call.Always, call.Until, words = true, now, "allowed for good"
		forGood = allowedBy(it, call, now)
		for _, a := range forGood {
			if older := c.allowed[keyOfAllowed(a)]; older != nil { // allowed from another client's item
				if err := tx.AllowedCalls().Delete(older.ID); err != nil {
					return false, nil, err
				}
			}
			if err := tx.AllowedCalls().Put(a); err != nil {
				return false, nil, err
			}
		}
		it = ended(it, call)
	}
	it.Decided, it.DecidedAt, it.Detail = vocab.DecidedApproved, now, office.Detail(call)
	if d.Reject {
		it.Decided, kind, words = vocab.DecidedRejected, vocab.RecordRejection, "refused"
		out.Rejected = append(out.Rejected, call.Item)
	} else {
		out.Approved = append(out.Approved, call.Item)
	}
	record := c.office.Record(kind, vocab.StatusOK, store.Record{
		Server: l.Server.Name, ServerID: l.Server.ID, Tool: review.ToolNamed(call.Item), Code: it.Code, Client: call.Client,
		Summary: "a call of " + review.ItemWords(call.Item) + " was " + words + " by a person",
	})
	more := map[string]any{"check": call.Check, "digest": it.Digest}
	if len(forGood) > 0 {
		more["allowed"] = forGood[0].ID
	} else {
		more["until"] = call.Until.UTC()
	}
	office.AddReason(more, d.Reason)
	record.Detail = office.Detail(more)
	if err := tx.PutItem(it); err != nil {
		return false, nil, err
	}
	if _, err := tx.Append(record); err != nil {
		return false, nil, err
	}
	return true, func() {
		c.office.CrashPoint("call allowed")
		for _, a := range forGood {
			c.allowed[keyOfAllowed(a)] = &allowed{AllowedCall: a}
		}
		c.learn(it)
	}, nil
}

// keepsArguments reports whether a person can still read what an item is about.
func keepsArguments(it store.Item) bool { return len(it.Parts) == 1 && len(it.Parts[0].Definition) > 0 }

// ended is an item whose arguments nobody needs any more.
func ended(it store.Item, call store.Call) store.Item {
	it.Detail = office.Detail(call)
	it.Parts = append([]store.Part(nil), it.Parts...)
	for i := range it.Parts {
		it.Parts[i].Definition = nil
	}
	return it
}

// tendEvery is how often what is over is looked for.
const tendEvery = time.Minute

// KeepCalls ends what is over, until closing is closed.
func (c *Calls) KeepCalls(closing <-chan struct{}) {
	ticker := time.NewTicker(tendEvery)
	defer ticker.Stop()
	for {
		c.TendCalls()
		select {
		case <-closing:
			return
		case <-ticker.C:
		}
	}
}

// TendCalls ends calls that nobody decided on in time, or whose tool is no longer allowed as it was, and removes the arguments of those about which a
// decision no longer counts.
func (c *Calls) TendCalls() {
	c.office.Lock()
	defer c.office.Unlock()
	if c.office.Usable() != nil {
		return
	}
	c.keepUses()
	c.hub.Flow.TendFlow()
	c.keepFlow()
	if len(c.known) == 0 {
		return
	}
	now := c.office.Now()
	var over []string
	withdrew, wrote := false, false
	err := c.office.Update(func(tx *store.Tx) (bool, error) {
		over, withdrew, wrote = nil, false, false
		ledgers := map[string]*ledger.Ledger{}
		for code, k := range c.known {
			it, err := tx.Item(code)
			if office.Absent(err) {
				over = append(over, code)
				continue
			}
			if err != nil {
				return false, err
			}
			call := review.CallOf(it)
			l := ledgers[k.server]
			if l == nil {
				if l, err = ledger.Read(tx, k.server); err != nil {
					return false, err
				}
				ledgers[k.server] = l
			}
			waits, counted := k.state == vocab.CallWaiting, call.More != k.more
			call.More = k.more
			if now.Before(k.until) && (!waits || l.Approves(call.Item, pin.Digest(call.Defined))) {
				if counted {
					it.Detail, wrote = office.Detail(call), true
					if err := tx.PutItem(it); err != nil {
						return false, err
					}
				}
				continue
			}
			if waits {
				it.Decided, it.DecidedAt, withdrew = vocab.DecidedWithdrawn, now, true
			}
			over = append(over, code)
			if err := tx.PutItem(ended(it, call)); err != nil {
				return false, err
			}
		}
		return wrote || len(over) > 0, nil
	})
	if err != nil {
		c.office.Failed(err)
		return
	}
	for _, code := range over {
		c.forget(code)
	}
	if withdrew {
		c.hub.PushAll()
	}
}
