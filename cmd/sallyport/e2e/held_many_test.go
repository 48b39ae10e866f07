//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The limits below hold for a hub with a thousand held responses. The test prints its measurements.
const (
	manyHeld     = 1001
	manyServers  = 60
	allAnswered  = 45 * time.Second
	quietAfter   = 5 * time.Second
	quietFor     = 3 * time.Second
	fewHeld      = 150                   // of them, to compare the first with the last
	growsBy      = 2                     // times as much of the hub's processor time as the first may the last take, on any machine
	startCost    = 10 * time.Millisecond // the same, for each start
	inboxWithin  = 300 * time.Millisecond
	startWithin  = 500 * time.Millisecond
	statusLines  = 60
	heldInFlight = 32
	looksAfter   = 7500 * time.Millisecond // so soon after wrappers end, the hub has not looked for leftovers yet
)

// used is the processor time of a process with all its threads. The kernel counts in hundredths of a second.
func used(t testing.TB, pid int) time.Duration {
	t.Helper()
	fields := stat(fmt.Sprintf("/proc/%d/stat", pid))
	if fields == nil {
		t.Fatalf("process %d is gone", pid)
	}
	user, _ := strconv.Atoi(fields[14-3])
	system, _ := strconv.Atoi(fields[15-3])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// best is the shortest of five runs.
func best(run func() time.Duration) time.Duration {
	shortest := run()
	for range 4 {
		shortest = min(shortest, run())
	}
	return shortest
}

// heldItem is the item of held responses as `inbox --json` lists it.
type heldItem struct {
	Code, Kind, Server string
	Count              int
	First, Last        time.Time
	Codes              []string
}

func (h *installation) heldItems() (items []heldItem) {
	h.t.Helper()
	out, _ := h.told("inbox", "--json")
	var list struct{ Items []heldItem }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		h.t.Fatal(err)
	}
	for _, it := range list.Items {
		if it.Kind == "response_held" {
			items = append(items, it)
		}
	}
	return items
}

// holdMany causes poisoned responses with the numbers from..to-1 to be held, several in flight at a time, and adds the code that each refusal
// named to codes.
func (s *session) holdMany(codes map[int]string, from, to int) {
	s.t.Helper()
	sent := from
	for len(codes) < to {
		for ; sent < to && sent < len(codes)+heldInFlight; sent++ {
			s.start(strconv.Itoa(100_000+sent), "tools/call", fmt.Sprintf(`{"name":"echo","arguments":{"poison":"%d"}}`, sent))
		}
		line := s.until("a refusal", func(e envelope, _ string) bool { return e.Method == "" })
		var e envelope
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			s.t.Fatal(err)
		}
		d := s.decided(line)
		id, _ := strconv.Atoi(string(e.ID))
		if strings.Contains(line, evil) || d.Status != "held" || d.Code == "" {
			s.t.Fatalf("the client got %s", line)
		}
		codes[id-100_000] = d.Code
		s.entries = nil
	}
}

