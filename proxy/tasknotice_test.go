package proxy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// yields is what a task tells in its state, by where in it.
func yields(text string) map[string]string {
	return map[string]string{
		"the result":    `"status":"completed","result":{"content":[{"type":"text","text":"` + text + `"}]}`,
		"the error":     `"status":"failed","error":{"code":1,"message":"` + text + `"}`,
		"the status":    `"status":"working","statusMessage":"` + text + `"`,
		"a question":    `"status":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"form","message":"` + text + `","requestedSchema":{"type":"object","properties":{}}}}}`,
		"another place": `"status":"working","more":{"` + text + `":1}`,
	}
}

func TestWhatATaskYieldsIsHeldWhereverItArrives(t *testing.T) {
	for place, state := range yields(poison) {
		t.Run("tasks/get, "+place, func(t *testing.T) {
			r := ready(t)
			r.starts("echo", nestedTask("t1"))
			saying(r, `"result":{"taskId":"t1",`+state+`}`)
			got := r.about("tasks/get", "t1")
			code, status, _ := decisionOf(t, got)
			held := r.gate.heldAnswers()
			if code != "HELD" || status != "held" || strings.Contains(got, "gnore") || len(held) != 1 || held[0].Item != "tool:echo" || held[0].Method != "tasks/get" {
				t.Errorf("%s; held: %+v", got, held)
			}
		})
		for _, method := range []string{"notifications/tasks", "notifications/tasks/status", "notifications/tasks/later"} {
			t.Run(method+", "+place, func(t *testing.T) {
				r := ready(t)
				r.starts("echo", nestedTask("t1"))
				r.server.write(`{"jsonrpc":"2.0","method":"` + method + `","params":{"taskId":"t1",` + state + `}}`)
				r.records("it is dropped", func(rec control.Record) bool {
					return rec.Status == vocab.StatusBlocked && strings.HasPrefix(rec.Summary, "dropped a notification about a task")
				})
				r.quiet("nothing of it reaches the client")
				if held := r.gate.heldAnswers(); len(held) != 0 {
					t.Errorf("held: %+v", held)
				}
				saying(r, `"result":{"taskId":"t1",`+state+`}`)
				if code, _, _ := decisionOf(t, r.about("tasks/get", "t1")); code != "HELD" {
					t.Errorf("tasks/get decides %v", code)
				}
			})
		}
	}
	t.Run("tasks/result", func(t *testing.T) {
		r := ready(t)
		r.begunElsewhere("t1", "echo")
		saying(r, textResult(poison))
		if code, status, _ := decisionOf(t, r.about("tasks/result", "t1")); code != "HELD" || status != "held" {
			t.Errorf("%v, %s", code, status)
		}
	})
}

func TestAHeldResponseOfATaskIsHandedOverByTheSameRequestAgain(t *testing.T) {
	for _, method := range []string{"tasks/get", "tasks/result"} {
		t.Run(method, func(t *testing.T) {
			r := ready(t)
			r.begunElsewhere("t1", "echo")
			saying(r, `"result":{"taskId":"t1",`+yields(poison)["the result"]+`}`)
			r.about(method, "t1")
			held := r.gate.heldAnswers()[0]
			r.gate.set(func(g *gatekeeper) {
				g.taken = control.Taken{State: vocab.HeldTaken, Answer: held.Answer, Tool: "echo", Server: "weather"}
				g.released = []control.Released{{Code: "HELD", Same: held.Same, Until: held.Time.Add(1 << 40)}}
			})
			if got := r.about(method, "t1"); !strings.Contains(got, "gnore") || !strings.Contains(got, `"status":"released"`) {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestNotificationsPassForTasksOfAllowedToolsAlone(t *testing.T) {
	notice := func(id, method string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"%s","params":{"taskId":"%s","status":"completed","result":{"content":[{"type":"text","text":"fine"}]}}}`, method, id)
	}
	r := ready(t)
	r.starts("echo", nestedTask("mine"))
	r.starts("add", nestedTask("blocked"))
	r.begunElsewhere("other", "echo")
	r.gate.set(func(g *gatekeeper) { delete(g.approved, "tool:add") })
	if got := r.next(); !strings.Contains(got, "list_changed") {
		t.Fatalf("after the block: %s", got)
	}
	for _, method := range []string{"notifications/tasks", "notifications/tasks/status"} {
		for _, id := range []string{"mine", "other"} {
			r.server.write(notice(id, method))
			if got := r.next(); got != notice(id, method) {
				t.Errorf("%s of %s: %s", method, id, got)
			}
		}
		for id, why := range map[string]string{"blocked": forbiddenNotice, "none": unknownNotice, "": unknownNotice} {
			r.server.write(notice(id, method))
			r.records(why, func(rec control.Record) bool { return rec.Summary == "dropped: "+why })
			r.quiet("one of " + id + " does not pass")
		}
	}
	long := strings.Replace(notice("mine", "notifications/tasks"), "fine", strings.Repeat("fine. ", asideFrom/6), 1)
	r.server.write(long)
	if got := r.next(); got != long {
		t.Errorf("a long one: %.200s", got)
	}
	r.server.write(`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"mine","status":"working","sallyport/decision":{"code":"FAKE"}}}`)
	if got := r.next(); got != `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"mine","status":"working"}}` {
		t.Errorf("one that speaks for us: %s", got)
	}
}

func TestANotificationHoldsNoOtherPageThanTheApprovedOne(t *testing.T) {
	page := strings.Trim(mainPage, "[]")
	notice := func(page string) string {
		return `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t1","status":"completed","result":{"content":[{"type":"resource","resource":` + page + `}]}}}`
	}
	r := newRig(t, approveAll, weatherPage(true))
	r.initialize()
	r.tools("1")
	r.starts("echo", nestedTask("t1"))
	r.server.write(notice(page))
	if got := r.next(); got != notice(page) {
		t.Errorf("with the approved page: %s", got)
	}
	r.server.write(notice(strings.Replace(page, "weather<", "your password<", 1)))
	r.records("it is dropped", func(rec control.Record) bool {
		return rec.Status == vocab.StatusBlocked && strings.HasPrefix(rec.Summary, "dropped a notification about a task")
	})
	r.quiet("the client gets no other page")
}

