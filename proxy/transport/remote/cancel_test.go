package remote

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// The request's connection is slow to be made: a cancellation that did not wait for it would be there first.
func TestACancellationFollowsItsRequest(t *testing.T) {
	cancelled := make(chan struct{})
	address, got := server(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if methodIn(body) == "tools/call" {
			<-cancelled
			inJSON(w, result)
			return
		}
		close(cancelled)
		w.WriteHeader(202)
	})
	s := greeted(t, address)
	for len(got.bodies()) < 3 { // with the stream that was asked for
		time.Sleep(time.Millisecond)
	}
	s.http.CloseIdleConnections()
	transport := s.http.Transport.(*http.Transport)
	dial, dials := transport.DialContext, new(atomic.Int32)
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) == 1 {
			time.Sleep(200 * time.Millisecond)
		}
		return dial(ctx, network, address)
	}
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	s.say(call, cancel)
	s.wants(result)
	if bodies := got.bodies(); slices.Index(bodies, call) > slices.Index(bodies, cancel) {
		t.Errorf("%q", bodies)
	}
}

func TestInTheModernEraACancellationClosesTheStream(t *testing.T) {
	closed := make(chan struct{})
	begun := make(chan struct{})
	address, got := server(t, func(w http.ResponseWriter, r *http.Request, body string) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		close(begun)
		<-r.Context().Done()
		close(closed)
	})
	s := open(t, address, nil)
	s.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	<-begun
	s.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	select {
	case <-closed:
	case <-time.After(patience):
		t.Error("the stream stayed open")
	}
	if bodies := got.bodies(); len(bodies) != 1 {
		t.Errorf("%q", bodies)
	}
}
