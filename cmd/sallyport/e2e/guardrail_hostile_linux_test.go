package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// What a provider can cost whatever it does. The test prints its measurements.
const (
	guardTimeout  = time.Second
	judgedWithin  = guardTimeout + time.Second // each response that it should judge
	othersWithin  = 100 * time.Millisecond     // everything else, in the middle
	hubMemoryMore = 100 << 20
	guardRecords  = 20
)

// memoryOf is a line of /proc/PID/status in bytes.
func memoryOf(t *testing.T, pid int, line string) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), line+":")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// A clocked client notes when each response comes, also while it sends.
type clocked struct {
	*session
	mu      sync.Mutex
	waiting map[string]chan arrival // by id
}

type arrival struct {
	at   time.Time
	line string
}

// clock makes a session a clocked one, for good.
func clock(s *session) *clocked {
	c := &clocked{session: s, waiting: map[string]chan arrival{}}
	go func() {
		for line := range s.lines {
			now, e := time.Now(), envelope{}
			if json.Unmarshal([]byte(line), &e) != nil || e.Method != "" {
				continue
			}
			c.mu.Lock()
			if came := c.waiting[string(e.ID)]; came != nil {
				came <- arrival{now, line}
			}
			c.mu.Unlock()
		}
	}()
	return c
}

// send sends a request. The function waits for the response, and returns how long it took.
func (c *clocked) send(method, params string) (await func() (line string, took time.Duration)) {
	came := make(chan arrival, 1)
	c.mu.Lock()
	c.nextID++
	id := strconv.Itoa(c.nextID)
	c.waiting[id] = came
	c.mu.Unlock()
	sent := time.Now()
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return func() (string, time.Duration) {
		select {
		case got := <-came:
			return got.line, got.at.Sub(sent)
		case <-time.After(patience):
			c.t.Errorf("no response to %s within %v", method, patience)
			return "", patience
		}
	}
}

// besides sends requests one after the other until done is closed, and returns how long each took.
func (c *clocked) besides(done <-chan struct{}, method, params, want string) (all []time.Duration) {
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for {
		line, took := c.send(method, params)()
		if all = append(all, took); !strings.Contains(line, want) {
			c.t.Errorf("%s beside them: %.200s", method, line)
		}
		select {
		case <-done:
			return all
		case <-pause.C:
		}
	}
}

// betrayal is one provider at work: how long each response took that it should judge, and everything beside that.
type betrayal struct{ judged, others []time.Duration }

// betrayed calls each client's server many times at once, and pings it meanwhile. Another server has no provider, and is called, too.
func betrayed(clients []*clocked, free *clocked, calls int, about string, expect func(line string)) (b betrayal) {
	var mu sync.Mutex
	var beside, all sync.WaitGroup
	done := make(chan struct{})
	for _, c := range clients {
		all.Go(func() {
			var waits []func() (string, time.Duration)
			for range calls {
				waits = append(waits, c.send("tools/call", fmt.Sprintf(`{"name":"report","arguments":%s}`, about)))
			}
			for _, await := range waits {
				line, took := await()
				mu.Lock()
				expect(line)
				b.judged = append(b.judged, took)
				mu.Unlock()
			}
		})
	}
	also := func(c *clocked, method, params, want string) {
		beside.Go(func() {
			took := c.besides(done, method, params, want)
			mu.Lock()
			b.others = append(b.others, took...)
			mu.Unlock()
		})
	}
	for _, c := range clients {
		also(c, "ping", `{}`, `"result":{}`)
	}
	also(free, "tools/call", `{"name":"report","arguments":{"about":"nothing"}}`, "Report: nothing.")
	all.Wait()
	close(done)
	beside.Wait()
	return b
}

