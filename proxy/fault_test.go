package proxy

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// faulty are rules that panic on every text. No rule file can produce them: it takes a bug of ours.
var faulty = &inspect.RuleFile{}

func ofAFault(rec control.Record) bool {
	return rec.Kind == "guard_problem" && rec.Status == "blocked" && strings.Contains(rec.Summary, "bug in Sallyport") && strings.Contains(string(rec.Detail), ".go:")
}

func TestAnAnswerThatBreaksTheLookingIsHeldAndTheSessionGoesOn(t *testing.T) {
	r := ready(t)
	saying(r, textResult("what breaks us"))
	r.s.watch.Use(faulty)
	if _, status, _ := decisionOf(t, r.call("1", "echo")); status != "held" {
		t.Errorf("status %s", status)
	}
	if held := r.gate.heldAnswers(); len(held) != 1 || held[0].Findings[0].Rule != inspect.NotLookedAt || !strings.Contains(string(held[0].Answer), "what breaks us") {
		t.Errorf("held %+v", held)
	}
	r.records("the fault and its place", ofAFault)
	r.s.watch.Use(nil)
	if got := r.call("2", "echo"); !strings.Contains(got, "what breaks us") {
		t.Errorf("afterwards: %s", got)
	}
}

func TestALineThatBreaksACheckIsNotPassedOnAndTheSessionGoesOn(t *testing.T) {
	r := ready(t)
	r.server.declare(func(s *server) {
		s.handle = func(line string) (string, bool) {
			if !strings.Contains(line, `"ping"`) {
				return "", false
			}
			return `{"jsonrpc":"2.0","id":` + between(line, `"id":`, `,`) + `,"result":{"said":"` + strings.Repeat("what breaks us ", 9) + `"}}`, true
		}
	})
	r.s.rules.file.Store(faulty)
	r.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if got := r.answerTo("1"); !strings.Contains(got, "a bug in Sallyport") || strings.Contains(got, "what breaks us") {
		t.Errorf("answered %s", got)
	}
	r.records("the fault and its place", ofAFault)
	r.s.rules.file.Store(nil)
	r.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if got := r.answerTo("2"); !strings.Contains(got, "what breaks us") {
		t.Errorf("afterwards: %s", got)
	}
}

func TestALineThatBreaksUsIsAnsweredForOnBothSides(t *testing.T) {
	r := ready(t)
	s := r.s
	call := &request{id: []byte("7"), method: methodCall}
	s.calls.add(call)
	if err := s.failedServer(nil, []byte(`{"jsonrpc":"2.0","id":7,"result":{}}`)); err != nil {
		t.Fatal(err)
	}
	if got := r.answerTo("7"); !strings.Contains(got, "a bug in Sallyport") || s.calls.peek([]byte("7")) != nil {
		t.Errorf("whoever waits for the server's line: %s", got)
	}
	s.failedClient([]byte(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{}}`))
	if got := r.answerTo("8"); !strings.Contains(got, "a bug in Sallyport") {
		t.Errorf("the client: %s", got)
	}
	s.asks.add(&request{id: []byte(`"a"`)})
	s.failedClient([]byte(`{"jsonrpc":"2.0","id":"a","result":{}}`))
	r.eventually("the server hears of its request", func() bool { return r.server.got("a bug in Sallyport") })
	if err := s.failedServer(nil, []byte(`{"jsonrpc":"2.0","id":9,"method":"roots/list"}`)); err != nil {
		t.Fatal(err)
	}
	r.eventually("the server hears of what it asked", func() bool { return r.server.got(`"id":9,"error"`) })
}
