package proxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// modes sets tools.mode of single tools, by pin key.
func (r *rig) modes(of map[string]string) {
	r.gate.set(func(g *gatekeeper) {
		g.tools = map[string]map[string]string{}
		for item, mode := range of {
			g.tools[item] = map[string]string{"tools.mode": mode}
		}
	})
}

func TestAToolThatIsTurnedOffDoesNotExist(t *testing.T) {
	r := ready(t)
	listed := func(id string) bool { return slices.Contains(r.tools(id), "echo") }
	unknown := r.call("10", "ecHo2")
	r.modes(map[string]string{"tool:echo": "off"})
	if got := r.next(); !strings.Contains(got, "notifications/tools/list_changed") {
		t.Errorf("the client is told %s", got)
	}
	if listed("11") {
		t.Error("it is listed")
	}
	reports := r.gate.reportCount()
	if got, want := r.call("12", "echo"), strings.NewReplacer("ecHo2", "echo", `"id":10`, `"id":12`).Replace(unknown); got != want {
		t.Errorf("a call of it:\n%s\na call of an unknown tool:\n%s", got, want)
	}
	if got := r.call("13", "add"); refused(got) {
		t.Errorf("another tool: %s", got)
	}
	if r.server.calls("echo") > 0 || r.gate.reportCount() != reports {
		t.Error("the server or the hub was told of the call")
	}
	r.records("why it was refused", func(rec control.Record) bool {
		return rec.Kind == vocab.RecordCall && rec.Status == vocab.StatusBlocked && rec.Summary == "you turned this tool off"
	})
	r.modes(nil)
	if got := r.next(); !strings.Contains(got, "notifications/tools/list_changed") {
		t.Errorf("the client is told %s", got)
	}
	if got := r.call("14", "echo"); refused(got) || !listed("15") {
		t.Errorf("once it is turned on again: %s", got)
	}
}

func TestTheNarrowestModeOfAToolWins(t *testing.T) {
	r := ready(t)
	r.gate.set(func(g *gatekeeper) {
		g.settings["tools.mode"] = "off"
		g.tools = map[string]map[string]string{"tool:add": {"tools.mode": "allow"}}
	})
	r.next()
	if got := r.tools("11"); slices.Contains(got, "echo") || !slices.Contains(got, "add") {
		t.Errorf("listed: %v", got)
	}
	if got := r.call("12", "echo"); !refused(got) {
		t.Errorf("echo: %s", got)
	}
	if got := r.call("13", "add"); refused(got) {
		t.Errorf("add: %s", got)
	}
}

// asking is a rig whose tool echo is asked about: the hub answers with answer.
func asking(t *testing.T, answer control.CallAnswer) *rig {
	r := ready(t)
	r.gate.set(func(g *gatekeeper) { g.callAnswer = answer })
	r.modes(map[string]string{"tool:echo": "ask"})
	r.eventually("the mode is known", func() bool { return r.s.view().PolicyOf("tool:echo").Mode == "ask" })
	return r
}

func TestAnAskedCallDoesNotReachItsServer(t *testing.T) {
	for state, words := range map[vocab.CallState][]string{ // the words of flow.policy are in cameout_test.go
		vocab.CallWaiting: {"decides on each of its calls", "inbox item 4F2A", "make it again with the same arguments", "it needs your review"},
		vocab.CallRefused: {"the user refused this call", "inbox item 4F2A", "retrying will not help", "you refused this call"},
		vocab.CallFull:    {"20 calls already wait for the user", "inbox item 4F2A", "once the user has decided", "too many calls need"},
	} {
		t.Run(string(state), func(t *testing.T) {
			r := asking(t, control.CallAnswer{State: state, Code: "4F2A"})
			got := r.call("10", "echo")
			decision, status, text := decisionOf(t, got)
			if !refused(got) || status != "blocked" || !strings.Contains(got, `"kind":"call_waiting"`) || !strings.Contains(got, `"code":"4F2A"`) {
				t.Errorf("decision %v: %s", decision, got)
			}
			for _, word := range words[:3] {
				if !strings.Contains(text, word) {
					t.Errorf("%q is not in %s", word, text)
				}
			}
			if got := r.call("11", "add"); refused(got) {
				t.Errorf("a tool that nobody asks about: %s", got)
			}
			if r.server.calls("echo") > 0 || len(r.gate.askedCalls()) != 1 {
				t.Errorf("the server got it %d times, the hub was asked %d times", r.server.calls("echo"), len(r.gate.askedCalls()))
			}
			r.records("the refusal", func(rec control.Record) bool {
				return rec.Kind == vocab.RecordCall && rec.Status == vocab.StatusBlocked && rec.Code == "4F2A" && rec.Tool == "echo" && strings.Contains(rec.Summary, words[3]) && strings.Contains(string(rec.Detail), `"check":"ask"`)
			})
		})
	}
}

