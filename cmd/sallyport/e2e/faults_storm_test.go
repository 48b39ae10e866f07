//go:build linux

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "seed of what is random in the fault tests; 0 takes one from the clock and prints it")
	stormFlag = flag.Duration("storm", 6*time.Second, "how long the storm of kills lasts")
)

// chance is the randomness of one test. The seed determines the choices, but not when the system lets each process run.
func chance(t testing.TB) *rand.Rand {
	t.Helper()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("again with: go test ./cmd/sallyport/e2e -run '^%s$' -seed %d", t.Name(), seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// daemonsRule is left out if a test ends many servers, because killing these two takes two seconds.
const daemonsRule = `{"on":"start","steps":[{"daemons":"DAEMONS","hold":true},{"daemons":"DAEMONS"}]},
  `

// stormServer has three allowed tools and one that is never allowed. While the file DRIFT exists it declares something else, and announces it.
// It keeps that until it has been listed so, because no one sees a change that comes and goes between two listings. Text that must never get
// through says poison. Its two daemons resist being killed.
const stormServer = `{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"slow","inputSchema":{"type":"object"}},
  {"name":"toggle","inputSchema":{"type":"object"}},{"name":"fresh","inputSchema":{"type":"object"}}],
 "answers":{"echo":{"content":[{"type":"text","text":"again"}]},"toggle":{"content":[{"type":"text","text":"again"}]},"fresh":{"content":[{"type":"text","text":"poison"}]}},
 "faces":{"drifted":{"tools":[{"name":"echo","description":"Says it again, and more.","inputSchema":{"type":"object"}},{"name":"slow","inputSchema":{"type":"object"}},
    {"name":"toggle","inputSchema":{"type":"object"}},{"name":"fresh","inputSchema":{"type":"object"}}],
   "answers":{"echo":{"content":[{"type":"text","text":"poison"}]},"toggle":{"content":[{"type":"text","text":"again"}]},"fresh":{"content":[{"type":"text","text":"poison"}]}}}},
 "rules":[` + daemonsRule + `{"on":"tools/call slow","async":true,"steps":[{"sleep":"120ms"},{"send":"{\"jsonrpc\":\"2.0\",\"id\":${id},\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"again\"}]}}"}]},
  {"on":"file DRIFT","async":true,"steps":[{"put":"drifted","notify":"notifications/tools/list_changed"},{"wait":"answered tools/list as drifted"},
    {"wait":"gone DRIFT"},{"put":"first","notify":"notifications/tools/list_changed"}]}]}`

// answered marks the response of an allowed tool; refusals say "again" too.
const answered = `"text":"again"`

// storm is a home with clients, whose processes are killed at random.
type storm struct {
	*installation
	argv   []string // of the server
	drift  string
	began  time.Time
	random *rand.Rand

	mu       sync.Mutex
	kills    map[string]int
	wrong    []string
	sessions []*clientSession
	live     map[*clientSession]bool
}

func (w *storm) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.wrong) < 20 {
		w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
	}
}

// clientSession is one run of a client: its calls, and their results.
type clientSession struct {
	name   string
	mark   string
	cmd    *exec.Cmd
	killed map[string]time.Time // by victim: when it was last alive

	mu     sync.Mutex
	asked  map[int]time.Time // by id of the call: when it was written
	tools  map[int]string
	ok     int
	denied int
	failed int
}

