package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

func TestWhatIsAskedBehindABrokenInitializeIsAnswered(t *testing.T) {
	for name, answer := range map[string]string{
		"unreadable":          `{"jsonrpc":"2.0","id":0,"result":{"a":1,"a":2}}`,
		"no object":           `{"jsonrpc":"2.0","id":0,"result":[]}`,
		"an error":            `{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"no"}}`,
		"result beside error": `{"jsonrpc":"2.0","id":0,"result":{},"error":{"code":1,"message":"no"}}`,
	} {
		t.Run("its answer is "+name, func(t *testing.T) {
			r := newRig(t, approveAll, func(r *rig) {
				r.server.handle = func(line string) (string, bool) { return answer, strings.Contains(line, `"initialize"`) }
			})
			r.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`,
				`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`)
			ids := []string{}
			for range 3 {
				line := r.next()
				if !strings.Contains(line, `"error"`) && !refused(line) {
					t.Errorf("answer: %s", line)
				}
				ids = append(ids, between(line, `"id":`, `,`))
			}
			slices.Sort(ids)
			if !slices.Equal(ids, []string{"0", "1", "2"}) {
				t.Errorf("answered: %v", ids)
			}
		})
	}
}

func TestAServerThatAsksAndNeverReadsSilencesNobody(t *testing.T) {
	reads := make(chan struct{})
	t.Cleanup(func() { close(reads) })
	r := newRig(t, nil)
	r.initialize()
	r.tools("1")
	r.server.declare(func(s *server) {
		s.handle = func(string) (string, bool) { <-reads; return "", true }
	})
	ask := strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}`+"\n", 1000)
	go func() {
		for { // until the pipe is full, and then until the test closes it
			if _, err := r.server.out.WriteString(ask); err != nil {
				return
			}
		}
	}()
	r.eventually("the refusals fill all they may wait in", func() bool {
		r.s.server.mu.Lock()
		defer r.s.server.mu.Unlock()
		return len(r.s.server.pending) > queueLimit
	})
	if got := r.call("2", "echo"); !refused(got) {
		t.Errorf("answer: %s", got)
	}
}

func TestAnEmptyCursorEndsAListing(t *testing.T) {
	r := newRig(t, approveAll, func(r *rig) {
		r.server.handle = func(line string) (string, bool) {
			id := strings.TrimRight(between(line, `"id":`, `,`), "}")
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s,%s],"nextCursor":""}}`, id, echoTool, addTool), strings.Contains(line, `"tools/list"`)
		}
	})
	r.initialize()
	if got := r.tools("1"); !slices.Equal(got, []string{"echo", "add", toolApprove, toolRelease}) {
		t.Errorf("tools: %v", got)
	}
	if findings := r.gate.reports[0].Findings; len(findings) > 0 {
		t.Errorf("findings: %v", findings)
	}
}

func TestAnUnannouncedListingThatFailsBlocksNothing(t *testing.T) {
	r := ready(t, func(r *rig) {
		r.gate.settings["pins.recheck"] = "0s"
		r.gate.settings["pins.recheck_timeout"] = "1s"
		r.server.handle = func(line string) (string, bool) {
			id := between(line, `"id":`, `,`)
			return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"no such thing"}}`, strings.Contains(line, `"prompts/list"`)
		}
	})
	r.send(`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
	if got := r.answerTo("1"); !strings.Contains(got, "-32603") {
		t.Errorf("prompts/list: %s", got)
	}
	if got := r.call("2", "echo"); refused(got) {
		t.Errorf("a call after it: %s", got)
	}
}

func TestAServerThatIsAlwaysChangingDoesNotHideAnApproval(t *testing.T) {
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	r := newRig(t, nil, func(r *rig) {
		r.server.handle = func(line string) (string, bool) {
			if strings.Contains(line, `"tools/list"`) {
				r.server.write(changed)
			}
			return "", false
		}
	})
	r.initialize()
	r.eventually("the server was reported", func() bool { return r.gate.reportCount() > 0 })
	r.gate.set(func(g *gatekeeper) { g.approve = approveAll })
	r.s.onState(true)
	if got := r.next(); got != changed {
		t.Errorf("the client heard %s", got)
	}
	if got := r.call("1", "echo"); refused(got) {
		t.Errorf("answer: %s", got)
	}
}

func TestAHubThatIsAwayHasTheServerAskedLessAndLess(t *testing.T) {
	r := newRig(t, approveAll, func(r *rig) { r.gate.settings["pins.recheck"] = "0s" })
	r.initialize()
	r.tools("1")
	r.gate.set(func(g *gatekeeper) { g.away = true })
	r.server.declare(func(s *server) { s.tools = append(s.tools, `{"name":"fresh","inputSchema":{"type":"object"}}`) })
	for i := range 20 {
		r.call(fmt.Sprint(100+i), "echo")
	}
	if r.s.checks.Failures() == 0 {
		t.Error("no failures: the pause between two checks does not grow")
	}
}

func TestAChangeThatIsAnnouncedWhileACheckRunsIsNoSecondFace(t *testing.T) {
	for _, when := range []string{"before the listing is answered", "after the listing is answered"} {
		t.Run(when, func(t *testing.T) {
			const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
			r := ready(t, func(r *rig) { r.gate.settings["pins.recheck"] = "0s" })
			r.server.declare(func(s *server) {
				once := false
				s.handle = func(line string) (string, bool) {
					if !strings.Contains(line, `"tools/list"`) || once {
						return "", false
					}
					once = true
					if when == "before the listing is answered" {
						s.declare(func(s *server) { s.tools[0] = strings.Replace(echoTool, "again", "AGAIN", 1) })
						s.write(changed)
						return "", false
					}
					s.answer(line)
					s.declare(func(s *server) { s.tools[0] = strings.Replace(echoTool, "again", "AGAIN", 1) })
					return changed, true
				}
			})
			r.call("1", "echo")
			r.eventually("the change was reported", func() bool { return r.gate.reportCount() > 1 })
			r.call("2", "echo")
			if r.gate.recorded(func(rec control.Record) bool { return strings.Contains(string(rec.Detail), `"equivocation"`) }) {
				t.Error("it was taken for a second face")
			}
		})
	}
}

func TestTheClientHearsOfNoListingThatNobodyAnnounced(t *testing.T) {
	r := newRig(t, nil)
	r.initialize()
	r.tools("1")
	r.gate.set(func(g *gatekeeper) {
		for _, item := range g.reports[len(g.reports)-1].Items {
			g.approved[item.Key()] = append(g.approved[item.Key()], item.Digest)
		}
	})
	if got := r.next(); got != `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` {
		t.Errorf("the client heard %s", got)
	}
	r.quiet("prompts and resources are not announced")
}

func TestACallThatWasCancelledWhileItsAnswerWaitedIsInTheTimeline(t *testing.T) {
	r := ready(t, func(r *rig) { r.gate.settings["pins.recheck"] = "0s" })
	r.server.declare(func(s *server) {
		s.handle = func(line string) (string, bool) { // the response to the listing never comes
			return "", strings.Contains(line, `"tools/list"`)
		}
	})
	r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`)
	r.eventually("its answer waits", func() bool { return r.s.checks.Waiting() == 1 })
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	r.eventually("the call is recorded", func() bool {
		return r.gate.recorded(func(rec control.Record) bool {
			return rec.Kind == "tool_call" && rec.Tool == "echo" && rec.Status == "error"
		})
	})
}

func TestACheckThatTheEndOfTheSessionCutShortIsNoProblem(t *testing.T) {
	r := ready(t, func(r *rig) { r.gate.settings["pins.recheck"] = "0s" })
	r.server.declare(func(s *server) {
		s.handle = func(line string) (string, bool) { return "", strings.Contains(line, `"tools/list"`) }
	})
	r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`)
	r.eventually("a check runs", func() bool { return r.server.got(`"method":"tools/list"`) && r.s.checks.Running() })
	r.server.out.Close()
	<-r.ended
	r.eventually("the check ended with the session", func() bool { return !r.s.checks.Running() && !r.s.view().Verified })
	if r.gate.recorded(func(rec control.Record) bool { return rec.Kind == "guard_problem" }) {
		t.Error("it was recorded as a listing that did not come in time")
	}
}
