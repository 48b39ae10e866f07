package proxy

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

// listen opens a stream of notifications, and returns what the client hears first.
func (r *rig) listen(id, filter string) string {
	r.t.Helper()
	r.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":{` + filter + `},` + claims + `}}`)
	return r.next()
}

// ourStream is the id of our own stream whose filter has a part.
func (r *rig) ourStream(part string) (id string) {
	r.t.Helper()
	r.eventually("our own stream is open", func() bool {
		r.server.mu.Lock()
		defer r.server.mu.Unlock()
		for _, line := range r.server.lines {
			if strings.Contains(line, "subscriptions/listen") && strings.Contains(line, part) {
				var m struct{ ID json.RawMessage }
				_ = json.Unmarshal([]byte(line), &m)
				id = string(m.ID)
			}
		}
		return id != ""
	})
	return id
}

func TestStreamsOfNotifications(t *testing.T) {
	ack := func(id, filter string) string {
		return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},"notifications":{` + filter + `}}}`
	}
	t.Run("the first message ever is one, and it is acknowledged", func(t *testing.T) {
		r := newRig(t, approveNone, modern)
		if got := r.listen(`"listen:0"`, `"toolsListChanged":true,"resourceSubscriptions":[],"x":true`); got != ack(`"listen:0"`, `"toolsListChanged":true`) {
			t.Errorf("%s", got)
		}
		r.eventually("the server is reported", func() bool { return r.gate.reportCount() > 0 })
	})
	t.Run("a change is told on each that asked, once, after it was judged", func(t *testing.T) {
		r := newRig(t, approveAll, modern)
		r.listen(`"a"`, `"toolsListChanged":true`)
		r.listen(`"b"`, `"toolsListChanged":true,"promptsListChanged":true`)
		r.listen(`"c"`, `"promptsListChanged":true`)
		r.ask("1", "tools/list", "")
		id := r.ourStream("toolsListChanged")
		r.server.declare(func(s *server) { s.tools = s.tools[:1] })
		r.server.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`)
		told := map[string]bool{r.next(): true, r.next(): true}
		for _, id := range []string{`"a"`, `"b"`} {
			if want := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`; !told[want] {
				t.Errorf("%s was not told: %v", id, told)
			}
		}
		r.quiet("nobody hears it twice")
	})
	t.Run("a resource that may be read is heard about under the client's id", func(t *testing.T) {
		r := newRig(t, approveAll, modern)
		r.ask("1", "tools/list", "")
		if got := r.listen("7", `"resourceSubscriptions":["file:///a"]`); got != ack("7", `"resourceSubscriptions":["file:///a"]`) {
			t.Fatalf("%s", got)
		}
		id := r.ourStream("resourceSubscriptions")
		update := func(id, uri string) string {
			return `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},"uri":"` + uri + `"}}`
		}
		r.server.write(update(id, "file:///other"))
		r.server.write(update(`"forged"`, "file:///a"))
		r.server.write(update(id, "file:///a"))
		if got := r.next(); got != update("7", "file:///a") {
			t.Errorf("%s", got)
		}
		r.records("the forged one is recorded", func(rec control.Record) bool { return strings.Contains(rec.Summary, "stream that is not open") })
		r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		r.eventually("ours is cancelled", func() bool { return r.server.got(`"notifications/cancelled","params":{"requestId":` + id) })
		if r.server.got(`"requestId":7}`) {
			t.Error("the client's cancellation reached the server")
		}
	})
	t.Run("of a server nobody has reviewed no resource is heard about", func(t *testing.T) {
		r := newRig(t, approveNone, modern)
		if got := r.listen("7", `"resourceSubscriptions":["file:///a"],"toolsListChanged":true`); got != ack("7", `"toolsListChanged":true`) {
			t.Errorf("%s", got)
		}
	})
	t.Run("one that the server ends is opened again", func(t *testing.T) {
		r := newRig(t, approveAll, modern)
		r.listen(`"a"`, `"toolsListChanged":true`)
		id := r.ourStream("toolsListChanged")
		r.server.write(`{"jsonrpc":"2.0","id":` + id + `,"result":{` + complete + `}}`)
		r.eventually("it is opened again", func() bool { return r.server.listCount("subscriptions/listen") == 2 })
	})
	t.Run("as is one whose end can't be read", func(t *testing.T) {
		r := newRig(t, approveAll, modern)
		r.listen(`"a"`, `"toolsListChanged":true`)
		id := r.ourStream("toolsListChanged")
		r.server.write(`{"jsonrpc":"2.0","id":` + id + `,"result":{` + complete + `},"result":{}}`)
		r.eventually("it is opened again", func() bool { return r.server.listCount("subscriptions/listen") == 2 })
	})
	t.Run("one that is open when the server exits ends with an error", func(t *testing.T) {
		r := newRig(t, approveAll, modern)
		r.listen(`"a"`, `"toolsListChanged":true`)
		r.ask("1", "tools/list", "")
		r.s.AnswerAll("exit status 3")
		if got := r.answerTo(`"a"`); !strings.Contains(got, "exit status 3") {
			t.Error(got)
		}
	})
}

// A server that reads nothing fills its pipe, and lines for it wait. The client's other streams must not wait with them.
func TestTheEndOfAStreamWaitsForNoServer(t *testing.T) {
	r := newRig(t, approveAll, modern)
	r.ask("1", "tools/list", "")
	r.listen("7", `"resourceSubscriptions":["file:///a"]`)
	r.listen(`"b"`, `"toolsListChanged":true`)
	r.ourStream("resourceSubscriptions")
	stuck := make(chan struct{})
	r.server.declare(func(s *server) {
		s.handle = func(string) (string, bool) { <-stuck; return "", true }
	})
	defer close(stuck)
	for range 3 { // it reads one line, and in the end even our own short ones wait
		r.s.server.Enqueue(append(bytes.Repeat([]byte(" "), queueLimit), '\n'))
	}
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	r.eventually("the stream has ended", func() bool {
		r.s.listens.mu.Lock()
		defer r.s.listens.mu.Unlock()
		return len(r.s.listens.open) == 1
	})
	r.s.listens.tell("notifications/tools/list_changed")
	if got := r.next(); !strings.Contains(got, `"b"`) {
		t.Errorf("%s", got)
	}
}