// TestKilledAtRandomUnderLoad kills clients, wrappers, hubs and servers while calls run, and stops hubs for a while. The
// assertions are the invariants of docs/architecture.md.
func TestKilledAtRandomUnderLoad(t *testing.T) {
	dir := folder(t)
	w := &storm{installation: install(t), drift: filepath.Join(dir, "drift"), random: chance(t), began: time.Now(), kills: map[string]int{}, live: map[*clientSession]bool{}}
	w.argv = script(t, dir, "storm.json", strings.NewReplacer("DRIFT", w.drift, "DAEMONS", filepath.Join(dir, "daemons")).Replace(stormServer))
	first := launch(t, dir, environment(w.env()...), append(w.wrap(), w.argv...))
	first.handshake("2025-06-18")
	first.request("tools/list", `{}`)
	code := w.inbox()[0].Code
	if out, exit := w.run("approve", code, "--tool", "echo", "--tool", "slow", "--tool", "toggle", "--yes"); exit != 0 {
		t.Fatalf("approve: status %d: %s", exit, out)
	}
	first.hangUp(true)

	stop := make(chan struct{})
	var players, others sync.WaitGroup
	for n := range 3 {
		random := rand.New(rand.NewPCG(w.random.Uint64(), uint64(n)))
		players.Go(func() {
			for run := 0; !over(stop); run++ {
				w.play(dir, fmt.Sprintf("storm-%d-%d", n, run), random, stop)
			}
		})
	}
	decider := rand.New(rand.NewPCG(w.random.Uint64(), 77)) // before the killer uses the randomness too
	others.Go(func() { w.killing(stop) })
	decisions := 0
	others.Go(func() { decisions = w.deciding(decider, stop) })
	time.Sleep(*stormFlag) // the length of the storm; it waits for nothing
	close(stop)
	others.Wait()
	os.Remove(w.drift)
	players.Wait()

	w.person()
	wait(t, "every spool is taken over", func() bool {
		left, _ := filepath.Glob(filepath.Join(w.path, "spool", "*"))
		return len(left) == 0
	})
	wait(t, "nothing of any server is left", func() bool { return len(markedWith("E2E_STORM="+dir)) == 0 })
	w.tally(decisions)
	if out, exit := w.run("activity", "verify"); exit != 0 {
		t.Errorf("the chain: status %d: %s", exit, out)
	}
	for _, what := range w.wrong {
		t.Error(what)
	}
}

func over(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// play is one session of a client: bursts of calls until it has made enough, one of its processes is killed, or the storm ends.
func (w *storm) play(dir, name string, random *rand.Rand, stop <-chan struct{}) {
	s := &clientSession{name: name, mark: "E2E_STORM=" + dir + "/" + name, killed: map[string]time.Time{}, asked: map[int]time.Time{}, tools: map[int]string{}}
	argv := append([]string{sallyport(w.t), "wrap", "--client", name, "--"}, w.argv...)
	self, err := os.Executable()
	if err != nil {
		w.fault("%v", err)
		return
	}
	s.cmd = exec.Command(self, append([]string{"relay", "copy"}, argv...)...) // the client's process, which can be killed
	s.cmd.Dir, s.cmd.Env = dir, environment(append(w.env(), s.mark)...)
	alone(s.cmd)
	s.cmd.WaitDelay = time.Second
	in, err1 := s.cmd.StdinPipe()
	out, err2 := s.cmd.StdoutPipe()
	if err1 != nil || err2 != nil || s.cmd.Start() != nil {
		w.fault("a client cannot be started: %v, %v", err1, err2)
		return
	}
	answers := make(chan int, 1024)
	go w.listen(s, json.NewDecoder(out), answers)

	w.mu.Lock()
	w.sessions = append(w.sessions, s)
	w.live[s] = true
	w.mu.Unlock()
	ask := func(id int, method, params string) bool {
		_, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
		return err == nil
	}
	alive := ask(0, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"storm","version":"1"}}`) && w.await(s, answers, 1)
	if alive {
		_, err := fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		alive = err == nil
	}
	next := 1
	for bursts := 1 + random.IntN(60); alive && bursts > 0 && !over(stop); bursts-- {
		burst := 1 + random.IntN(20)
		for range burst {
			tool := "echo" // one call in thirty is slow, so that one is always under way
			if n := random.IntN(30); n < 9 {
				tool = []string{"slow", "toggle", "toggle", "toggle", "fresh", "fresh", "fresh", "fresh", "fresh"}[n]
			}

			s.mu.Lock()
			s.asked[next], s.tools[next] = time.Now(), tool
			s.mu.Unlock()
			alive = ask(next, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{}}`, tool))
			next++
		}
		alive = w.await(s, answers, burst) && alive
	}
	in.Close()
	for range answers { // until its output ends
	}
	ended := make(chan struct{})
	go func() { _ = s.cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience):
		w.fault("%s did not end within %s", name, patience)
		killGroup(s.cmd)
		<-ended
	}
	w.mu.Lock()
	delete(w.live, s)
	w.mu.Unlock()
	w.unanswered(s)
}

