package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long to wait for something that must happen; only a failure takes that long.
const patience = 2 * time.Minute

// envelope is the part of a line that tells a client what it is.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// entry is one line from the server, with the method of the request it answers ("" if it answers none).
type entry struct {
	answers string
	line    string
}

// session is a client on raw lines. It answers the server's requests, and records what the server says.
type session struct {
	t     testing.TB
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.Closer
	lines chan string
	errs  *tail
	exit  error // how the process ended, once ended is closed
	ended chan struct{}

	entries []entry
	open    map[string]string // method by id of requests in flight
	replies map[string]string // members of answers to the server's requests, by method; replies of the package for all others
	nextID  int
}

// launch starts a command as a client would: its own process group, killed whole when the test ends.
func launch(t testing.TB, dir string, env, argv []string) *session {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	alone(cmd)
	s := &session{t: t, cmd: cmd, lines: make(chan string, 4096), errs: new(tail), ended: make(chan struct{}), open: map[string]string{}}
	cmd.Stderr = s.errs
	// A grandchild that keeps stderr open must not keep the test waiting.
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.in, s.out = in, out
	go func() {
		lines := bufio.NewReaderSize(out, 1<<16)
		for {
			line, err := lines.ReadString('\n')
			if line != "" {
				s.lines <- line
			}
			if err != nil {
				break
			}
		}
		close(s.lines)
		s.exit = cmd.Wait() // only after its output has been read
		close(s.ended)
	}()
	t.Cleanup(func() {
		select {
		case <-s.ended: // its number can belong to another process by now
		default:
			killGroup(cmd)
		}
		s.in.Close()
		for range s.lines { // unblocks the reader
		}
		<-s.ended
		if t.Failed() && s.errs.String() != "" {
			t.Logf("stderr of %s:\n%s", strings.Join(argv, " "), s.errs)
		}
	})
	return s
}

// write sends bytes as they are, with a line feed.
func (s *session) write(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("write to server: %v", err)
	}
}

// start sends a request with the caller's id and does not wait.
func (s *session) start(id, method, params string) {
	s.t.Helper()
	s.open[id] = method
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
}

// request sends a request and waits for its answer.
func (s *session) request(method, params string) string {
	s.t.Helper()
	s.nextID++
	id := strconv.Itoa(s.nextID)
	s.start(id, method, params)
	return s.answer(id)
}

func (s *session) call(tool, arguments string) string {
	s.t.Helper()
	return s.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
}

func (s *session) notify(method, params string) {
	s.t.Helper()
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// answer waits for the answer to a request that was started.
func (s *session) answer(id string) string {
	s.t.Helper()
	return s.until("the answer to request "+id, func(e envelope, _ string) bool { return e.Method == "" && string(e.ID) == id })
}

// heard waits until a line with the mark has come, now or before.
func (s *session) heard(mark string) {
	s.t.Helper()
	for _, e := range s.entries {
		if strings.Contains(e.line, mark) {
			return
		}
	}
	s.until(mark, func(_ envelope, line string) bool { return strings.Contains(line, mark) })
}

// until reads lines up to the wanted one, and returns that.
func (s *session) until(what string, is func(envelope, string) bool) string {
	s.t.Helper()
	wait := patience
	if broken, breakable := s.t.(*lenient); breakable {
		wait = broken.patience
	}
	deadline := time.After(wait)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("the server ended before %s came", what)
			}
			if e := s.take(line); is(e, line) {
				return line
			}
		case <-deadline:
			s.t.Fatalf("%s did not come within %s", what, wait)
		}
	}
}

// replies are the responses of the person and the model behind the client, by method of the server's request.
var replies = map[string]string{
	"ping":                   `{}`,
	"roots/list":             `{"roots":[{"uri":"file:///srv/one","name":"One"},{"uri":"file:///srv/two"}]}`,
	"sampling/createMessage": `{"role":"assistant","content":{"type":"text","text":"a <sampled> & answer \u00e9"},"model":"test-model","stopReason":"endTurn"}`,
	"elicitation/create":     `{"action":"accept","content":{"name":"Ada","check":true,"integer":7}}`,
}

// take records a line and answers it if it is a request.
func (s *session) take(line string) envelope {
	s.t.Helper()
	var e envelope
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		s.t.Fatalf("a line that is no message: %q", line)
	}
	record := entry{line: line}
	switch {
	case e.Method == "":
		record.answers = s.open[string(e.ID)]
		delete(s.open, string(e.ID))
	case e.ID != nil:
		reply, ok := s.replies[e.Method]
		if !ok {
			if reply, ok = replies[e.Method]; !ok {
				s.t.Fatalf("a request that no reply is known for: %s", line)
			}
			reply = `"result":` + reply
		}
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, e.ID, reply))
	}
	s.entries = append(s.entries, record)
	return e
}

// abilities are what the raw client says it can do.
const abilities = `{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{},"url":{}}}`

// open does the handshake with which every play begins.
func (s *session) handshake(protocol string) string {
	s.t.Helper()
	answer := s.request("initialize", fmt.Sprintf(
		`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"raw","version":"1.0"}}`, protocol, abilities))
	s.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}

// hangUp closes the server's input. A server that stays is killed, which does not matter here; a wrapper must end by itself with 0.
func (s *session) hangUp(mustExit bool) {
	s.t.Helper()
	s.in.Close()
	go func() {
		for range s.lines { // no one needs what is left
		}
	}()
	wait := time.Second
	if mustExit {
		wait = patience
	}
	select {
	case <-s.ended:
		if mustExit && s.exit != nil {
			s.t.Errorf("the wrapper ended with %v after the end of its input", s.exit)
		}
	case <-time.After(wait):
		killGroup(s.cmd)
		if mustExit {
			s.t.Errorf("the wrapper is still there %s after the end of its input", wait)
		}
	}
}

// environment is the test's own, without variables that lead to another hub.
func environment(more ...string) []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SALLYPORT_") {
			env = append(env, v)
		}
	}
	return append(env, more...)
}

// tail keeps the last 8 KiB of a stream.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(p)
	if over := t.buf.Len() - 8<<10; over > 0 {
		t.buf.Next(over)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}

// modernClaims is what each request of the modern era says about itself.
const modernClaims = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