func TestWhatATaskReturnsIsValidatedWhereverItArrives(t *testing.T) {
	ended := func(result string) string { return `"status":"completed","result":` + result }
	bad, good, failed := ended(`{"content":[],"structuredContent":{"sum":"5"}}`), ended(`{"content":[],"structuredContent":{"sum":5}}`), ended(`{"isError":true,"content":[],"structuredContent":{"sum":"5"}}`)
	for name, c := range map[string]struct {
		state  string
		passes bool
	}{
		"a matching result": {good, true}, "another": {bad, false}, "one that says that it failed": {failed, true}, "no result yet": {`"status":"working"`, true},
		"none at all": {ended(`null`), true}, "under a key in another case": {strings.Replace(bad, "result", "Result", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			r := validating(t, mode("strict"))
			r.starts("sum", nestedTask("t1"))
			body := `"result":{"taskId":"t1",` + c.state + `}`
			saying(r, body)
			if got := r.about("tasks/get", "t1"); refused(got) == c.passes || c.passes && got != whole("71", body) {
				t.Errorf("tasks/get: %s", got)
			}
			notice := `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t1",` + c.state + `}}`
			r.server.write(notice)
			if c.passes {
				if got := r.next(); got != notice {
					t.Errorf("the notification: %s", got)
				}
				return
			}
			r.eventually("both are recorded", func() bool { records, _ := r.violations(); return len(records) == 2 })
			r.quiet("the notification does not pass")
		})
	}
}

func TestANotificationThatAsksTheUserIsHeldToInteractionPolicy(t *testing.T) {
	notice := `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t1",` + yields("Which city?")["a question"] + `}}`
	for policy, passes := range map[string]bool{"guard": true, "allow": true, "ask": false, "deny": false} {
		t.Run(policy, func(t *testing.T) {
			r := ready(t)
			r.starts("echo", nestedTask("t1"))
			r.gate.set(func(g *gatekeeper) { g.settings["interaction.policy"] = policy })
			r.server.write(notice)
			if passes {
				if got := r.next(); got != notice {
					t.Errorf("%s", got)
				}
				return
			}
			r.records("it is dropped", func(rec control.Record) bool { return rec.Summary == "dropped: "+askingNotice })
			r.quiet("it does not pass")
			if asked := r.gate.asked(); len(asked) != 0 {
				t.Errorf("a person is asked: %+v", asked)
			}
		})
	}
}

