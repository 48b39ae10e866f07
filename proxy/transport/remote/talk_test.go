package remote

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/frame"
)

// patience bounds every wait; no test depends on how long something takes.
const patience = 20 * time.Second

// talk is a session with a server. It reads all the time, as a session does.
type talk struct {
	*Server
	t    *testing.T
	came chan arrival
}

type arrival struct {
	line string
	err  error
}

func open(t *testing.T, at string, change func(*Options)) *talk {
	t.Helper()
	u, err := address.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Address: u, Kind: Streamable, Plaintext: func() bool { return false }, Idle: func() time.Duration { return time.Minute },
		Stray: func(text []byte) { t.Logf("stray: %.200s", text) },
	}
	if change != nil {
		change(&o)
	}
	s := &talk{Open(o), t, make(chan arrival, 1024)}
	go func() {
		for {
			line, err := s.Next()
			s.came <- arrival{string(line), err}
			if err == io.EOF {
				close(s.came)
				return
			}
		}
	}()
	t.Cleanup(func() { s.Close(); s.rest() })
	return s
}

func (s *talk) say(lines ...string) {
	s.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(s.Server, line+"\n"); err != nil {
			s.t.Fatal(err)
		}
	}
}

// next is the next message, or the words of the error in place of one.
func (s *talk) next() string {
	s.t.Helper()
	select {
	case g := <-s.came:
		if lost, ok := errors.AsType[*frame.Undelivered](g.err); ok {
			if lost.Line != nil {
				return "again: " + strings.TrimSpace(string(lost.Line))
			}
			return "error " + string(lost.ID) + ": " + lost.Why
		}
		if g.err != nil {
			return g.err.Error()
		}
		return strings.TrimSuffix(g.line, "\n")
	case <-time.After(patience):
		s.t.Fatal("nothing came")
		return ""
	}
}

// insist says a request until it does not come back, and returns what came instead.
func (s *talk) insist(line string) (came string) {
	s.t.Helper()
	for range 1000 {
		s.say(line)
		if came = s.next(); came != "again: "+line {
			return came
		}
	}
	s.t.Fatal("it always comes back")
	return ""
}

// rest waits for the end of the session.
func (s *talk) rest() {
	for over := time.After(patience); ; {
		select {
		case _, ok := <-s.came:
			if !ok {
				return
			}
		case <-over:
			s.t.Error("the session did not end")
			return
		}
	}
}

func (s *talk) wants(want string) {
	s.t.Helper()
	if got := s.next(); got != want {
		s.t.Errorf("got  %.400s\nwant %.400s", got, want)
	}
}

func (s *talk) wantsError(words ...string) {
	s.t.Helper()
	got := s.next()
	for _, w := range append([]string{"error"}, words...) {
		if !strings.Contains(got, w) {
			s.t.Errorf("got %.400s, without %q", got, w)
		}
	}
}

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	greeting    = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	call        = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}`
	result      = `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
)

// said are the requests that a server got.
type said struct {
	mu  sync.Mutex
	all []*http.Request
	was []string
}

func (s *said) take(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all, s.was = append(s.all, r), append(s.was, string(body))
	return string(body)
}

func (s *said) bodies() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.was)
}

func methodIn(body string) string {
	var m struct{ Method string }
	_ = json.Unmarshal([]byte(body), &m)
	return m.Method
}

func inJSON(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, body)
}

// server serves over streamable HTTP: a handshake, and other for the rest.
func server(t *testing.T, other func(w http.ResponseWriter, r *http.Request, body string)) (address string, got *said) {
	got = &said{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := got.take(r)
		switch {
		case r.Method == http.MethodGet:
			http.Error(w, "no stream", http.StatusMethodNotAllowed)
		case r.Method == http.MethodDelete:
		case methodIn(body) == "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			inJSON(w, greeting)
		case methodIn(body) == "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		default:
			other(w, r, body)
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	return s.URL, got
}

func greeted(t *testing.T, address string) *talk {
	t.Helper()
	s := open(t, address, nil)
	s.say(initialize)
	s.wants(greeting)
	s.say(initialized)
	return s
}
