package remote

import (
	"net/http"
	"testing"
)

func TestEachHeaderIsSentWhereItBelongs(t *testing.T) {
	address, got := server(t, func(w http.ResponseWriter, r *http.Request, body string) { inJSON(w, result) })
	s := open(t, address, func(o *Options) { o.Headers = http.Header{"X-Key": {"k"}} })
	s.say(initialize)
	s.wants(greeting)
	s.say(initialized, call)
	s.wants(result)
	s.Close()
	s.rest()
	got.mu.Lock()
	defer got.mu.Unlock()
	deleted := false
	for i, r := range got.all {
		session, version := r.Header.Get("Mcp-Session-Id"), r.Header.Get("Mcp-Protocol-Version")
		if first := methodIn(got.was[i]) == "initialize"; first != (session == "") || first != (version == "") {
			t.Errorf("%s %s: session %q, version %q", r.Method, got.was[i], session, version)
		}
		if r.Header.Get("X-Key") != "k" || r.Header.Get("Origin") != "" || r.Header.Get("Cookie") != "" {
			t.Errorf("%s: %v", r.Method, r.Header)
		}
		deleted = deleted || r.Method == http.MethodDelete && session == "s1"
	}
	if !deleted {
		t.Error("the server was not told that the session ended")
	}
}

func TestInTheModernEraHeadersRepeatWhatIsCalled(t *testing.T) {
	address, got := server(t, func(w http.ResponseWriter, r *http.Request, body string) { inJSON(w, result) })
	s := open(t, address, func(o *Options) { o.Kind = Auto })
	s.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"größe","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	s.wants(result)
	got.mu.Lock()
	defer got.mu.Unlock()
	h := got.all[0].Header
	if h.Get("Mcp-Protocol-Version") != "2026-07-28" || h.Get("Mcp-Method") != "tools/call" || h.Get("Mcp-Name") != "=?base64?Z3LDtsOfZQ==?=" || h.Get("Mcp-Session-Id") != "" {
		t.Errorf("%v", h)
	}
}