func TestTheTextsOfATaskAreSpotlightedWhereverTheyArrive(t *testing.T) {
	r := spotlit(t, "on")
	r.starts("echo", nestedTask("t1"))
	for place, want := range map[string]string{
		"the result": `"status":"completed","result":{"content":[{"type":"text","text":"[weather/echo: x]"}]}`,
		"the error":  `"status":"failed","error":{"code":1,"message":"[weather/echo: x]"}`,
		"the status": `"status":"working","statusMessage":"[weather/echo: x]"`,
	} {
		state := yields("x")[place]
		saying(r, `"result":{"taskId":"t1",`+state+`}`)
		if got, want := unwrapped(r.about("tasks/get", "t1")), whole("71", `"result":{"taskId":"t1",`+want+`}`); got != want {
			t.Errorf("%s: %s", place, got)
		}
		r.server.write(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t1",` + state + `}}`)
		if got, want := unwrapped(r.next()), `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t1",`+want+`}}`; got != want {
			t.Errorf("%s, in a notification: %s", place, got)
		}
	}
}

func TestAStreamIsAboutTasksThatTheHubKnows(t *testing.T) {
	r := newRig(t, approveAll, modern)
	r.begunElsewhere("other", "echo")
	r.begunElsewhere("blocked", "add")
	r.ask("1", "tools/list", "")
	r.gate.set(func(g *gatekeeper) { delete(g.approved, "tool:add") })
	r.send(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"taskIds":["none","other","blocked"]},` + claims + `}}`)
	if got := r.next(); !strings.HasSuffix(got, `"notifications":{"taskIds":["other"]}}}`) {
		t.Fatalf("granted: %s", got)
	}
	r.eventually("the server hears what is granted", func() bool { return r.server.got(`"taskIds":["other"]`) })
	if r.server.got(`"none"`) {
		t.Error("the server hears of what is not")
	}
	var ours string
	r.server.declare(func(s *server) {
		for _, line := range s.lines {
			if strings.Contains(line, `"taskIds":["other"]`) {
				ours = strings.TrimSpace(between(line, `"id":`, `,`))
			}
		}
	})
	notice := func(stream, id, text string) string {
		if stream != "" {
			stream = `"_meta":{"io.modelcontextprotocol/subscriptionId":` + stream + `},`
		}
		return `{"jsonrpc":"2.0","method":"notifications/tasks","params":{` + stream + `"taskId":"` + id + `",` + yields(text)["the result"] + `}}`
	}
	r.server.write(notice(ours, "other", "fine"))
	if got := r.next(); got != notice("7", "other", "fine") {
		t.Errorf("on the stream: %s", got)
	}
	r.server.write(notice("", "other", "fine"))
	if got, want := r.next(), strings.TrimSuffix(notice("", "other", "fine"), "}}")+`,"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`; got != want {
		t.Errorf("beside the stream: %s", got)
	}
	for name, line := range map[string]string{
		"one that would be held": notice(ours, "other", poison), "one about another task": notice(ours, "blocked", "fine"), "one about an unknown task": notice("", "none", "fine"),
		"one on a stream that we did not open": notice(`"x"`, "other", "fine"), "one whose _meta is none": strings.Replace(notice("", "other", "fine"), `"taskId"`, `"_meta":7,"taskId"`, 1),
	} {
		r.server.write(line)
		r.quiet(name + " does not pass")
	}
}

func TestGuardrailProvidersJudgeWhatIsToldOfATask(t *testing.T) {
	notice := `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"786512e2",` + yields("sunny")["the result"] + `}}`
	for _, c := range []struct {
		name     string
		settings map[string]string
		says     control.GuardVerdict
		passes   bool
	}{
		{"allow", command(), control.GuardVerdict{Verdict: "allow"}, true},
		{"flag", command(), control.GuardVerdict{Verdict: "flag"}, true},
		{"block", command(), control.GuardVerdict{Verdict: "block"}, false},
		{"a failure", command(), control.GuardVerdict{Failed: "gave no answer in time"}, false},
		{"a failure that is left to the detector", command("guardrail.on_error", "builtin"), control.GuardVerdict{Failed: "gave no answer in time"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := make(chan control.Guard, 4)
			r := providersOf(t, c.settings, func(q control.Guard) control.GuardVerdict {
				if !strings.Contains(strings.Join(q.Text, ""), "sunny") {
					return control.GuardVerdict{Provider: "command", Verdict: "allow"} // of the first result
				}
				asked <- q
				c.says.Provider = "command"
				return c.says
			})
			r.starts("echo", nestedTask("786512e2"))
			r.server.write(notice)
			if q := <-asked; q.Tool != "echo" {
				t.Errorf("asked about %q", q.Tool)
			}
			if c.passes {
				if got := r.next(); got != notice {
					t.Errorf("%s", got)
				}
				return
			}
			r.records("it is dropped", func(rec control.Record) bool {
				return strings.HasPrefix(rec.Summary, "dropped a notification about a task")
			})
			r.quiet("it does not pass")
		})
	}
}