// await waits for this many responses; false means that the session is over.
func (w *storm) await(s *clientSession, answers <-chan int, n int) bool {
	silence := time.NewTimer(patience)
	defer silence.Stop()
	for range n {
		select {
		case _, ok := <-answers:
			if !ok {
				return false
			}
		case <-silence.C:
			w.fault("%s: no answer within %s, killed: %v", s.name, patience, s.killed)
			killGroup(s.cmd)
			return false
		}
	}
	return true
}

// listen reads what the client receives.
func (w *storm) listen(s *clientSession, lines *json.Decoder, answers chan<- int) {
	defer close(answers)
	for {
		var raw json.RawMessage
		if lines.Decode(&raw) != nil {
			return
		}
		line := string(raw)
		if strings.Contains(line, "poison") {
			w.fault("%s: something that nobody allowed came through: %s", s.name, line)
		}
		var e envelope
		if json.Unmarshal(raw, &e) != nil || e.Method != "" {
			continue
		}
		id, err := strconv.Atoi(string(e.ID))
		s.mu.Lock()
		_, open := s.asked[id]
		switch {
		case err != nil || id != 0 && !open:
			w.fault("%s: an answer to nothing, or the second one: %s", s.name, line)
		case id == 0:
		case strings.Contains(line, "sallyport/decision"):
			s.denied++
		case strings.Contains(line, answered):
			if s.ok++; s.tools[id] == "fresh" {
				w.fault("%s: a tool that nobody allowed answered: %s", s.name, line)
			}
		default:
			s.failed++
		}
		delete(s.asked, id)
		s.mu.Unlock()
		answers <- id
	}
}

// unanswered reports calls without a response that were made before any process of the session was killed. Calls to a killed wrapper or from a
// killed client have none, and later calls to a dying server may fail.
func (w *storm) unanswered(s *clientSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, gone := s.killed["wrapper"]; gone {
		return
	}
	if _, gone := s.killed["client"]; gone {
		return
	}
	server, gone := s.killed["server"]
	for id, at := range s.asked {
		// 5 ms: a request still in the pipe when its server dies came too late.
		if !gone || at.Add(5*time.Millisecond).Before(server) {
			w.fault("%s: call %d of %s has no answer; killed: %v", s.name, id, s.tools[id], s.killed)
		}
	}
}

// killing kills at random until the storm ends.
func (w *storm) killing(stop <-chan struct{}) {
	for !over(stop) {
		pause := time.Duration(20+w.random.IntN(280)) * time.Millisecond
		select {
		case <-stop:
			return
		case <-time.After(pause):
		}
		switch victim := []string{"hub", "hub", "hub stopped", "wrapper", "client", "server", "server", "drift"}[w.random.IntN(8)]; victim {
		case "hub", "hub stopped":
			hubs := w.hubs()
			if len(hubs) == 0 {
				continue
			}
			hub := hubs[w.random.IntN(len(hubs))]
			if victim == "hub" {
				syscall.Kill(hub, syscall.SIGKILL)
			} else {
				syscall.Kill(hub, syscall.SIGSTOP)
				time.Sleep(time.Duration(w.random.IntN(1500)) * time.Millisecond)
				syscall.Kill(hub, syscall.SIGCONT)
			}
			w.count(victim)
		case "drift":
			if os.Remove(w.drift) != nil {
				_ = os.WriteFile(w.drift, nil, 0o600)
			}
			w.count(victim)
		default:
			w.killOne(victim)
		}
	}
}

func (w *storm) count(what string) {
	w.mu.Lock()
	w.kills[what]++
	w.mu.Unlock()
}

