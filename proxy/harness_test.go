package proxy

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// patience bounds every wait of these tests; none of them depends on how long something takes.
const patience = 20 * time.Second

// gatekeeper is a hub in memory: it approves what approve says and keeps every report and record.
type gatekeeper struct {
	mu       sync.Mutex
	state    *control.State
	subs     []func(bool)
	approve  func(pin.Item) bool
	approved map[string][]pin.Digest
	schemas  map[pin.Digest]json.RawMessage // of approved definitions, as pinned
	away     bool
	reports  []control.Report
	records  []control.Record
	settings map[string]string
	tools    map[string]map[string]string // settings of single tools
	waiting  control.Waiting
	slow     chan struct{} // if set, Report waits for it
	held     []control.Held
	unkept   error         // the result of Hold
	holding  chan struct{} // if set, Hold waits for it
	takes    []control.Take
	taken    control.Taken // the result of Take
	calls    []control.Call
	// callAnswer is the result of Call
	callAnswer control.CallAnswer
	calling    chan struct{} // if set, Call waits for it
	came, said []control.Values
	knowing    chan struct{} // if set, Came waits for it
	taking     chan struct{} // if set, Take waits for it
	released   []control.Released
	excepted   []control.Exception
	rules      []byte
	ownTools   string // where the hub wants our tools listed

	guard        func(context.Context, control.Guard) (control.Guarded, error) // asks the providers; nil: the hub is away
	unseen       []control.Unseen
	shortened    [][]string     // of greetings
	eras         []control.Eras // as the session reported them
	knownEras    control.Eras   // as the hub knows them
	launch       *control.LaunchState
	interactions []control.Interaction
	asks         []control.Allowed

	tasks   []control.Task
	keeping chan struct{} // if set, KeepTask waits for it
	seeking chan struct{} // if set, KnownTasks waits for it
	sought  []string      // ids that KnownTasks was asked for
}

func newGatekeeper() *gatekeeper {
	g := &gatekeeper{approved: map[string][]pin.Digest{}, schemas: map[pin.Digest]json.RawMessage{}, settings: map[string]string{}, approve: func(pin.Item) bool { return false }}
	g.state = &control.State{Name: "weather", Items: map[string]control.ItemState{}}
	g.push()
	return g
}

func (g *gatekeeper) State() *control.State { g.mu.Lock(); defer g.mu.Unlock(); return g.state }

func (g *gatekeeper) Subscribe(f func(bool)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.subs = append(g.subs, f)
}

func (g *gatekeeper) Report(ctx context.Context, r control.Report) (*control.State, error) {
	g.mu.Lock()
	away, slow := g.away, g.slow
	g.mu.Unlock()
	if slow != nil {
		select {
		case <-slow:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if away {
		return nil, errors.New("no hub")
	}
	g.mu.Lock()
	g.reports = append(g.reports, r)
	for _, item := range r.Items {
		if g.approve(item) {
			g.approved[item.Key()] = []pin.Digest{item.Digest}
			if output := pin.OutputSchema(item.Raw); output != nil {
				g.schemas[item.Digest] = output
			}
		}
	}
	g.mu.Unlock()
	g.push()
	return g.State(), nil
}

func (g *gatekeeper) Record(r control.Record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.records = append(g.records, r)
}

func (g *gatekeeper) Attention(context.Context, string) (control.Waiting, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.away {
		return control.Waiting{}, errors.New("no hub")
	}
	return g.waiting, nil
}

func (g *gatekeeper) Hold(_ context.Context, h control.Held) (control.Kept, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unkept != nil {
		return control.Kept{}, g.unkept
	}
	g.held = append(g.held, h)
	g.waitFor(g.holding)
	if g.away {
		return control.Kept{}, nil
	}
	return control.Kept{Code: "HELD"}, nil
}

// waitFor is a hub that answers only once done is closed; nil: at once. g.mu is held before and after.
func (g *gatekeeper) waitFor(done <-chan struct{}) {
	if done != nil {
		g.mu.Unlock()
		<-done
		g.mu.Lock()
	}
}

func (g *gatekeeper) Take(_ context.Context, t control.Take) (control.Taken, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.away {
		return control.Taken{}, errors.New("no hub")
	}
	g.takes = append(g.takes, t)
	g.waitFor(g.taking)
	return g.taken, nil
}

// push rebuilds the state from what is approved and sends it to the session.
func (g *gatekeeper) Guard(ctx context.Context, q control.Guard) (control.Guarded, error) {
	g.mu.Lock()
	guard := g.guard
	g.mu.Unlock()
	if guard == nil {
		return control.Guarded{}, errors.New("the hub is away")
	}
	return guard(ctx, q)
}

func (g *gatekeeper) Unseen(u control.Unseen) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unseen = append(g.unseen, u)
}

func (g *gatekeeper) Shortened(s control.Shortened) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shortened = append(g.shortened, s.Members)
}

