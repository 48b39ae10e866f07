package remote

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
)

// older is a server of the older transport: a stream, and messages that are posted to the address it names. drop ends its stream.
func older(t *testing.T) (address string, drop func(), got *said) {
	got = &said{}
	var mu sync.Mutex
	var out chan string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sse", func(w http.ResponseWriter, r *http.Request) {
		mine := make(chan string, 16)
		mu.Lock()
		out = mine
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "event: endpoint\ndata: /messages?s=1\n\n")
		w.(http.Flusher).Flush()
		for {
			select {
			case line, ok := <-mine:
				if !ok {
					return
				}
				fmt.Fprintf(w, "event: message\ndata: %s\n\n", line)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	})
	mux.HandleFunc("POST /messages", func(w http.ResponseWriter, r *http.Request) {
		body := got.take(r)
		w.WriteHeader(202)
		mu.Lock()
		defer mu.Unlock()
		switch methodIn(body) {
		case "initialize":
			out <- greeting
		case "tools/call":
			out <- result
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	return s.URL + "/sse", func() {
		mu.Lock()
		defer mu.Unlock()
		close(out)
	}, got
}

func TestTheOlderTransportIsFoundAndSpoken(t *testing.T) {
	for _, kind := range []Kind{Auto, Events} {
		address, drop, got := older(t)
		s := open(t, address, func(o *Options) { o.Kind = kind })
		s.say(initialize)
		s.wants(greeting)
		s.say(initialized, call)
		s.wants(result)
		drop()
		for s.hasStream() {
			time.Sleep(time.Millisecond)
		}
		s.say(strings.Replace(call, `"id":1`, `"id":1.0`, 1))
		s.wants("again: " + strings.Replace(call, `"id":1`, `"id":1.0`, 1))
		if got := s.insist(call); got != result {
			t.Errorf("%s", got)
		}
		var methods []string
		for _, body := range got.bodies() {
			methods = append(methods, methodIn(body))
		}
		if want := []string{"initialize", "notifications/initialized", "tools/call", "initialize", "notifications/initialized", "tools/call"}; !slices.Equal(methods, want) {
			t.Errorf("%s: %q", kind, methods)
		}
	}
}

func (s *talk) hasStream() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stream != nil
}

// How a server is spoken to is judged once it is found out: before that, the client gets nothing of it, and nothing is posted over the older transport.
func TestAWayThatIsNotAllowedIsNotSpoken(t *testing.T) {
	for _, kind := range []Kind{Streamable, Events} {
		t.Run(string(kind), func(t *testing.T) {
			var posts, asked atomic.Int32
			responses := make(chan string, 1)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case kind == Streamable && r.Method == http.MethodPost:
					posts.Add(1)
					inJSON(w, greeting)
				case kind == Events && r.Method == http.MethodGet:
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprint(w, "event: endpoint\ndata: /post\n\n")
					w.(http.Flusher).Flush()
					select {
					case line := <-responses:
						fmt.Fprintf(w, "data: %s\n\n", line)
						w.(http.Flusher).Flush()
						<-r.Context().Done()
					case <-r.Context().Done():
					}
				case r.URL.Path == "/post":
					posts.Add(1)
					w.WriteHeader(202)
					responses <- greeting
				default:
					w.WriteHeader(405)
				}
			}))
			t.Cleanup(s.Close)
			to := open(t, s.URL, func(o *Options) {
				o.Kind = Auto
				o.Speaks = func(found Kind) error {
					if found != kind {
						t.Errorf("it is spoken to over %s", found)
					}
					if asked.Add(1) == 1 {
						return address.Refused("not in this way")
					}
					return nil
				}
			})
			to.say(initialize)
			to.wantsError("not in this way")
			if kind == Events && posts.Load() > 0 {
				t.Error("something was posted")
			}
			to.say(initialize)
			to.wants(greeting)
			if asked.Load() != 2 {
				t.Errorf("it was judged %d times", asked.Load())
			}
		})
	}
}