// killOne kills the client, wrapper or server of a running session.
func (w *storm) killOne(victim string) {
	w.mu.Lock()
	live := make([]*clientSession, 0, len(w.live))
	for s := range w.live {
		live = append(live, s)
	}
	w.mu.Unlock()
	if len(live) == 0 {
		return
	}
	slices.SortFunc(live, func(a, b *clientSession) int { return strings.Compare(a.name, b.name) })
	s := live[w.random.IntN(len(live))]
	for _, pid := range marked(s.mark) {
		argv := commandLine(pid)
		is := len(argv) > 1 && (victim == "client" && argv[1] == "relay" || victim == "wrapper" && argv[1] == "wrap" || victim == "server" && argv[1] == "scripted")
		if !is {
			continue
		}
		s.mu.Lock()
		s.killed[victim] = time.Now()
		s.mu.Unlock()
		n, _ := strconv.Atoi(pid)
		if syscall.Kill(n, syscall.SIGKILL) == nil {
			w.count(victim)
		}
		return
	}
}

func commandLine(pid string) []string {
	raw, _ := os.ReadFile("/proc/" + pid + "/cmdline")
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
}

// markedWith are the processes with a variable that begins like this.
func markedWith(prefix string) (pids []string) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		raw, err := os.ReadFile(path)
		if err == nil && slices.ContainsFunc(strings.Split(string(raw), "\x00"), func(v string) bool { return strings.HasPrefix(v, prefix) }) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// hubs are the processes that are a hub of this home, or are becoming one.
func (h *installation) hubs() (pids []int) {
	for _, pid := range marked("SALLYPORT_HOME=" + h.path) {
		if argv := commandLine(pid); len(argv) > 1 && argv[0] == sallyport(h.t) && argv[1] == "hub" {
			n, _ := strconv.Atoi(pid)
			pids = append(pids, n)
		}
	}
	return pids
}

// person makes sure that a hub runs that takes decisions from the command line.
func (h *installation) person() {
	h.t.Helper()
	wait(h.t, "a person's hub runs", func() bool {
		out, _ := h.run("status", "--json")
		if strings.Contains(out, `"cli_approval":true`) {
			return true
		}
		cmd := exec.Command(sallyport(h.t), "hub", "--allow-cli-approval")
		cmd.Env = environment(h.env()...)
		if cmd.Start() == nil {
			gone := make(chan struct{})
			go func() { _ = cmd.Wait(); close(gone) }()
			h.t.Cleanup(func() { _ = cmd.Process.Kill(); <-gone })
			for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
				if out, _ := h.run("status", "--json"); strings.Contains(out, `"cli_approval":true`) {
					return true
				}
				if over(gone) {
					return false
				}
			}
		}
		return false
	})
}

// deciding allows and blocks one tool in turn. A decision that the command line acknowledged holds, whatever is killed next.
func (w *storm) deciding(random *rand.Rand, stop <-chan struct{}) (decisions int) {
	identity, code := "", ""
	want := "approved"
	for !over(stop) {
		w.person()
		state, id := w.toggled()
		if state == "" {
			continue
		}
		identity = id
		if want != "" && state != want {
			w.fault("a decision that was acknowledged is lost: %s instead of %s", state, want)
		}
		if state == "approved" {
			out, exit := w.run("block", identity, "--item", "tool:toggle", "--json")
			var blocked struct{ Code string }
			if want = ""; exit == 0 && json.Unmarshal([]byte(out), &blocked) == nil {
				want, code = "rejected", blocked.Code
				decisions++
			}
		} else {
			if code == "" || want == "" {
				for _, item := range w.inbox0() {
					if slices.ContainsFunc(item.Parts, func(p struct{ Item, State string }) bool { return p.Item == "tool:toggle" }) {
						code = item.Code
					}
				}
			}
			out, exit := w.run("approve", code, "--tool", "toggle", "--yes")
			switch want = ""; {
			case exit == 0:
				want = "approved"
				decisions++
			case strings.Contains(out, "changed since"):
			}
			code = ""
		}
		select {
		case <-stop:
		case <-time.After(time.Duration(random.IntN(150)) * time.Millisecond):
		}
	}
	return decisions
}

