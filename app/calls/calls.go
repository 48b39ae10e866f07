// Package calls has the calls of tools that wait for a person (tools.mode = ask). Such a call is answered at once with the code of an item; once a
// person allowed it, the same call passes when the client makes it again, one time.
//
// A grant is bound to client, server, tool, the tool's definition and the arguments. It is used up durably before the call that takes it goes on,
// so no two wrappers get it and no restart of the hub brings it back. It ends ten minutes after the decision, or with the approval of its tool.
// Nothing here ever makes a call.
package calls

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sallyport/sallyport/app/flow"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

const (
	// WaitFor is how long a call waits for a decision.
	WaitFor = 24 * time.Hour
	// CountsFor is how long a decision counts: a grant until it is used, and a refusal for the same call.
	CountsFor = 10 * time.Minute

	// maxClasses is more classes than there are.
	maxClasses = 8
	// maxItem is the longest pin key of a tool.
	maxItem = 16 << 10
)

// Hub is what calls need from the hub; it is called with the office's lock held.
type Hub struct {
	Wrapper func(conn control.Wrapper, call string) (*office.Wrapper, error)
	PushAll func()
	Flow    *flow.Flow
}

// Calls is the department.
type Calls struct {
	office *office.Office
	hub    Hub
	known  map[string]*known // by code: the calls that wait, and those about which a decision still counts
	same   map[string]string // and the newest code of each call, by what makes two calls the same

	allowed map[string]*allowed // for good, by what makes them the same for every client
}

func New(o *office.Office, hub Hub) *Calls {
	return &Calls{office: o, hub: hub, known: map[string]*known{}, same: map[string]string{}, allowed: map[string]*allowed{}}
}

// known is a call in memory.
type known struct {
	code, key      string
	server, client string
	state          vocab.CallState // waiting, granted or refused
	created, until time.Time
	more           int // see store.Call
}

// OpenCalls reads what waits from the store.
func (c *Calls) OpenCalls() error {
	c.office.Lock()
	defer c.office.Unlock()
	if !c.office.Works() {
		return nil
	}
	return c.office.Store.View(func(tx *store.Tx) error {
		c.hub.Flow.Load(tx, c.office.Store.Derive)
		for _, a := range tx.AllowedCalls().All() {
			c.allowed[keyOfAllowed(a)] = &allowed{AllowedCall: a}
		}
		for _, heads := range [][]store.Item{tx.WaitingHeads(), tx.DecidedHeads()} {
			for _, head := range heads {
				if head.Kind != vocab.ItemCallWaiting {
					continue
				}
				it, err := tx.Item(head.Code)
				if err != nil {
					return err
				}
				c.learn(it)
			}
		}
		return nil
	})
}

// learn remembers an item about a call as it is now.
func (c *Calls) learn(it store.Item) {
	call := review.CallOf(it)
	k := &known{code: it.Code, key: keyOf(it.ServerID, call), server: it.ServerID, client: call.Client, created: it.Created, more: call.More}
	switch {
	case it.Decided == "":
		k.state, k.until = vocab.CallWaiting, call.Expires
	case it.Decided == vocab.DecidedApproved && call.Used.IsZero() && !call.Always:
		k.state, k.until = vocab.CallGranted, call.Until
	case it.Decided == vocab.DecidedRejected:
		k.state, k.until = vocab.CallRefused, call.Until
	}
	if k.state == "" || it.Decided != "" && !c.office.Now().Before(k.until) && !keepsArguments(it) {
		c.forget(it.Code)
		return
	}
	if newest := c.known[c.same[k.key]]; newest == nil || !newest.created.After(k.created) {
		c.same[k.key] = it.Code
	}
	c.known[it.Code] = k
}

func (c *Calls) forget(code string) {
	if k := c.known[code]; k != nil && c.same[k.key] == code {
		delete(c.same, k.key)
	}
	delete(c.known, code)
}

// keyOf is equal for two calls that one decision covers.
func keyOf(server string, call store.Call) string {
	return strings.Join([]string{server, call.Client, call.Item, call.Defined, call.Same}, "\x00")
}

// Call answers a wrapper whose client makes a call that needs a person's decision.
func (c *Calls) Call(conn control.Wrapper, in control.Call) (control.CallAnswer, error) {
	if !possible(in) {
		return control.CallAnswer{}, office.Answer(control.CodeBadRequest, "a call that cannot be shown to a person")
	}
	c.hub.Flow.Ready()
	c.office.Lock()
	defer c.office.Unlock()
	s, err := c.hub.Wrapper(conn, "call")
	if err != nil {
		return control.CallAnswer{}, err
	}
	now := c.office.Now()
	call := store.Call{
		Client: flow.ClientOf(s.Client, in.Client), Item: in.Item, Defined: string(in.Defined), Check: in.Check, Expires: now.Add(WaitFor),
		Same: string(control.Keyed(c.office.Store.Derive("call", s.Server), in.Same)),
	}
	verdict := c.judge(s, call.Client, in)
	call.Reasons, call.Classes, call.Grave = verdict.Reasons, in.Classes, verdict.Grave
	if in.Check != vocab.CheckAsk && (len(verdict.Reasons) == 0 || in.Flow != "ask") {
		return control.CallAnswer{State: vocab.CallFree, Rules: rulesOf(verdict.Reasons, verdict.Noted...)}, nil
	}
	if in.Flow != "ask" { // what the rules only note is no reason
		call.Reasons, call.Grave = nil, false
	}
	if a := c.allowed[allowedKey(s.Server, call.Item, call.Same)]; a != nil {
		if err := c.stillApproved(s.Server, call); err != nil {
			return control.CallAnswer{}, c.office.Failed(err)
		}
		a.use(now)
		return control.CallAnswer{State: vocab.CallGranted, Code: a.Code}, nil
	}
	if k := c.known[c.same[keyOf(s.Server, call)]]; k != nil && now.Before(k.until) {
		if k.state != vocab.CallGranted {
			return control.CallAnswer{State: k.state, Code: k.code, Rules: rulesOf(call.Reasons)}, nil
		}
		taken, err := c.take(k, call, now)
		if taken {
			c.hub.Flow.Granted(call.Client, s.Server, in)
		}
		if err != nil || taken {
			return control.CallAnswer{State: vocab.CallGranted, Code: k.code}, c.office.Failed(err)
		}
	}
	if len(in.Arguments) > control.MaxCallArguments {
		return control.CallAnswer{State: vocab.CallLarge, Rules: rulesOf(call.Reasons)}, nil
	}
	if newest := c.full(s.Server, call.Client, now); newest != nil {
		newest.more++
		return control.CallAnswer{State: vocab.CallFull, Code: newest.code}, nil
	}
	return c.ask(s, call, in.Arguments, now)
}

