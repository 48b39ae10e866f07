package proxy

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// patience bounds every wait of these tests; none of them depends on how long something takes.
const patience = 20 * time.Second

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
	t          testing.TB
	gate       *gatekeeper
	server     *server
	in         *os.File // what the client writes
	lines      chan string
	s          *Session
	ended      chan Ended
	toUs       *os.File
	up         io.WriteCloser // what the session writes to the server
	began      version        // in which protocol version begin starts; "" is one of the legacy era
	parked     bool           // the server is started only once the hub's state has no launch that is held
	notice     func(sentence string)
	uncallable func(definition []byte) string // Config.Uncallable

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
	cfg := Config{FromClient: clientOut, ToClient: sessionOut, FromServer: serverOut, ToServer: r.up, Gate: g, Session: "s1", Notice: r.notice, Uncallable: r.uncallable}
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