func (g *gatekeeper) Eras(e control.Eras) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.eras = append(g.eras, e)
}

func (g *gatekeeper) KeepTask(_ context.Context, t control.Task) error {
	g.mu.Lock()
	keeping, unkept := g.keeping, g.unkept
	g.mu.Unlock()
	if keeping != nil {
		<-keeping
	}
	if unkept != nil {
		return unkept
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tasks = append(g.tasks, t)
	return nil
}

func (g *gatekeeper) KnownTasks(_ context.Context, ids []string) (known []control.Task, _ error) {
	g.mu.Lock()
	seeking := g.seeking
	g.mu.Unlock()
	if seeking != nil {
		<-seeking
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sought = append(g.sought, ids...)
	if g.away {
		return nil, errors.New("no hub")
	}
	for _, t := range g.tasks {
		if slices.Contains(ids, t.ID) {
			known = append(known, t)
		}
	}
	return known, nil
}

func (g *gatekeeper) Interaction(_ context.Context, i control.Interaction) (control.Kept, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.away {
		return control.Kept{}, errors.New("no hub")
	}
	g.interactions = append(g.interactions, i)
	return control.Kept{Code: "NT3R"}, nil
}

func (g *gatekeeper) Came(_ context.Context, v ...control.Values) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.came = append(g.came, v...)
	if g.away {
		return errors.New("no hub")
	}
	g.waitFor(g.knowing)
	return nil
}

func (g *gatekeeper) Said(v control.Values) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.said = append(g.said, v)
}

func (g *gatekeeper) Call(_ context.Context, call control.Call) (control.CallAnswer, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.away {
		return control.CallAnswer{}, errors.New("no hub")
	}
	g.calls = append(g.calls, call)
	g.waitFor(g.calling)
	answer := g.callAnswer
	if answer.State == "" && call.Check == vocab.CheckFlow {
		answer.State = vocab.CallFree
	}
	if answer.State == vocab.CallGranted {
		g.callAnswer = control.CallAnswer{State: vocab.CallWaiting, Code: "NEXT"} // a grant is for one call
	}
	return answer, nil
}

// askedCalls are the calls that the hub was asked about.
func (g *gatekeeper) askedCalls() []control.Call {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.calls)
}