// rulesOf are the rules of some reasons, and more, each once and in their order.
func rulesOf(reasons []store.CallReason, more ...int) []int {
	for _, r := range reasons {
		more = append(more, r.Rule)
	}
	return slices.Compact(slices.Sorted(slices.Values(more)))
}

// possible reports whether a wrapper of ours can have sent this.
func possible(in control.Call) bool {
	most := control.MaxCallArguments
	if in.Check == vocab.CheckFlow {
		most = control.MaxFlowArguments
	}
	return (in.Check == vocab.CheckAsk || in.Check == vocab.CheckFlow) && len(in.Classes) <= maxClasses && pin.IsTool(in.Item) && len(in.Item) <= maxItem && len(in.Same) == 64 && in.Defined != "" && len(in.Defined) <= 128 &&
		len(in.Arguments) <= most && utf8.Valid(in.Arguments) && json.Valid(in.Arguments)
}

// full is the newest of the calls that wait for this server and client, if there are as many as a person is shown.
func (c *Calls) full(server, client string, now time.Time) (newest *known) {
	n := 0
	for _, k := range c.known {
		if k.state != vocab.CallWaiting || k.server != server || k.client != client || !now.Before(k.until) {
			continue
		}
		n++
		if newest == nil || k.created.After(newest.created) {
			newest = k
		}
	}
	if n < control.MostCalls {
		return nil
	}
	return newest
}

// take uses a grant up, if it still counts.
func (c *Calls) take(k *known, call store.Call, now time.Time) (taken bool, err error) {
	var it store.Item
	err = c.office.Update(func(tx *store.Tx) (bool, error) {
		taken = false
		if it, err = tx.Item(k.code); err != nil {
			return false, err
		}
		granted := review.CallOf(it)
		// A clock that was set back makes no grant longer.
		if it.Decided != vocab.DecidedApproved || !granted.Used.IsZero() || !now.Before(granted.Until) || now.Before(it.DecidedAt) {
			return false, nil
		}
		l, err := ledger.Read(tx, it.ServerID)
		if err != nil {
			return false, err
		}
		if !approvedSince(l, call, it.DecidedAt) {
			return false, nil
		}
		granted.Used, taken = now, true
		it = ended(it, granted)
		err = tx.PutItem(it)
		c.office.CrashPoint("call")
		return true, err
	})
	if err != nil {
		return false, err
	}
	c.office.CrashPoint("called")
	c.forget(k.code)
	return taken, nil
}

// approvedSince reports whether the tool is allowed as it was when a person allowed the call: an approval made later may be another one's.
func approvedSince(l *ledger.Ledger, call store.Call, decided time.Time) bool {
	for _, p := range l.Pins[call.Item] {
		if p.State == vocab.PartApproved && p.Digest == call.Defined && !p.ApprovedAt.After(decided) {
			return true
		}
	}
	return false
}

// approving is the ledger of a server whose tool is allowed as the call has it.
func approving(tx *store.Tx, server string, call store.Call) (*ledger.Ledger, error) {
	l, err := ledger.Read(tx, server)
	if err != nil {
		return nil, err
	}
	if !l.Approves(call.Item, pin.Digest(call.Defined)) {
		return nil, office.Answer(control.CodeStale, "the tool changed, or is no longer allowed")
	}
	return l, nil
}

// ask puts a call into the inbox.
func (c *Calls) ask(s *office.Wrapper, call store.Call, arguments []byte, now time.Time) (out control.CallAnswer, err error) {
	shown := mask.Params(arguments, s.Secrets)
	if shown == nil {
		return out, office.Answer(control.CodeBadRequest, "a call that cannot be shown to a person")
	}
	var it store.Item
	var name string
	err = c.office.Update(func(tx *store.Tx) (bool, error) {
		l, err := approving(tx, s.Server, call)
		if err != nil {
			return false, err
		}
		code, err := tx.NewCode()
		if err != nil {
			return false, err
		}
		nameEnds(tx, &call)
		digest := c.office.Store.KeyedHash("call waiting", []byte(s.Server), []byte(call.Client), []byte(call.Item), []byte(call.Defined), []byte(call.Same))
		it = review.CallItem(l.Server, code, digest, call, shown, now)
		name = l.Server.Name
		return true, tx.PutItem(it)
	})
	if err != nil {
		return out, c.office.Failed(err)
	}
	c.office.CrashPoint("call asked")
	c.learn(it)
	c.office.Tell(review.NoticeOf(it, name))
	c.hub.PushAll()
	return control.CallAnswer{State: vocab.CallWaiting, Code: it.Code, Rules: rulesOf(call.Reasons)}, nil
}
