package remote

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
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
