package calls

import (
	"strconv"

	"github.com/sallyport/sallyport/app/flow"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/store"
)

// judge is what the rules about where arguments came from say of a call.
func (c *Calls) judge(s *office.Wrapper, client string, in control.Call) (v flow.Verdict) {
	if in.Flow != "ask" && in.Flow != "note" {
		return v
	}
	now, used := c.office.Now(), map[*allowed]bool{}
	v = c.hub.Flow.Judge(client, s.Server, in, func(rule int, value string) bool {
		a := c.allowed[flowKey(s.Server, in.Item, c.sameReason(s.Server, in, rule, value))]
		if a != nil && !used[a] { // one call is one use
			used[a] = true
			a.use(now)
		}
		return a != nil
	})
	for i := range v.Reasons {
		r := &v.Reasons[i]
		r.Same = c.sameReason(s.Server, in, r.Rule, r.Value)
		r.Value = cut.Bytes(mask.Text(flow.SpelledOut(*r, in.Item), s.Secrets), maxValue)
	}
	return v
}

// sameReason is what an exception keeps of a reason: the value, or the call itself where the reason is none. Whoever allows one password to be set, or
// one call that a text ordered, allows no other.
func (c *Calls) sameReason(server string, in control.Call, rule int, value string) string {
	parts := [][]byte{[]byte(server), []byte(in.Item), []byte(strconv.Itoa(covering(rule))), []byte(value)}
	if flow.ThisCallOnly(rule, value) {
		parts = append(parts, []byte(in.Same))
	}
	return c.office.Store.KeyedHash("flow value", parts...)
}

// covering stands for the rules of which one exception covers all: whoever allowed a value with a tool was told one reason, and there may be another.
func covering(rule int) int {
	switch rule {
	case 2, 5:
		return 1
	}
	return rule
}

// flowKey is equal for two values that one exception covers.
func flowKey(server, item, sameValue string) string {
	return allowedKey(server, item, "flow "+sameValue)
}

func keyOfAllowed(a store.AllowedCall) string {
	if a.FlowRule > 0 {
		return flowKey(a.ServerID, a.Item, a.Same)
	}
	return allowedKey(a.ServerID, a.Item, a.Same)
}

// nameEnds fills in how the servers are called from which a call's values came.
func nameEnds(tx *store.Tx, call *store.Call) {
	for i := range call.Reasons {
		for n := range call.Reasons[i].From {
			from := &call.Reasons[i].From[n]
			if server, err := tx.Server(from.ServerID); err == nil {
				from.Server = server.Name
			}
		}
	}
}

// KeepFlow writes down what a person used, and that servers were heard.
func (c *Calls) KeepFlow() {
	c.office.Lock()
	defer c.office.Unlock()
	if c.office.Usable() != nil {
		return
	}
	c.keepFlow()
}

func (c *Calls) keepFlow() {
	kept, any := c.hub.Flow.Unkept()
	if !any {
		return
	}
	c.office.Failed(c.office.Update(func(tx *store.Tx) (bool, error) { return true, kept.Keep(tx) }))
}
