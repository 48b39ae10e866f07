package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// crowd is a hub with many wrappers, people and windows at once, and everything allowed so far.
type crowd struct {
	*place
	over    chan struct{}
	done    atomic.Int64 // calls that were answered
	pushed  atomic.Int64
	opened  atomic.Int64 // approved digests seen in states
	allowed sync.Map     // digest of a definition: true, from just before the decision was asked for
}

// guest is a wrapper that checks every State it is pushed.
type guest struct {
	c *crowd
	t testing.TB
}

func (g *guest) Push(s control.State) { g.c.check(g.t, s) }

// check is the invariant: nothing is open unless a person allowed it.
func (c *crowd) check(t testing.TB, s control.State) {
	c.pushed.Add(1)
	for key, item := range s.Items {
		for _, digest := range item.Approved {
			c.opened.Add(1)
			if _, ok := c.allowed.Load(digest); !ok {
				t.Errorf("%s is open as %s, which nobody allowed", key, digest)
			}
		}
	}
}

// TestManyAtOnceNeitherStopTheHubNorOpenWhatNobodyAllowed is a busy day: wrappers come, declare things, write records and go, while people
// decide and windows read. It finds locks taken in two orders, readers that delay a commit, and approvals of another version than the one
// shown.
func TestManyAtOnceNeitherStopTheHubNorOpenWhatNobodyAllowed(t *testing.T) {
	c := &crowd{place: newPlace(t), over: make(chan struct{})}
	for which := range 3 { // allowed before they come
		w := c.wrap(fmt.Sprintf("server-%d", which), "serve", fmt.Sprint(which))
		first := tool("tool-0", fmt.Sprintf("version 0 of server %d", which))
		digest, err := pin.DigestOf(first.Kind, first.Name, first.Raw)
		if err != nil {
			t.Fatal(err)
		}
		c.allowed.Store(digest, true)
		w.report(first)
		c.approveAll(c.item())
	}
	var all sync.WaitGroup
	run := func(what string, f func(random *rand.Rand) error) {
		seed := uint64(len(what)) + uint64(c.n)
		c.n++
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, 26))
			for {
				select {
				case <-c.over:
					return
				default:
				}
				if err := f(random); err != nil {
					t.Errorf("%s: %v", what, err)
					return
				}
				c.done.Add(1)
			}
		})
	}
	for range 6 {
		run("a wrapper", c.visit)
	}
	for range 2 {
		run("a person", c.decides)
	}
	run("the list", func(*rand.Rand) error { _, err := c.Servers(); return err })
	run("the timeline", func(*rand.Rand) error {
		_, err := c.Activity(control.ActivityQuery{Limit: 200})
		return err
	})
	run("the window", func(random *rand.Rand) error {
		_, err := c.ServerWhole(fmt.Sprintf("server-%d", random.IntN(3)))
		var answer *control.Error
		if errors.As(err, &answer) {
			err = nil // none of that name yet
		}
		_, since := c.DecidedSince(time.Time{})
		_, status := c.Status()
		return errors.Join(err, since, status)
	})
	run("verify", func(*rand.Rand) error {
		v, err := c.Verify()
		if err == nil && v.Bad != "" {
			err = fmt.Errorf("record %s: %s", v.Bad, v.Reason)
		}
		return err
	})
	run("the settings", func(random *rand.Rand) error {
		_, err := c.SetSetting(person, control.SettingQuery{Key: "sandbox", Value: []string{"off", "shield"}[random.IntN(2)], Decided: true})
		return err
	})
	run("retention", func(*rand.Rand) error { c.prune(startCredit); return nil })

	busy := 4 * time.Second
	if testing.Short() {
		busy = time.Second
	}
	ended := make(chan struct{})
	go func() {
		<-time.After(busy)
		close(c.over)
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(busy + time.Minute):
		stacks := make([]byte, 1<<20)
		t.Fatalf("it stands still after %d calls:\n%s", c.done.Load(), stacks[:runtime.Stack(stacks, true)])
	}
	t.Logf("%d calls, %d states, %d approved digests in them", c.done.Load(), c.pushed.Load(), c.opened.Load())
	if c.opened.Load() == 0 {
		t.Error("nothing was ever open: the test shows nothing")
	}
	if p := c.Damage(); p != "" {
		t.Errorf("the store is taken for damaged: %s", p)
	}
}

// visit is one session of a wrapper.
func (c *crowd) visit(random *rand.Rand) error {
	which := random.IntN(3)
	g := &guest{c: c, t: c.t}
	state, err := c.Register(g, control.Peer{PID: 1000 + random.IntN(1<<20), Role: control.RoleWrapper}, control.Register{
		Server: control.ServerRef{Transport: "stdio", Argv: []string{"serve", fmt.Sprint(which)}, Name: fmt.Sprintf("server-%d", which)},
		Client: "claude-desktop", Session: fmt.Sprint(random.Uint64()),
	})
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	defer c.Unregister(g)
	c.check(c.t, state)
	for range 3 {
		var items []pin.Item
		for i := range 3 {
			items = append(items, tool(fmt.Sprintf("tool-%d", i), fmt.Sprintf("version %d of server %d", random.IntN(3), which)))
		}
		state, err = c.Report(g, control.Report{Era: "legacy", Protocol: "2025-06-18", ServerInfo: json.RawMessage(`{"name":"w","version":"1"}`), Items: items})
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		c.check(c.t, state)
		records := make([]control.Record, 50)
		for i := range records {
			records[i] = control.Record{
				ID: vocab.NewRecordID(time.Now()), Time: c.at.now(), Kind: "tool_call", Status: "ok", Tool: "tool-1", Summary: strings.Repeat("x", 200),
			}
		}
		if _, err := c.Records(g, control.Records{Records: records}); err != nil {
			return fmt.Errorf("records: %w", err)
		}
	}
	return nil
}

// decides looks at a pending item and decides on it, if it is still pending then.
func (c *crowd) decides(random *rand.Rand) error {
	items, err := c.Inbox()
	if err != nil || len(items) == 0 {
		return err
	}
	shown, err := c.Item(items[random.IntN(len(items))].Code)
	if err != nil || shown.Decided != "" {
		return nil // decided or withdrawn meanwhile
	}
	d := control.Decide{Code: shown.Code, Digest: shown.Digest, All: true, Reject: random.IntN(3) == 0}
	if !d.Reject {
		for _, part := range shown.Details {
			c.allowed.Store(part.Digest, true)
		}
	}
	_, err = c.Decide(person, d)
	var answer *control.Error
	if errors.As(err, &answer) {
		return nil // it is another version by now, or gone
	}
	return err
}