func (g *gatekeeper) push() {
	g.mu.Lock()
	next := &control.State{
		Revision: g.state.Revision + 1, Name: "weather", Open: len(g.approved) > 0, Blocked: g.state.Blocked,
		Items: map[string]control.ItemState{}, Settings: map[string]string{}, Tools: maps.Clone(g.tools),
	}
	next.OwnTools, next.Waiting = g.ownTools, len(g.waiting.Items)
	next.Released, next.Exceptions, next.Asks, next.Rules = g.released, g.excepted, g.asks, g.rules
	next.Launch = g.launch
	next.Eras, next.Flow = g.knownEras, flowKeys
	for k, v := range g.settings {
		next.Settings[k] = v
	}
	if len(g.reports) > 0 {
		for _, item := range g.reports[len(g.reports)-1].Items {
			key := item.Key()
			state := control.ItemState{State: "new", Code: "4F2A"}
			if len(g.approved[key]) > 0 {
				state = control.ItemState{State: "changed", Approved: g.approved[key], Code: "4F2A"}
				if g.approved[key][0] == item.Digest {
					state.State, state.Code = "approved", ""
				}
			}
			next.Items[key] = state
		}
	}
	for key, digests := range g.approved {
		if _, listed := next.Items[key]; !listed {
			next.Items[key] = control.ItemState{State: "removed", Approved: digests}
			if len(g.reports) == 0 {
				next.Items[key] = control.ItemState{State: "approved", Approved: digests}
			}
		}
	}
	for key, item := range next.Items {
		item.Schemas = map[pin.Digest]json.RawMessage{}
		for _, digest := range item.Approved {
			if output := g.schemas[digest]; output != nil {
				item.Schemas[digest] = output
			}
		}
		next.Items[key] = item
	}
	if !next.Open {
		next.Code, next.Kind = "4F2A", "new_server"
	} else {
		next.Kind = "changed"
	}
	g.state = next
	subs := g.subs
	g.mu.Unlock()
	for _, f := range subs {
		f(false)
	}
}

func (g *gatekeeper) set(change func(g *gatekeeper)) {
	g.mu.Lock()
	change(g)
	g.mu.Unlock()
	g.push()
}

func (g *gatekeeper) heldAnswers() []control.Held {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.held)
}

func (g *gatekeeper) lastTake() control.Take {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.takes) == 0 {
		return control.Take{}
	}
	return g.takes[len(g.takes)-1]
}

func (g *gatekeeper) reportCount() int { g.mu.Lock(); defer g.mu.Unlock(); return len(g.reports) }

func (g *gatekeeper) lastReport() control.Report {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.reports[len(g.reports)-1]
}

// found are the findings about the server as a whole in the last report.
func (g *gatekeeper) found() []inspect.Finding {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.reports) == 0 {
		return nil
	}
	return g.reports[len(g.reports)-1].Findings
}

func (g *gatekeeper) recorded(match func(control.Record) bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.records {
		if match(r) {
			return true
		}
	}
	return false
}

// server is the other end: it answers initialize and listings from what it declares, keeps every line it got, and leaves the rest to
// handle.
type server struct {
	t   testing.TB
	out *os.File

	mu           sync.Mutex
	lines        []string
	tools        []string
	prompts      []string
	templates    []string
	resources    []string
	instructions string
	capabilities string
	handle       func(line string) (answer string, handled bool)
	lists        map[string]int
	leaves       bool   // it exits when its input ends
	modern       bool   // it speaks the modern era too (modern_test.go)
	onlyModern   bool   // and nothing else
	speaks       string // the version that it answers initialize with, "" for 2025-06-18

	pages func(uri string, read int) (contents string) // of the nth read of a page, from 1; nil: it has none
}

func (s *server) write(line string) {
	if !strings.HasSuffix(line, "\n") {
		line += "\n"
	}
	io.WriteString(s.out, line)
}

func (s *server) got(part string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lines {
		if strings.Contains(l, part) {
			return true
		}
	}
	return false
}

// calls counts the calls of a tool that reached the server.
func (s *server) calls(tool string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, line := range s.lines {
		if strings.Contains(line, `"tools/call"`) && strings.Contains(line, `"name":"`+tool+`"`) {
			n++
		}
	}
	return n
}

func (s *server) listCount(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists[method]
}

func (s *server) declare(change func(s *server)) { s.mu.Lock(); defer s.mu.Unlock(); change(s) }

func (s *server) serve(in io.Reader) {
	r := frame.NewReader(in, 512<<20)
	for {
		line, err := r.Next()
		if err != nil {
			return
		}
		text := strings.TrimRight(string(line), "\n")
		s.mu.Lock()
		s.lines = append(s.lines, text)
		handle := s.handle
		s.mu.Unlock()
		if handle != nil {
			if answer, handled := handle(text); handled {
				if answer != "" {
					s.write(answer)
				}
				continue
			}
		}
		s.answer(text)
	}
}

