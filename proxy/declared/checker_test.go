package declared

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
)

const echo = `{"name":"echo","inputSchema":{"type":"object"}}`

// connection is a server that declares one tool, and a hub that allows what approved says.
type connection struct {
	state     control.State
	away      atomic.Bool   // the hub
	lists     chan struct{} // the server lists once this is closed; nil means at once
	delivered []string
	told      []string
	reports   atomic.Int32
}

func (c *connection) State() *control.State { return &c.state }

func (c *connection) Report(context.Context, control.Report) error {
	c.reports.Add(1)
	if c.away.Load() {
		return errors.New("away")
	}
	return nil
}

func (c *connection) Ask(ctx context.Context, l *List, _ string) ([]byte, [][]byte, error) {
	if c.lists != nil {
		select {
		case <-c.lists:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	return []byte(`{"jsonrpc":"2.0","id":1,"result":{"` + l.Member + `":[` + echo + `]}}`), nil, nil
}

func (c *connection) Read(context.Context, string) ([]byte, error) {
	return nil, errors.New("it has no resources")
}

func (c *connection) Skill(context.Context, string) ([]byte, error) {
	return nil, errors.New("it has no skills")
}

func (c *connection) Begun() bool                     { return true }
func (c *connection) Ready() bool                     { return true }
func (c *connection) Tell(notification string)        { c.told = append(c.told, notification) }
func (c *connection) Apart() bool                     { return false }
func (c *connection) Uncallable() func([]byte) string { return nil }

func (c *connection) Rules() *inspect.RuleFile       { return nil }
func (c *connection) OwnToolsTurned(*View) bool      { return false }
func (c *connection) Judged(uint64)                  { c.delivered = append(c.delivered, "judged") }
func (c *connection) Deliver(_ Request, line []byte) { c.delivered = append(c.delivered, string(line)) }
func (c *connection) Admit(_ Request, line []byte) {
	c.delivered = append(c.delivered, "admitted "+string(line))
}
func (c *connection) Refuse(Request)        { c.delivered = append(c.delivered, "refused") }
func (c *connection) Unverified(error)      {}
func (c *connection) Equivocated(string)    {}
func (c *connection) Unseen(control.Unseen) {}

type call struct {
	id   string
	need uint64
}

func (c call) ID() []byte   { return []byte(c.id) }
func (c call) Need() uint64 { return c.need }

func digestOf(t *testing.T, raw string) pin.Digest {
	t.Helper()
	item, err := pin.ItemOf(pin.Tool, json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	return item.Digest
}

// checking runs a checker until the test ends. It must be called in a synctest bubble.
func checking(t *testing.T, c *connection) *Checker {
	t.Helper()
	checker := NewChecker(c, nil)
	checker.Greet(Greeting{Capabilities: map[string]bool{"tools": true}})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		checker.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		checker.mu.Lock()
		defer checker.mu.Unlock()
		if checker.again != nil {
			checker.again.Stop()
		}
	})
	return checker
}

func TestAToolIsServedByTheDigestThatIsApproved(t *testing.T) {
	approved := digestOf(t, echo)
	for name, test := range map[string]struct {
		item control.ItemState
		want refusal.Reason
	}{
		"approved as it is":       {control.ItemState{State: "approved", Approved: []pin.Digest{approved}}, refusal.None},
		"approved in other words": {control.ItemState{State: "changed", Approved: []pin.Digest{"other"}}, refusal.Changed},
		"never approved":          {control.ItemState{State: "new"}, refusal.New},
		"rejected":                {control.ItemState{State: "rejected"}, refusal.Rejected},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &connection{state: control.State{Revision: 1, Open: true, Items: map[string]control.ItemState{"tool:echo": test.item}}}
				checker := checking(t, c)
				checker.Begin()
				synctest.Wait()
				v := checker.View()
				if v.Allows("tool:echo") != (test.want == refusal.None) || test.want != refusal.None && v.WhyNot("tool:echo") != test.want {
					t.Errorf("allowed: %v, reason %d and not %d", v.Allows("tool:echo"), v.WhyNot("tool:echo"), test.want)
				}
			})
		})
	}
}

func TestResponsesWaitForTheirCheckAndComeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &connection{lists: make(chan struct{})}
		checker := checking(t, c)
		if checker.Keep(call{id: "0"}, []byte("before")) {
			t.Error("a response waits, and no check is due")
		}
		number := checker.Demand(false)
		for _, id := range []string{"1", "2", "3"} {
			if !checker.Keep(call{id, number}, []byte(id)) {
				t.Errorf("response %s does not wait for its check", id)
			}
		}
		if r, sent := checker.DropHeld([]byte("2")); r == nil || !sent || checker.Waiting() != 2 {
			t.Errorf("%d responses wait after one was cancelled", checker.Waiting())
		}
		close(c.lists)
		synctest.Wait()
		if want := []string{"judged", "1", "3"}; !slices.Equal(c.delivered, want) {
			t.Errorf("%q, and not %q", c.delivered, want)
		}
	})
}

func TestARefusedRequestIsJudgedAnewAfterTheCheckItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &connection{lists: make(chan struct{})}
		checker := checking(t, c)
		if checker.Await(call{id: "0"}, []byte("0"), 0) {
			t.Error("a request waits, and no check is due")
		}
		number := checker.Demand(false)
		for _, id := range []string{"1", "2"} {
			if !checker.Await(call{id: id}, []byte(id), number) {
				t.Errorf("request %s does not wait", id)
			}
		}
		if r, sent := checker.DropHeld([]byte("2")); r == nil || sent {
			t.Error("a cancelled request that waits counts as one that reached the server")
		}
		close(c.lists)
		synctest.Wait()
		if want := []string{"judged", "admitted 1"}; !slices.Equal(c.delivered, want) {
			t.Errorf("%q, and not %q", c.delivered, want)
		}
	})
}

func TestAServerThatDoesNotListIsBlockedUntilItDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &connection{lists: make(chan struct{}), state: control.State{Revision: 1, Open: true, Items: map[string]control.ItemState{
			"tool:echo": {State: "approved", Approved: []pin.Digest{digestOf(t, echo)}},
		}}}
		checker := checking(t, c)
		checker.Begin()
		for checker.Failures() == 0 {
			synctest.Wait()
			time.Sleep(time.Second)
		}
		if v := checker.View(); v.Verified || v.Allows("tool:echo") {
			t.Error("it is served, and nobody has seen its listing")
		}
		close(c.lists)
		for checker.Failures() > 0 {
			synctest.Wait()
			time.Sleep(time.Second)
		}
		if !checker.View().Allows("tool:echo") {
			t.Error("it lists again, and stays blocked")
		}
	})
}

func TestAHubThatDoesNotTakeAReportIsToldAgainByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &connection{}
		c.away.Store(true)
		checker := checking(t, c)
		checker.Begin()
		synctest.Wait()
		if checker.Failures() != 1 || c.reports.Load() != 1 {
			t.Errorf("%d failures after %d reports", checker.Failures(), c.reports.Load())
		}
		c.away.Store(false)
		for c.reports.Load() == 1 {
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if checker.Failures() != 0 {
			t.Error("the hub took the report, and the pause still grows")
		}
	})
}