// A hostile provider costs the responses that it should judge, and nothing else: each of them is held, or delivered where guardrail.on_error says
// so, within a second of the timeout; other messages pass meanwhile; the hub keeps little of the texts, and writes few records.
func TestAHostileProviderCostsNothingButTheResponsesItShouldJudge(t *testing.T) {
	if testing.Short() {
		t.Skip("starts hubs and many servers")
	}
	// The hub stores one held response after the other, 10 to 15 ms each at this size, so the bounds on time are for a few of each client.
	const wrappers, few, many, size = 5, 6, 30, 100_000
	about, err := json.Marshal(map[string]string{"about": strings.Repeat("An ordinary line of a long report. ", size/35)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range played(2, []struct{ role, onError string }{
		{"flooding", "hold"}, {"silent", "builtin"}, {"answering for another", "hold"}, {"silent", "hold"}, {"slow", "hold"}, {"dead", "hold"}, {"lying", "hold"},
	}) {
		t.Run(c.role+", "+c.onError, func(t *testing.T) {
			dir := folder(t)
			h := install(t)
			argv, err := json.Marshal(helper(t, "betray", c.role))
			if err != nil {
				t.Fatal(err)
			}
			h.set("guardrail.command.argv", string(argv))
			h.set("guardrail.timeout", guardTimeout.String())
			h.set("guardrail.on_error", c.onError)
			var clients []*clocked
			for i := range wrappers + 1 {
				s := launch(t, dir, environment(h.env()...), append([]string{h.binary(), "wrap", "--client", "e2e", "--name", fmt.Sprint("report", i), "--"},
					script(t, dir, fmt.Sprintf("report%d.json", i), reportServer)...))
				s.handshake("2025-06-18")
				s.request("tools/list", `{}`)
				h.approve()
				s.heard("list_changed")
				clients = append(clients, clock(s))
			}
			free := clients[wrappers]
			if out, code := h.run("settings", "set", "guardrail.provider", "builtin", "--server", fmt.Sprint("report", wrappers), "--yes"); code != 0 {
				t.Fatalf("settings: status %d: %s", code, out)
			}
			h.set("guardrail.provider", "command")
			for _, s := range clients[:wrappers] {
				wait(t, "it is in force in each wrapper", func() bool {
					line, _ := s.send("tools/call", `{"name":"report","arguments":{"about":"a note"}}`)()
					return c.onError != "hold" || c.role == "slow" || strings.Contains(line, `"status":"held"`)
				})
			}
			rounds := 0
			round := func(calls int) betrayal {
				rounds++ // another command is another provider, and starts afresh: one that failed is left alone for a while
				argv, _ := json.Marshal(helper(t, "betray", c.role, fmt.Sprint(rounds)))
				h.set("guardrail.command.argv", string(argv))
				return betrayed(clients[:wrappers], free, calls, string(about), func(line string) {
					held, delivered := strings.Contains(line, `"status":"held"`), strings.Contains(line, "An ordinary line of a long report.")
					if ok := held && c.onError == "hold" || delivered && (c.onError == "builtin" || c.role == "slow"); !ok || held == delivered {
						t.Errorf("%.300s", line)
					}
				})
			}
			before := memoryOf(t, h.process.Pid, "VmRSS")
			shortest := round(few)
			for try := 1; try < 3 && !shortest.inTime(1); try++ { // this machine may be busy
				t.Logf("once more, after %s", shortest)
				shortest = round(few)
			}
			t.Logf("%d clients with %d responses each: %s", wrappers, few, shortest)
			if _, clock := pace(t); !shortest.inTime(clock) {
				t.Errorf("that is more than %v, and %v", judgedWithin, othersWithin)
			}
			t.Logf("%d clients with %d responses each: %s", wrappers, many, round(many))
			if more := memoryOf(t, h.process.Pid, "VmHWM") - before; more > hubMemoryMore {
				t.Errorf("the hub took %d MiB more", more>>20)
			} else {
				t.Logf("the hub took %d MiB more", more>>20)
			}
			h.fewProblems()
		})
	}
}

// last is when the last response came that was to be judged.
func (b betrayal) last() time.Duration { return slices.Max(b.judged) }

// middle is how long half of all else took at most.
func (b betrayal) middle() time.Duration {
	return slices.Sorted(slices.Values(b.others))[len(b.others)/2]
}

// inTime is at a pace of the machine: what the provider is waited for does not depend on it.
func (b betrayal) inTime(pace float64) bool {
	return b.last() <= guardTimeout+atPace(judgedWithin-guardTimeout, pace) && b.middle() <= atPace(othersWithin, pace)
}

func (b betrayal) String() string {
	return fmt.Sprintf("the last judged after %v; of %d others, half within %v, all within %v",
		b.last().Round(time.Millisecond), len(b.others), b.middle().Round(10*time.Microsecond), slices.Max(b.others).Round(time.Millisecond))
}

// fewProblems fails if a provider's failures are more than a few records.
func (h *installation) fewProblems() {
	h.t.Helper()
	out, code := h.run("activity", "list", "--kind", "guard_problem", "--json")
	var told struct{ Items []struct{ Summary string } }
	if err := json.Unmarshal([]byte(out), &told); err != nil || code != 0 {
		h.t.Fatalf("activity: %v, status %d: %s", err, code, out)
	}
	h.t.Logf("%d records of problems", len(told.Items))
	if len(told.Items) > guardRecords {
		h.t.Errorf("%d records", len(told.Items))
	}
}