func (s *server) answer(line string) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name, URI string }
	}
	if json.Unmarshal([]byte(line), &m) != nil || m.ID == nil {
		return
	}
	s.mu.Lock()
	if s.lists == nil {
		s.lists = map[string]int{}
	}
	s.lists[m.Method]++
	if s.modern && (s.onlyModern || strings.Contains(line, frame.ClaimKey)) {
		answer := s.answerModern(string(m.ID), m.Method, line)
		s.mu.Unlock()
		if answer != "" {
			s.write(answer)
		}
		return
	}
	array := func(member string, items []string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"%s":[%s]}}`, m.ID, member, strings.Join(items, ","))
	}
	var answer string
	switch m.Method {
	case "initialize":
		instructions := ""
		if s.instructions != "" {
			instructions = `,"instructions":` + s.instructions
		}
		answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"%s","capabilities":%s,"serverInfo":{"name":"s","version":"1"}%s}}`, m.ID, cmp.Or(s.speaks, "2025-06-18"), s.capabilities, instructions)
	case "tools/list":
		answer = array("tools", s.tools)
	case "prompts/list":
		answer = array("prompts", s.prompts)
	case "resources/templates/list":
		answer = array("resourceTemplates", s.templates)
	case "resources/list":
		answer = array("resources", s.resources)
	case "server/discover", "subscriptions/listen":
		answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID)
	case "ping", "logging/setLevel":
		answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	case "resources/read":
		if s.pages == nil || !pin.IsPage(m.Params.URI) {
			answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"contents":[{"uri":%q,"text":"ok"}]}}`, m.ID, m.Params.URI)
			break
		}
		s.lists[m.Params.URI]++
		answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"contents":%s}}`, m.ID, s.pages(m.Params.URI, s.lists[m.Params.URI]))
	default:
		text, _ := json.Marshal("ok " + m.Params.Name)
		answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, m.ID, text)
	}
	s.mu.Unlock()
	s.write(answer)
}

// rig is one session with both its ends.
type rig struct {
	t      testing.TB
	gate   *gatekeeper
	server *server
	in     *os.File // what the client writes
	lines  chan string
	s      *Session
	ended  chan Ended
	toUs   *os.File
	up     io.WriteCloser // what the session writes to the server
	began  version        // in which protocol version begin starts; "" is one of the legacy era
	parked bool           // the server is started only once the hub's state has no launch that is held
	notice func(sentence string)
	source func(io.Reader) frame.Source // of the server's messages, nil for lines
}

// slow returns late from Close, after the server that it ended has exited.
type slow struct{ io.WriteCloser }

func (s slow) Close() error {
	err := s.WriteCloser.Close()
	time.Sleep(50 * time.Millisecond)
	return err
}

const (
	echoTool = `{"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}`
	addTool  = `{"name":"add","description":"Adds.","inputSchema":{"type":"object"}}`
)

func approveAll(pin.Item) bool { return true }

func approveNone(pin.Item) bool { return false }

