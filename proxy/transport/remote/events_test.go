package remote

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

func TestAnEventOfSeveralLinesIsOneMessage(t *testing.T) {
	for name, stream := range map[string]string{
		"LF":           "event: message\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{}}\n\n",
		"CRLF":         ": a comment\r\ndata:{\"jsonrpc\":\"2.0\",\r\ndata: \"id\":1,\"result\":{}}\r\n\r\n",
		"CR":           "data:{\"jsonrpc\":\"2.0\",\rdata: \"id\":1,\"result\":{}}\r\r",
		"a mark first": "\xef\xbb\xbfdata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{}}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := server(t, func(w http.ResponseWriter, r *http.Request, body string) {
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				io.WriteString(w, stream)
			})
			s := greeted(t, address)
			s.say(call)
			s.wants(`{"jsonrpc":"2.0", "id":1,"result":{}}`)
		})
	}
}

func TestWhatComesBeforeTheResponseIsPassedOnAndResponsesToOthersAreNot(t *testing.T) {
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`
	asks := `{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{}}`
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request, body string) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\ndata: %s\n\ndata: %s\n\ndata: %s\n\n", progress, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`, asks, result)
	})
	s := greeted(t, address)
	s.say(call)
	s.wants(progress)
	s.wants(asks)
	s.wants(result)
}

func TestAStreamThatBreaksIsTakenUpWhereItBroke(t *testing.T) {
	var last atomic.Value
	var calls atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-Id") != "":
			last.Store(r.Header.Get("Last-Event-Id"))
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "id: e2\ndata: %s\n\n", result)
		case r.Method != http.MethodPost:
			w.WriteHeader(405)
		case methodIn(string(body)) == "initialize":
			inJSON(w, greeting)
		case methodIn(string(body)) == "tools/call":
			calls.Add(1)
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "retry: 1\nid: e1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n")
		default:
			w.WriteHeader(202)
		}
	}))
	t.Cleanup(s.Close)
	to := greeted(t, s.URL)
	to.say(call)
	to.wants(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
	to.wants(result)
	if last.Load() != "e1" || calls.Load() != 1 {
		t.Errorf("taken up at %v, %d calls", last.Load(), calls.Load())
	}
}
