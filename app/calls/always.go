package calls

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/flow"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// maxValue is how much of a call's arguments is shown beside a call that is allowed for good, in bytes.
const maxValue = 256

// allowed is a call that a person allowed for good, in memory.
type allowed struct {
	store.AllowedCall
	counted bool // Uses and Used are newer than in the store
}

// allowedKey is equal for two calls that are the same, whichever client makes them.
func allowedKey(server, item, same string) string {
	return strings.Join([]string{server, item, same}, "\x00")
}

func (a *allowed) use(now time.Time) {
	a.Uses, a.Used, a.counted = a.Uses+1, now, true
}

// allowedBy is what a decision allows for good: this call, where the mode of its tool asks, and each value that is a reason, with any call of the tool. A
// reason without one is allowed with these arguments alone.
func allowedBy(it store.Item, call store.Call, now time.Time) (all []store.AllowedCall) {
	one := func() store.AllowedCall {
		return store.AllowedCall{ID: vocab.NewRecordID(now), ServerID: it.ServerID, Item: call.Item, Code: it.Code, Since: now}
	}
	var line bytes.Buffer
	if json.Compact(&line, it.Parts[0].Definition) != nil {
		line.Reset()
	}
	arguments := cut.Bytes(line.String(), maxValue)
	if call.Check == vocab.CheckAsk {
		a := one()
		a.Rule, a.Same, a.Value = call.Check, call.Same, arguments
		all = append(all, a)
	}
	for _, r := range call.Reasons {
		a := one()
		a.Rule, a.FlowRule, a.Same, a.Value = r.Check, r.Rule, r.Same, r.Value
		if r.Rule == control.RuleOfOrders && flow.ThisCallOnly(r.Rule, r.Value) { // of a change of access nothing is kept: it may be a password
			a.Value = arguments
		}
		all = append(all, a)
	}
	return all
}

// stillApproved is an error unless the tool is allowed as the call has it.
func (c *Calls) stillApproved(server string, call store.Call) error {
	return c.office.Store.View(func(tx *store.Tx) error {
		_, err := approving(tx, server, call)
		return err
	})
}

// keepUses writes down how often the allowed calls were made. The caller has the lock.
func (c *Calls) keepUses() {
	var kept []*allowed
	for _, a := range c.allowed {
		if a.counted {
			kept = append(kept, a)
		}
	}
	if len(kept) == 0 {
		return
	}
	err := c.office.Update(func(tx *store.Tx) (bool, error) {
		for _, a := range kept {
			if err := tx.AllowedCalls().Put(a.AllowedCall); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		c.office.Failed(err)
		return
	}
	for _, a := range kept {
		a.counted = false
	}
}

// AllowedCalls are the calls that are allowed for good, oldest first.
func (c *Calls) AllowedCalls() ([]control.AllowedCall, error) {
	out := []control.AllowedCall{}
	err := c.office.Viewing(func(tx *store.Tx) error {
		for _, a := range c.allowed {
			out = append(out, told(tx, a.AllowedCall))
		}
		return nil
	})
	slices.SortFunc(out, func(a, b control.AllowedCall) int { return strings.Compare(a.ID, b.ID) }) // ids sort by time
	return out, err
}

// told is what a person is told of one.
func told(tx *store.Tx, a store.AllowedCall) control.AllowedCall {
	server, _ := tx.Server(a.ServerID)
	tool, _ := pin.ToolName(a.Item)
	return control.AllowedCall{
		ID: a.ID, Server: server.Name, Shown: office.ShownIn(tx, server), Identity: server.Identity, Tool: tool, Rule: a.Rule, FlowRule: a.FlowRule, Value: a.Value, Code: a.Code, Since: a.Since.UTC(), Uses: a.Uses, Used: a.Used.UTC(),
	}
}

// ForgetCall takes one back. It only tightens, so it may come from anywhere.
func (c *Calls) ForgetCall(_ control.Peer, id string) (out control.AllowedCall, err error) {
	c.office.Lock()
	defer c.office.Unlock()
	if err := c.office.Usable(); err != nil {
		return out, err
	}
	for key, a := range c.allowed {
		if a.ID != id {
			continue
		}
		err := c.office.Update(func(tx *store.Tx) (bool, error) {
			out = told(tx, a.AllowedCall)
			if err := tx.AllowedCalls().Delete(id); err != nil {
				return false, err
			}
			_, err := tx.Append(c.office.Record(vocab.RecordRejection, vocab.StatusOK, store.Record{
				Server: out.Server, ServerID: a.ServerID, Tool: review.ToolNamed(a.Item), Code: a.Code, Summary: "a person took back that a call of " + review.ItemWords(a.Item) + " is allowed for good",
				Detail: office.Detail(map[string]any{"check": a.Rule, "allowed": id, "uses": a.Uses}),
			}))
			return true, err
		})
		if err != nil {
			return control.AllowedCall{}, c.office.Failed(err)
		}
		delete(c.allowed, key)
		c.hub.PushAll()
		return out, nil
	}
	return out, office.Answer(control.CodeNotFound, "no such call; run `sallyport flow` to see which are allowed for good")
}

// DistrustCalls is for a store in which older records were restored: what was allowed for good is asked again.
func DistrustCalls(tx *store.Tx) error {
	for _, a := range tx.AllowedCalls().All() {
		if err := tx.AllowedCalls().Delete(a.ID); err != nil {
			return err
		}
	}
	return nil
}
