package proxy

import (
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
)

// Requests of both eras on their way at once, and servers that respond to them in the order that suits them.

// later keeps requests of a method until release is called, which answers them in order.
type later struct {
	r      *rig
	method string
	kept   chan string
}

// keeps makes the server of a rig keep requests of a method.
func keeps(method string, l *later) func(*rig) {
	return func(r *rig) {
		l.r, l.method, l.kept = r, method, make(chan string, 100)
		before := r.server.handle
		r.server.handle = func(line string) (string, bool) {
			if strings.Contains(line, `"method":"`+method+`"`) {
				l.kept <- line
				return "", true
			}
			if before != nil {
				return before(line)
			}
			return "", false
		}
	}
}

// arrived waits for a kept request.
func (l *later) arrived() string {
	l.r.t.Helper()
	select {
	case line := <-l.kept:
		return line
	case <-time.After(patience):
		l.r.t.Fatalf("no %s reached the server", l.method)
	}
	return ""
}

func modernCall(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"echo",` + claims + `}}`
}

func TestAnEraThatIsSettledStaysWhateverIsStillOnItsWay(t *testing.T) {
	t.Run("a late answer to our own discover takes no legacy session over", func(t *testing.T) {
		var discover later
		r := newRig(t, approveAll, modern, keeps("server/discover", &discover))
		r.send(modernCall("1"))
		asked := discover.arrived()
		r.initialize()
		if got := r.answerTo("1"); !strings.Contains(got, `"code":-32022`) {
			t.Errorf("the modern call: %s", got)
		}
		r.server.answer(asked)
		if got := r.call("2", "echo"); !strings.Contains(got, "ok echo") {
			t.Errorf("a call: %s", got)
		}
		r.server.write(`{"jsonrpc":"2.0","id":"r","method":"roots/list"}`)
		if got := r.next(); !strings.Contains(got, "roots/list") {
			t.Errorf("the client got %s", got)
		}
		if n := r.server.calls("echo"); n != 1 {
			t.Errorf("%d calls reached the server", n)
		}
		if r.server.got("subscriptions/listen") {
			t.Error("a stream of the modern era was opened")
		}
	})
	t.Run("a late answer to initialize takes no modern session over", func(t *testing.T) {
		var first later
		r := newRig(t, approveAll, modern, keeps("initialize", &first))
		r.send(hello)
		asked := first.arrived()
		if got := r.ask("1", "tools/call", `"name":"echo"`); !strings.Contains(got, "ok echo") {
			t.Fatalf("the modern call: %s", got)
		}
		r.server.answer(asked)
		if got := r.answerTo("0"); !strings.Contains(got, `"code":-32022`) {
			t.Errorf("initialize: %s", got)
		}
		r.server.write(`{"jsonrpc":"2.0","id":"r","method":"roots/list"}`)
		r.quiet("the modern era has no requests of servers")
	})
	t.Run("a failed initialize turns no modern request away", func(t *testing.T) {
		var first, discover later
		r := newRig(t, approveAll, onlyModern, keeps("initialize", &first), keeps("server/discover", &discover))
		r.send(hello)
		asked := first.arrived()
		r.send(modernCall("1"))
		greeted := discover.arrived()
		r.server.answer(asked)
		if got := r.answerTo("0"); !strings.Contains(got, `"code":-32022`) {
			t.Errorf("initialize: %s", got)
		}
		r.server.answer(greeted)
		if got := r.answerTo("1"); !strings.Contains(got, "ok echo") {
			t.Errorf("the call: %s", got)
		}
	})
	t.Run("a client that goes on with a stream after a failed initialize is served", func(t *testing.T) {
		var discover later
		r := newRig(t, approveAll, onlyModern, keeps("server/discover", &discover))
		r.send(hello)
		r.answerTo("0")
		asked := discover.arrived()
		r.send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + claims + `}}`)
		if got := r.next(); !strings.Contains(got, "acknowledged") {
			t.Errorf("listen: %s", got)
		}
		r.send(modernCall("1"))
		r.eventually("the call waits", func() bool { return r.s.entrance.pending() })
		r.server.answer(asked)
		if got := r.answerTo("1"); !strings.Contains(got, "ok echo") {
			t.Errorf("the call: %s", got)
		}
	})
	t.Run("a stream that we acknowledged settles nothing for a server of the legacy era", func(t *testing.T) {
		r := newRig(t, approveAll)
		r.send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + claims + `}}`)
		if got := r.next(); !strings.Contains(got, "acknowledged") {
			t.Errorf("listen: %s", got)
		}
		if got := r.answerTo(`"l"`); !strings.Contains(got, `"code":-32022`) || !strings.Contains(got, `"supported":["2025-11-25"]`) {
			t.Errorf("the stream ended with %s", got)
		}
		r.initialize()
		if got := r.call("2", "echo"); !strings.Contains(got, "ok echo") {
			t.Errorf("a call: %s", got)
		}
	})
	t.Run("nor for one that is known to speak it alone", func(t *testing.T) {
		r := newRig(t, approveAll, func(r *rig) {
			r.gate.knownEras = control.Eras{Legacy: []string{"2025-06-18"}, Modern: []string{}}
		})
		r.send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + claims + `}}`)
		if got := r.answerTo(`"l"`); !strings.Contains(got, `"code":-32022`) || !strings.Contains(got, `"supported":["2025-06-18"]`) {
			t.Errorf("listen: %s", got)
		}
		r.initialize()
	})
}

func TestAServerThatExitsWhileItIsGreetedEndsTheSessionAtOnce(t *testing.T) {
	var discover later
	r := newRig(t, approveAll, modern, keeps("server/discover", &discover), func(r *rig) {
		r.gate.knownEras = control.Eras{Modern: []string{"2026-07-28"}} // it may take a minute to start
	})
	r.send(modernCall("1"))
	discover.arrived()
	r.server.out.Close()
	select {
	case ended := <-r.ended:
		if ended != ServerGone {
			t.Errorf("ended: %v", ended)
		}
	case <-time.After(patience):
		t.Fatal("the session waits for a server that is gone")
	}
}

func TestAClientThatLeavesBeforeTheServerSaidItsErasSaysNothingAboutThem(t *testing.T) {
	var discover later
	r := newRig(t, approveAll, modern, keeps("server/discover", &discover), func(r *rig) { r.server.leaves = true })
	r.send(`{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{` + claims + `}}`)
	discover.arrived()
	r.in.Close()
	select {
	case <-r.ended:
	case <-time.After(patience):
		t.Fatal("the session does not end")
	}
	r.s.AnswerAll("the client ended the session")
	r.gate.mu.Lock()
	defer r.gate.mu.Unlock()
	if len(r.gate.eras) > 0 {
		t.Errorf("the hub was told %+v", r.gate.eras)
	}
}