// inbox0 is the inbox, empty if no hub answers.
func (h *installation) inbox0() []struct {
	Code  string
	Parts []struct{ Item, State string }
} {
	out, _ := h.run("inbox", "--json")
	var list struct {
		Items []struct {
			Code  string
			Parts []struct{ Item, State string }
		}
	}
	_ = json.Unmarshal([]byte(out), &list)
	return list.Items
}

// toggled is the state of the tool that deciding decides on, "" if no hub answers.
func (w *storm) toggled() (state, identity string) {
	out, exit := w.run("servers", "--json")
	var list struct {
		Items []struct {
			Identity string
			Items    []struct{ Item, State string }
		}
	}
	if json.Unmarshal([]byte(out), &list) != nil || exit != 0 {
		return "", ""
	}
	for _, server := range list.Items {
		for _, item := range server.Items {
			if item.Item == "tool:toggle" {
				return item.State, server.Identity
			}
		}
	}
	return "", ""
}

// activityRecord is a line of an export.
type activityRecord struct {
	ID, Kind, Client, Status string
	Detail                   recordDetail
}

// timeline is the whole timeline.
func (h *installation) timeline() (records []activityRecord) {
	h.t.Helper()
	out, exit := h.run("activity", "export", "--format", "jsonl")
	if exit != 0 {
		h.t.Fatalf("export: status %d: %s", exit, out)
	}
	for line := range strings.Lines(out) {
		var r activityRecord
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			h.t.Fatalf("export: %v: %s", err, line)
		}
		records = append(records, r)
	}
	return records
}

// tally compares what the clients saw with the timeline: each call is there exactly once, or at most once if its wrapper was killed.
func (w *storm) tally(decisions int) {
	t := w.t
	t.Helper()
	type counts struct{ ok, denied int }
	recorded := map[string]*counts{}
	ids := map[string]bool{}
	total := 0
	for _, r := range w.timeline() {
		if ids[r.ID] {
			t.Errorf("record %s is there twice", r.ID)
		}
		ids[r.ID] = true
		if r.Kind != "tool_call" {
			continue
		}
		c := recorded[r.Client]
		if c == nil {
			c = &counts{}
			recorded[r.Client] = c
		}
		total++
		switch r.Status {
		case "ok":
			c.ok++
		case "blocked":
			c.denied++
		}
	}
	calls, lost, lostFrom, answered := 0, 0, 0, 0
	for _, s := range w.sessions {
		got := recorded[s.name]
		if got == nil {
			got = &counts{}
		}
		issued := s.ok + s.denied + s.failed + len(s.asked)
		calls, answered = calls+issued, answered+s.ok+s.denied+s.failed
		_, wrapper := s.killed["wrapper"]
		_, client := s.killed["client"]
		switch missing := max(0, s.ok-got.ok) + max(0, s.denied-got.denied); {
		case got.ok+got.denied > issued:
			t.Errorf("%s: %d calls, %d records", s.name, issued, got.ok+got.denied)
		case wrapper && missing > 0:
			lost, lostFrom = lost+missing, lostFrom+1
		case missing > 0:
			t.Errorf("%s: %d answers and %d refusals, in the timeline %d and %d; killed: %v", s.name, s.ok, s.denied, got.ok, got.denied, s.killed)
		case !wrapper && !client && len(s.killed) == 0 && (got.ok != s.ok || got.denied != s.denied):
			t.Errorf("%s, where nothing was killed: %d answers and %d refusals, in the timeline %d and %d", s.name, s.ok, s.denied, got.ok, got.denied)
		}
	}
	if calls < 50 || total < 50 {
		t.Errorf("%d calls, %d records: that was no load", calls, total)
	}
	t.Logf("%s: killed %v; %d sessions, %d calls, %d answered, %d records, %d decisions; records that wrappers took with them when they were killed: %d, of %d wrappers",
		time.Since(w.began).Round(time.Second), w.kills, len(w.sessions), calls, answered, total, decisions, lost, lostFrom)
}
