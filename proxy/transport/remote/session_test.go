package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/frame"
)

// A server that forgets its session gets the client's handshake again, and the request goes back to the session, which looks at what the server
// declares before it sends it once more.
func TestAForgottenSessionIsBegunAnewAndTheRequestComesBack(t *testing.T) {
	var sessions, calls atomic.Int32
	got := &said{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := got.take(r)
		id := fmt.Sprintf("s%d", sessions.Load())
		switch {
		case r.Method == http.MethodGet:
			w.WriteHeader(405)
		case r.Method == http.MethodDelete:
		case methodIn(body) == "initialize":
			w.Header().Set("Mcp-Session-Id", fmt.Sprintf("s%d", sessions.Add(1)))
			inJSON(w, greeting)
		case r.Header.Get("Mcp-Session-Id") != id || sessions.Load() == 1 && methodIn(body) == "tools/call":
			w.WriteHeader(404)
		case methodIn(body) == "tools/call":
			calls.Add(1)
			inJSON(w, result)
		case methodIn(body) == "logging/setLevel":
			inJSON(w, `{"jsonrpc":"2.0","id":5,"result":{}}`)
		default:
			w.WriteHeader(202)
		}
	}))
	t.Cleanup(s.Close)
	to := greeted(t, s.URL)
	to.say(`{"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"debug"}}`)
	to.wants(`{"jsonrpc":"2.0","id":5,"result":{}}`)
	to.say(call)
	to.wants("again: " + call)
	if got := to.insist(call); got != result {
		t.Errorf("%s", got)
	}
	var methods []string
	for _, body := range got.bodies() {
		if m := methodIn(body); m != "" {
			methods = append(methods, m)
		}
	}
	want := []string{"initialize", "notifications/initialized", "logging/setLevel", "tools/call", "initialize", "notifications/initialized", "logging/setLevel", "tools/call"}
	if !slices.Equal(methods, want) || calls.Load() != 1 {
		t.Errorf("%d calls ran: %q", calls.Load(), methods)
	}
}

// Calls that are under way when a server forgets the session, or are written before the caller knows of the new one, all come back: none runs in a
// session that nobody has looked at.
func TestNoCallRunsInANewSessionBeforeTheCallerKnowsOfIt(t *testing.T) {
	const all = 20
	var session, calls atomic.Int32
	session.Store(1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body := string(raw)
		var m struct{ ID json.Number }
		_ = json.Unmarshal(raw, &m)
		id := fmt.Sprint(session.Load())
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(405)
		case methodIn(body) == "initialize":
			w.Header().Set("Mcp-Session-Id", id)
			inJSON(w, greeting)
		case methodIn(body) != "tools/call":
			w.WriteHeader(202)
		case r.Header.Get("Mcp-Session-Id") != id:
			w.WriteHeader(404)
		default:
			calls.Add(1)
			inJSON(w, strings.Replace(result, `"id":1`, `"id":`+m.ID.String(), 1))
		}
	}))
	t.Cleanup(s.Close)
	u, err := address.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	to := &talk{Open(Options{Address: u, Kind: Streamable, Plaintext: func() bool { return false }, Idle: func() time.Duration { return time.Minute }, Stray: func([]byte) {}}), t, make(chan arrival, 1024)}
	t.Cleanup(func() { to.Close() })
	to.say(initialize)
	if line, err := to.Next(); err != nil || strings.TrimSpace(string(line)) != greeting {
		t.Fatalf("%s, %v", line, err)
	}
	to.say(initialized)
	session.Add(1)
	call := func(n int) string { return strings.Replace(call, `"id":1`, fmt.Sprintf(`"id":%d`, n), 1) }
	for n := 1; n <= all; n++ {
		to.say(call(n))
	}
	back := map[string]bool{}
	for range all {
		_, err := to.Next()
		lost, ok := errors.AsType[*frame.Undelivered](err)
		if !ok || lost.Line == nil {
			t.Fatalf("%v", err)
		}
		back[string(lost.Line)] = true
	}
	if calls.Load() != 0 || len(back) != all {
		t.Errorf("%d calls ran, %d came back", calls.Load(), len(back))
	}
	go func() {
		for n := 1; n <= all; n++ {
			to.say(call(n))
		}
	}()
	for range all {
		if line, err := to.Next(); err != nil {
			t.Fatalf("%s, %v", line, err)
		}
	}
	if calls.Load() != all {
		t.Errorf("%d calls ran", calls.Load())
	}
}

func TestAServerThatForgetsEachSessionRunsNothing(t *testing.T) {
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request, body string) { w.WriteHeader(404) })
	s := greeted(t, address)
	s.say(call)
	s.wants("again: " + call)
	if got := s.insist(call); !strings.Contains(got, "forgets each session; the request was not run") {
		t.Errorf("%s", got)
	}
}

func TestTheEndComesSoonWhateverHangs(t *testing.T) {
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request, body string) { <-r.Context().Done() })
	s := greeted(t, address)
	s.say(call)
	begin := time.Now()
	s.Close()
	s.rest()
	if took := time.Since(begin); took > 2*lastCalls+time.Second {
		t.Errorf("it took %s", took)
	}
}