func TestAGrantedCallRunsOnce(t *testing.T) {
	r := asking(t, control.CallAnswer{State: vocab.CallGranted, Code: "4F2A"})
	const calls = 50
	for n := range calls {
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{}}}`, 100+n))
	}
	ran, answered := 0, map[int]bool{}
	for len(answered) < calls { // in any order
		line := r.next()
		var m struct{ ID int }
		if json.Unmarshal([]byte(line), &m) != nil || m.ID < 100 || m.ID >= 100+calls {
			continue // a notification
		}
		if answered[m.ID] {
			t.Fatalf("%d was answered twice", m.ID)
		}
		if answered[m.ID] = true; !refused(line) {
			ran++
		}
	}
	if ran != 1 || r.server.calls("echo") != 1 {
		t.Errorf("%d calls were answered by the server, which got %d", ran, r.server.calls("echo"))
	}
}

func TestTheHubIsAskedAboutExactlyWhatWouldRun(t *testing.T) {
	r := asking(t, control.CallAnswer{State: vocab.CallWaiting, Code: "4F2A"})
	ask := func(params string) control.Call {
		r.send(`{"jsonrpc":"2.0","id":20,"method":"tools/call","params":` + params + `}`)
		if got := r.answerTo("20"); !refused(got) {
			t.Fatalf("%s: %s", params, got)
		}
		all := r.gate.askedCalls()
		return all[len(all)-1]
	}
	first := ask(`{"name":"echo","arguments":{"a":1,"b":[true]}}`)
	if first.Client != "claude-ai" || first.Item != "tool:echo" || first.Defined != r.s.view().Digest("tool:echo") || string(first.Arguments) != `{"a":1,"b":[true]}` || first.Check != vocab.CheckAsk {
		t.Errorf("the hub was asked about %+v", first)
	}
	for params, same := range map[string]bool{
		`{"arguments":{"b":[true],"a":1},"name":"echo","_meta":{"progressToken":7}}`: true,
		`{"name":"echo","arguments":{"a":1,"b":[true],"__sanitize__":true}}`:         true,
		`{"name":"echo","arguments":{"a":1.0,"b":[true]}}`:                           false,
		`{"name":"echo","arguments":{"a":1,"b":[true],"c":null}}`:                    false,
		`{"name":"echo","arguments":{"a":"1","b":[true]}}`:                           false,
		`{"name":"echo","arguments":{"a":1,"b":[true]},"task":{"ttl":1}}`:            false,
	} {
		if got := ask(params); (got.Same == first.Same) != same {
			t.Errorf("%s counts as the same call: %v", params, !same)
		}
	}
	before := len(r.gate.askedCalls())
	r.send(`{"jsonrpc":"2.0","id":21,"method":"tools/call","params":{"name":"echo","arguments":{"a":"` + strings.Repeat("x", control.MaxCallArguments) + `"}}}`)
	if got := r.answerTo("21"); !refused(got) || !strings.Contains(got, `"code":null`) || !strings.Contains(got, "show these arguments") {
		t.Errorf("arguments that nobody would read: %.400s", got)
	}
	if r.server.calls("echo") > 0 || len(r.gate.askedCalls()) != before {
		t.Error("one of them reached the server or the hub")
	}
}

func TestAnAskedCallIsRefusedWithoutAHub(t *testing.T) {
	r := asking(t, control.CallAnswer{State: vocab.CallGranted, Code: "4F2A"})
	r.gate.set(func(g *gatekeeper) { g.away = true })
	if got := r.call("10", "echo"); !refused(got) || !strings.Contains(got, `"code":null`) || !strings.Contains(got, "isn't responding") || r.server.calls("echo") > 0 {
		t.Errorf("without a hub: %s", got)
	}
	if got := r.call("11", "add"); refused(got) {
		t.Errorf("a tool that nobody asks about: %s", got)
	}
}

// The hub grants a call for one definition. If the server has another by then, which is allowed as well, the person is asked again.
func TestAGrantIsForOneDefinition(t *testing.T) {
	r := asking(t, control.CallAnswer{State: vocab.CallGranted, Code: "4F2A"})
	holds := make(chan struct{})
	r.gate.set(func(g *gatekeeper) { g.calling = holds })
	r.send(`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
	r.eventually("the hub is asked", func() bool { return len(r.gate.askedCalls()) == 1 })
	before := r.s.view().Digest("tool:echo")
	r.server.declare(func(s *server) { s.tools[0] = strings.Replace(echoTool, "again", "AGAIN", 1) })
	r.server.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	r.eventually("the other definition is served", func() bool {
		now := r.s.view().Digest("tool:echo")
		return now != "" && now != before && r.s.view().Served["tool:echo"]
	})
	close(holds)
	if got := r.answerTo("10"); !refused(got) || !strings.Contains(got, "NEXT") || r.server.calls("echo") > 0 {
		t.Errorf("the call ran under another definition: %s", got)
	}
}

func TestACancelledCallIsNotMade(t *testing.T) {
	r := asking(t, control.CallAnswer{State: vocab.CallGranted, Code: "4F2A"})
	holds := make(chan struct{})
	r.gate.set(func(g *gatekeeper) { g.calling = holds })
	r.send(`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
	r.eventually("the hub is asked", func() bool { return len(r.gate.askedCalls()) == 1 })
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10}}`)
	r.call("11", "add")
	close(holds)
	r.call("12", "add")
	r.quiet("a cancelled call has no answer")
	if r.server.calls("echo") > 0 {
		t.Error("it was made")
	}
}
