package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestACallWhoseConnectionBreaksIsSentOnce(t *testing.T) {
	var calls atomic.Int32
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request, body string) {
		calls.Add(1)
		conn, _, _ := w.(http.Hijacker).Hijack()
		conn.Close()
	})
	s := greeted(t, address)
	for id := range 30 {
		s.say(strings.Replace(call, `"id":1`, fmt.Sprintf(`"id":%d`, id+10), 1))
		s.wantsError("broke; the request may have run")
	}
	if calls.Load() != 30 {
		t.Errorf("%d calls", calls.Load())
	}
}

// Two hundred calls, each of which meets a connection that breaks before, during or after the response, or a forgotten session: each runs once, and
// each gets one response or one error.
func TestWhateverBreaksACallRunsOnceAndGetsOneResponse(t *testing.T) {
	const all = 200
	var mu sync.Mutex
	ran := map[string]int{}
	session := 1
	lost := map[string]bool{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body := string(raw)
		var m struct{ ID json.Number }
		_ = json.Unmarshal(raw, &m)
		id, _ := m.ID.Int64()
		whole := strings.Replace(result, `"id":1`, `"id":`+m.ID.String(), 1)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-Id") != "":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n", strings.Replace(result, `"id":1`, `"id":`+r.Header.Get("Last-Event-Id"), 1))
		case r.Method != http.MethodPost:
			w.WriteHeader(405)
		case methodIn(body) == "initialize":
			w.Header().Set("Mcp-Session-Id", fmt.Sprint(session))
			inJSON(w, greeting)
		case methodIn(body) != "tools/call":
			w.WriteHeader(202)
		case r.Header.Get("Mcp-Session-Id") != fmt.Sprint(session):
			w.WriteHeader(404)
		case id%5 == 4 && !lost[m.ID.String()]:
			lost[m.ID.String()] = true
			session++
			w.WriteHeader(404)
		default:
			ran[m.ID.String()]++
			switch id % 5 {
			case 0: // before the response
				conn, _, _ := w.(http.Hijacker).Hijack()
				conn.Close()
			case 1: // in the middle of it
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
				io.WriteString(w, whole[:len(whole)/2])
			case 2: // in the middle of a stream whose events are numbered
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprintf(w, "retry: 1\nid: %s\ndata:\n\ndata: {\"half\":", m.ID)
			default:
				w.Header().Set("Connection", "close")
				inJSON(w, whole)
			}
		}
	}))
	t.Cleanup(s.Close)
	to := greeted(t, s.URL)
	for n := 1; n <= all; n++ {
		line := strings.Replace(call, `"id":1`, fmt.Sprintf(`"id":%d`, n), 1)
		got := to.insist(line)
		if isError := strings.HasPrefix(got, fmt.Sprintf("error %d: ", n)); isError != (n%5 < 2) || !isError && got != strings.Replace(result, `"id":1`, fmt.Sprintf(`"id":%d`, n), 1) {
			t.Fatalf("call %d: %s", n, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for n := 1; n <= all; n++ {
		if ran[fmt.Sprint(n)] != 1 {
			t.Errorf("call %d ran %d times", n, ran[fmt.Sprint(n)])
		}
	}
}

func TestAServerThatIsAwayIsNamedAndTheNextRequestTriesAnew(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	l.Close()
	s := open(t, address, func(o *Options) { o.Kind = Auto })
	s.say(initialize)
	s.wantsError("127.0.0.1 refused the connection")
	again, err := net.Listen("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Skip("the port was taken meanwhile")
	}
	back := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inJSON(w, greeting) })}
	go back.Serve(again)
	t.Cleanup(func() { back.Close() })
	s.say(initialize)
	s.wants(greeting)
}

// A request that gets not a byte in time says that the server is away, unless the server says something else meanwhile: then it is only slow.
func TestAServerIsAwayThatSaysNothingAtAllAndNotOneThatIsSlow(t *testing.T) {
	slow := strings.Replace(call, `"id":1`, `"id":2`, 1)
	for _, c := range []struct {
		name   string
		other  func(s *talk)                                // while the call goes without a byte
		stream func(w http.ResponseWriter, r *http.Request) // what the server has to say unasked
		away   bool
	}{
		{"nothing else is asked", func(*talk) {}, nil, true},
		{"another request gets its response", func(s *talk) {
			s.say(call)
			s.wants(result)
		}, nil, false},
		{"its stream says that it is there", func(*talk) {}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				io.WriteString(w, ": here\n\n")
				w.(http.Flusher).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan bool, 1)
			there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				raw, _ := io.ReadAll(r.Body)
				switch body := string(raw); {
				case r.Method == http.MethodGet && c.stream != nil:
					c.stream(w, r)
				case r.Method != http.MethodPost:
					w.WriteHeader(http.StatusMethodNotAllowed)
				case methodIn(body) == "initialize":
					inJSON(w, greeting)
				case methodIn(body) != "tools/call":
					w.WriteHeader(http.StatusAccepted)
				case strings.Contains(body, `"id":2`):
					asked <- true
					<-r.Context().Done()
				default:
					inJSON(w, result)
				}
			}))
			t.Cleanup(there.Close)
			t.Cleanup(there.CloseClientConnections)
			var mu sync.Mutex
			var told []string
			s := open(t, there.URL, func(o *Options) {
				o.Idle = func() time.Duration { return time.Second }
				o.Away = func(why string) {
					mu.Lock()
					defer mu.Unlock()
					told = append(told, why)
				}
			})
			s.say(initialize)
			s.wants(greeting)
			s.say(initialized)
			for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
				mu.Lock()
				n := len(told)
				mu.Unlock()
				if n == 3 { // the handshake is over, and the stream was asked for
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("Away was told %q", told)
				}
			}
			s.say(slow)
			<-asked
			c.other(s)
			s.wantsError("127.0.0.1 sent nothing for 1s; the request may have run")
			mu.Lock()
			isAway := slices.Contains(told, "127.0.0.1 sent nothing for 1s")
			mu.Unlock()
			if isAway != c.away {
				t.Errorf("Away was told %q", told)
			}
			s.say(call)
			s.wants(result)
			mu.Lock()
			defer mu.Unlock()
			if told[len(told)-1] != "" {
				t.Errorf("once it responds, Away was told %q", told)
			}
		})
	}
}