// newRig starts a session on real pipes. approve is what the hub approves of a first report.
func newRig(t testing.TB, approve func(pin.Item) bool, prepare ...func(*rig)) *rig {
	t.Helper()
	g := newGatekeeper()
	if approve != nil {
		g.approve = approve
	}
	pipe := func() (*os.File, *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close(); w.Close() })
		return r, w
	}
	clientOut, clientIn := pipe()
	toClient, sessionOut := pipe()
	toServer, sessionUp := pipe()
	serverOut, serverIn := pipe()
	r := &rig{t: t, gate: g, in: clientIn, lines: make(chan string, 100_000), ended: make(chan Ended, 1), toUs: toClient, up: sessionUp}
	r.server = &server{t: t, out: serverIn, tools: []string{echoTool, addTool}, capabilities: `{"tools":{}}`}
	for _, p := range prepare {
		p(r)
	}
	g.push()
	cfg := Config{FromClient: clientOut, ToClient: sessionOut, FromServer: serverOut, ToServer: r.up, Gate: g, Session: "s1", Notice: r.notice}
	if r.parked {
		cfg.FromServer, cfg.ToServer = nil, nil
		cfg.Start = func(context.Context) (io.Reader, io.WriteCloser, error) { return serverOut, r.up, nil }
	}
	r.s = New(cfg)
	if r.source != nil {
		r.s.serverReader = r.source(serverOut)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		r.server.serve(toServer)
		if r.server.leaves {
			serverIn.Close()
		}
	}()
	go func() {
		lines := frame.NewReader(toClient, 512<<20)
		for {
			line, err := lines.Next()
			if err != nil {
				close(r.lines)
				return
			}
			r.lines <- strings.TrimRight(string(line), "\n")
		}
	}()
	go func() { r.ended <- r.s.Run(ctx); sessionOut.Close() }()
	t.Cleanup(func() { // whatever the test is about
		g.recorded(func(rec control.Record) bool {
			if rec.Kind == vocab.RecordPolicyDecision && rec.Mode == "" {
				t.Errorf("a decision has no mode: %+v", rec)
			}
			return false
		})
	})
	return r
}

func (r *rig) send(lines ...string) {
	r.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(r.in, line+"\n"); err != nil {
			r.t.Fatal(err)
		}
	}
}

// next is the next line the client gets, whatever it is.
func (r *rig) next() string {
	r.t.Helper()
	select {
	case line, ok := <-r.lines:
		if !ok {
			r.t.Fatal("the session ended before it answered")
		}
		return line
	case <-time.After(patience):
		r.t.Fatal("no line came to the client")
	}
	return ""
}

// answerTo waits for the answer with this id, past notifications.
func (r *rig) answerTo(id string) string {
	r.t.Helper()
	for {
		line := r.next()
		var m struct{ ID json.RawMessage }
		if json.Unmarshal([]byte(line), &m) == nil && string(m.ID) == id {
			return line
		}
	}
}

// quiet proves that nothing else comes: the next line the client gets is the response to a ping.
func (r *rig) quiet(why string) {
	r.t.Helper()
	if r.s.eras.settled() == eraModern {
		r.send(`{"jsonrpc":"2.0","id":"quiet","method":"ping","params":{` + claims + `}}`)
		if line := r.next(); !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":"quiet",`) {
			r.t.Fatalf("%s, but the client got %s", why, line)
		}
		return
	}
	r.send(`{"jsonrpc":"2.0","id":"quiet","method":"ping"}`)
	if line := r.next(); line != `{"jsonrpc":"2.0","id":"quiet","result":{}}` {
		r.t.Fatalf("%s, but the client got %s", why, line)
	}
}

func (r *rig) initialize() string {
	r.t.Helper()
	r.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-ai","version":"1"}}}`)
	answer := r.answerTo("0")
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}

func (r *rig) call(id, tool string) string {
	r.t.Helper()
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":{}}}`, id, tool))
	return r.answerTo(id)
}

func (r *rig) tools(id string) []string {
	r.t.Helper()
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/list"}`, id))
	var m struct {
		Result struct{ Tools []struct{ Name string } }
	}
	line := r.answerTo(id)
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		r.t.Fatalf("%v in %s", err, line)
	}
	names := []string{}
	for _, tool := range m.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// eventually waits until a condition holds.
func (r *rig) eventually(what string, holds func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("never came true: %s", what)
		}
	}
}

// records waits for a record: the client may get its line before the record is written.
func (r *rig) records(what string, match func(control.Record) bool) {
	r.t.Helper()
	r.eventually("it is recorded: "+what, func() bool { return r.gate.recorded(match) })
}

func refused(line string) bool {
	return strings.Contains(line, "[Sallyport]") && (strings.Contains(line, `"isError":true`) || strings.Contains(line, `"code":4030`))
}

func jsonEqual(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	ax, _ := json.Marshal(x)
	by, _ := json.Marshal(y)
	return bytes.Equal(ax, by)
}