// startAll starts a wrapper for each of the servers at once and returns how long it took until the last one responded.
func (h *installation) startAll(dir string, servers [][]string) (all []*session, took time.Duration) {
	h.t.Helper()
	began := time.Now()
	for _, argv := range servers {
		s := launch(h.t, dir, environment(h.env()...), append([]string{h.binary(), "wrap", "--client", "e2e", "--"}, argv...))
		s.start("1", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1.0"}}`)
		all = append(all, s)
	}
	for _, s := range all {
		s.answer("1")
	}
	took = time.Since(began)
	for _, s := range all {
		s.notify("notifications/initialized", `{}`)
		s.start("2", "tools/list", `{}`)
	}
	for _, s := range all {
		s.answer("2")
	}
	return all, took
}

func TestAThousandHeldResponsesAreOneItemAndTheHubStaysQuiet(t *testing.T) {
	if testing.Short() {
		t.Skip("starts sixty servers, twice")
	}
	dir := folder(t)
	h := install(t)
	argv, _ := poisoned(t, dir)
	first := h.inFront(dir, "e2e", argv)
	h.approve()
	first.heard("list_changed")
	servers := make([][]string, manyServers)
	for i := range servers {
		servers[i] = script(t, dir, fmt.Sprintf("server-%d.json", i), strings.Replace(plainServer, "DRIFT", fmt.Sprintf("%s/drift-%d", dir, i), 1))
	}
	all, _ := h.startAll(dir, servers)
	for _, s := range all {
		s.in.Close() // all of them first, so that they end in parallel
	}
	for _, s := range all {
		s.hangUp(true)
	}
	ended := time.Now()
	for h.approve() > 0 {
	}
	hub := h.hubPID()

	codes, began := map[int]string{}, time.Now()
	costs := func(from, to int) time.Duration {
		before := used(t, hub)
		first.holdMany(codes, from, to)
		return (used(t, hub) - before) / time.Duration(to-from)
	}
	early, middle, late := costs(0, fewHeld), costs(fewHeld, manyHeld-fewHeld), costs(manyHeld-fewHeld, manyHeld)
	t.Logf("%d held in %.1f s: of the hub's processor %s each at first, then %s, %s in the end", manyHeld, time.Since(began).Seconds(), early, middle, late)
	if late > growsBy*early {
		t.Errorf("the last of %d held responses cost the hub %s each, the first %s", manyHeld, late, early)
	}

	items := h.heldItems()
	if len(items) != 1 {
		t.Fatalf("%d items of held responses", len(items))
	}
	it := items[0]
	if it.Count != manyHeld || len(it.Codes) != 100 || it.Codes[0] != it.Code || it.First.IsZero() || !it.Last.After(it.First) {
		t.Errorf("the item: %d responses, %d codes, %s of %v, from %s to %s", it.Count, len(it.Codes), it.Code, it.Codes[:1], it.First, it.Last)
	}
	took := best(func() time.Duration { began := time.Now(); h.run("inbox"); return time.Since(began) })
	t.Logf("inbox: %s at best of five", took.Round(time.Millisecond))
	if _, clock := pace(t); took > atPace(inboxWithin, clock) {
		t.Errorf("inbox took %s", took)
	}

	// Eight to nine seconds after wrappers end, the hub looks for leftovers of their servers. That is no part of a start.
	inTime := time.Since(ended) < looksAfter
	for time.Since(ended) < looksAfter {
		time.Sleep(50 * time.Millisecond)
	}
	before := used(t, hub)
	wait(t, "the hub has looked after the wrappers that ended", func() bool {
		was := used(t, hub)
		return time.Since(ended) > 10*time.Second && used(t, hub) == was
	})
	if inTime {
		t.Logf("to look after %d wrappers that ended together: %s of the hub's processor", manyServers, used(t, hub)-before)
	}
	before = used(t, hub)
	all, last := h.startAll(dir, servers)
	t.Logf("%d wrappers at once: the last was answered after %.1f s", manyServers, last.Seconds())
	if last > allAnswered {
		t.Errorf("the last of %d wrappers was answered after %s", manyServers, last)
	}
	starts := (used(t, hub) - before) / manyServers
	t.Logf("a start: %s of the hub's processor", starts)
	if processor, _ := pace(t); starts > atPace(startCost, processor) {
		t.Errorf("a start costs the hub %s, more than %s", starts, startCost)
	}
	time.Sleep(quietAfter) // measured is what the hub does by itself after that
	before = used(t, hub)
	time.Sleep(quietFor)
	share := float64(used(t, hub)-before) / float64(quietFor)
	t.Logf("five seconds later the hub takes %.1f %% of a core", 100*share)
	if share > 0.5 {
		t.Errorf("five seconds after the starts the hub takes %.0f %% of a core", 100*share)
	}

	took = best(func() time.Duration {
		began := time.Now()
		s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
		s.handshake("2025-06-18")
		took := time.Since(began)
		s.hangUp(true)
		return took
	})
	t.Logf("a start: %s at best of five until initialize is answered", took.Round(time.Millisecond))
	if _, clock := pace(t); took > atPace(startWithin, clock) {
		t.Errorf("a start took %s", took)
	}
	out, _ := h.run("status")
	if lines := strings.Count(out, "\n"); lines > statusLines {
		t.Errorf("status is %d lines:\n%s", lines, out)
	} else {
		t.Logf("status: %d lines", lines)
	}

	// The code in a refusal releases the response that was held then, also for the oldest and the newest.
	for _, n := range []int{0, rand.IntN(manyHeld), rand.IntN(manyHeld), manyHeld - 1} {
		h.released(codes[n])
		if got := first.handOver(codes[n]); !strings.Contains(got, fmt.Sprintf("Number %d.", n)) && !strings.Contains(got, "already") {
			t.Errorf("%s was for number %d: %s", codes[n], n, got)
		}
	}
	distinct := map[string]bool{}
	for _, code := range codes {
		distinct[code] = true
	}
	if len(distinct) != manyHeld {
		t.Errorf("%d codes for %d responses", len(distinct), manyHeld)
	}
	out, exit := h.run("discard", "--all", "--yes")
	if exit != 0 || !strings.Contains(out, "discarded: ") {
		t.Errorf("discard --all: status %d: %s", exit, out)
	}
	if left := h.heldItems(); len(left) != 0 {
		t.Errorf("left after discard --all: %+v", left)
	}
	if out, code := h.run("activity", "verify"); code != 0 {
		t.Errorf("the chain: status %d: %s", code, out)
	}
	if slices.ContainsFunc(all, func(s *session) bool {
		select {
		case <-s.ended:
			return true
		default:
			return false
		}
	}) {
		t.Error("a wrapper ended")
	}
}
