package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// The two forms in which a result names a task: of 2025-11-25, and of the extension of 2026-07-28.
func nestedTask(id string) string {
	return `"result":{"task":{"taskId":"` + id + `","status":"working","ttl":60000}}`
}

func flatTask(id string) string {
	return `"result":{"resultType":"task","taskId":"` + id + `","status":"working","ttlMs":60000}`
}

// starts calls a tool whose result names a task.
func (r *rig) starts(tool, body string) string {
	r.t.Helper()
	saying(r, body)
	r.send(`{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},"task":{"ttl":60000}}}`)
	return r.answerTo("70")
}

// about asks for a task.
func (r *rig) about(method, id string) string {
	r.t.Helper()
	r.send(`{"jsonrpc":"2.0","id":71,"method":"` + method + `","params":{"taskId":"` + id + `"}}`)
	return r.answerTo("71")
}

func (g *gatekeeper) keptTasks() []control.Task {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]control.Task(nil), g.tasks...)
}

// otherTask is one that another wrapper of the server has started.
func otherTask(id, tool string) control.Task {
	now := time.Now()
	return control.Task{ID: control.TaskID(id), Item: pin.Key(pin.Tool, tool), Made: now, Until: control.TaskUntil(now, time.Hour)}
}

func (r *rig) begunElsewhere(id, tool string) {
	r.gate.set(func(g *gatekeeper) { g.tasks = append(g.tasks, otherTask(id, tool)) })
}

func TestTheHubHasATaskBeforeTheClientHearsOfIt(t *testing.T) {
	for form, named := range map[string]func(string) string{"nested": nestedTask, "flat": flatTask} {
		t.Run(form, func(t *testing.T) {
			r := ready(t)
			keeping := make(chan struct{})
			r.gate.set(func(g *gatekeeper) { g.keeping = keeping })
			saying(r, named("t1"))
			r.send(`{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"echo","arguments":{},"task":{}}}`)
			r.eventually("the call is with the server", func() bool { return r.server.calls("echo") == 1 })
			saying(r, textResult("fine"))
			if got := r.call("72", "add"); !strings.Contains(got, "fine") {
				t.Errorf("another call meanwhile: %s", got)
			}
			r.quiet("the hub does not have it yet")
			close(keeping)
			if got := r.answerTo("70"); got != `{"jsonrpc":"2.0","id":70,`+named("t1")+`}` {
				t.Errorf("delivered %s", got)
			}
			kept := r.gate.keptTasks()
			if len(kept) != 1 || kept[0].ID != control.TaskID("t1") || kept[0].Item != "tool:echo" || kept[0].Until.Sub(kept[0].Made) != 24*time.Hour+time.Minute {
				t.Errorf("the hub has %+v", kept)
			}
			for _, method := range []string{"tasks/get", "tasks/result", "tasks/update", "tasks/cancel"} {
				if got := r.about(method, "t1"); !strings.Contains(got, "fine") {
					t.Errorf("%s: %s", method, got)
				}
			}
		})
	}
}

func TestACallWithoutATaskTellsTheHubNothing(t *testing.T) {
	r := ready(t)
	for _, body := range []string{
		textResult("fine"),
		`"result":{"taskId":"t1","content":[]}`,
		`"result":{"resultType":"complete","taskId":"t1"}`,
		`"result":{"task":{"id":"t1"}}`,
		`"result":{"task":{"taskId":7}}`,
		`"result":{"task":{"taskId":""}}`,
		`"result":{"task":{"taskId":"` + strings.Repeat("x", maxTaskID+1) + `"}}`,
		`"result":{"structuredContent":{"task":{"taskId":"t1"}},"content":[]}`,
		`"error":{"code":1,"message":"m","data":{"task":{"taskId":"t1"}}}`,
	} {
		r.starts("echo", body)
	}
	saying(r, nestedTask("t1"))
	r.send(`{"jsonrpc":"2.0","id":73,"method":"x/later","params":{}}`)
	r.answerTo("73")
	if kept := r.gate.keptTasks(); len(kept) != 0 {
		t.Errorf("the hub was told of %+v", kept)
	}
	if got := r.about("tasks/get", "t1"); !refused(got) {
		t.Errorf("it passes: %s", got)
	}
}

func TestATaskBegunInOneWrapperIsFinishedInTheNext(t *testing.T) {
	for _, method := range []string{"tasks/get", "tasks/result", "tasks/update", "tasks/cancel"} {
		t.Run(method, func(t *testing.T) {
			r := ready(t)
			r.begunElsewhere("t1", "echo")
			saying(r, textResult("fine"))
			for range 2 {
				if got := r.about(method, "t1"); !strings.Contains(got, "fine") {
					t.Errorf("%s", got)
				}
			}
			r.gate.mu.Lock()
			defer r.gate.mu.Unlock()
			if len(r.gate.sought) != 1 {
				t.Errorf("the hub was asked %d times", len(r.gate.sought))
			}
		})
	}
}

func TestATaskThatNobodyStartedIsRefusedWithoutACode(t *testing.T) {
	r := ready(t)
	saying(r, textResult("somebody else's"))
	for _, id := range []string{"t1", "", strings.Repeat("x", maxTaskID+1)} {
		got := r.about("tasks/result", id)
		code, status, text := decisionOf(t, got)
		if !refused(got) || code != nil || status != "blocked" || strings.Contains(got, "somebody") || strings.Contains(text, "inbox item") {
			t.Errorf("%.40s: %s", id, got)
		}
	}
	if r.server.got("tasks/result") {
		t.Error("the server was asked")
	}
	r.records("it is in the timeline", func(rec control.Record) bool {
		return rec.Status == vocab.StatusBlocked && strings.Contains(rec.Summary, "no allowed tool started this task")
	})
	t.Run("so many are looked for at once and no more", func(t *testing.T) {
		r.s.tasks.seeking.Store(maxSeeking)
		defer r.s.tasks.seeking.Store(0)
		got := r.about("tasks/result", "t3")
		if code, _, text := decisionOf(t, got); code != nil || !strings.Contains(text, "Try again") {
			t.Errorf("%s", got)
		}
		r.server.write(`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t3","status":"working"}}`)
		r.records("it is dropped", func(rec control.Record) bool { return rec.Summary == "dropped: "+unknownNotice })
	})
	t.Run("nor can a server have the hub asked about more than some in a second", func(t *testing.T) {
		var notices taskNotices
		now, asked := time.Now(), 0
		for range 3 * maxNoticed {
			if notices.mayAsk(now) {
				asked++
			}
		}
		if asked != maxNoticed || !notices.mayAsk(now.Add(time.Second)) {
			t.Errorf("it is asked %d times", asked)
		}
	})
	t.Run("while the hub is away that is what the client hears", func(t *testing.T) {
		r.gate.set(func(g *gatekeeper) { g.away = true })
		got := r.about("tasks/result", "t2")
		if code, _, text := decisionOf(t, got); code != nil || !strings.Contains(text, "isn't responding") || !strings.Contains(text, "Try again") {
			t.Errorf("%s", got)
		}
	})
}

func TestATaskIsRefusedWithItsToolsCodeOnceTheToolIsBlocked(t *testing.T) {
	for name, known := range map[string]bool{"of this session": true, "of another": false} {
		t.Run(name, func(t *testing.T) {
			r := ready(t)
			if known {
				r.starts("echo", nestedTask("t1"))
			} else {
				r.begunElsewhere("t1", "echo")
			}
			r.gate.set(func(g *gatekeeper) { delete(g.approved, "tool:echo") })
			saying(r, textResult("what it found"))
			got := r.about("tasks/result", "t1")
			if code, _, _ := decisionOf(t, got); code != "4F2A" || !refused(got) || r.server.got("tasks/result") {
				t.Errorf("%s", got)
			}
		})
	}
	t.Run("also one that runs", func(t *testing.T) {
		r := ready(t)
		r.starts("echo", nestedTask("t1"))
		asked := make(chan string, 1)
		r.server.declare(func(s *server) {
			s.handle = func(line string) (string, bool) {
				if strings.Contains(line, "tasks/result") {
					asked <- between(line, `"id":`, `,`)
					return "", true
				}
				return "", false
			}
		})
		r.send(`{"jsonrpc":"2.0","id":71,"method":"tasks/result","params":{"taskId":"t1"}}`)
		id := <-asked
		r.gate.set(func(g *gatekeeper) { delete(g.approved, "tool:echo") })
		r.server.write(`{"jsonrpc":"2.0","id":` + id + `,` + textResult("what it found") + `}`)
		if got := r.answerTo("71"); !refused(got) || strings.Contains(got, "found") {
			t.Errorf("%s", got)
		}
	})
}

func TestATaskThatCannotBeStoredIsDeliveredAndSaid(t *testing.T) {
	r := ready(t)
	r.gate.set(func(g *gatekeeper) { g.unkept = errors.New("the disk is full") })
	if got := r.starts("echo", nestedTask("t1")); !strings.Contains(got, "t1") {
		t.Errorf("%s", got)
	}
	r.records("a problem", func(rec control.Record) bool {
		return rec.Kind == vocab.RecordProblem && strings.Contains(rec.Summary, "a task could not be stored")
	})
	saying(r, textResult("fine"))
	if got := r.about("tasks/result", "t1"); !strings.Contains(got, "fine") {
		t.Errorf("in this session: %s", got)
	}
}

func TestATaskWhoseFirstResultIsHeldIsKnownOnceThatIsReleased(t *testing.T) {
	r := ready(t)
	got := r.starts("echo", `"result":{"task":{"taskId":"t1","status":"working","statusMessage":"`+poison+`"}}`)
	if code, status, _ := decisionOf(t, got); code != "HELD" || status != "held" {
		t.Errorf("%s", got)
	}
	if kept := r.gate.keptTasks(); len(kept) != 1 || kept[0].ID != control.TaskID("t1") {
		t.Errorf("the hub has %+v", kept)
	}
}

func TestATaskIsForgottenInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var set taskSet
		set.put("a", task{item: "tool:echo", until: control.TaskUntil(time.Now(), time.Minute)})
		time.Sleep(24 * time.Hour)
		if set.of("a").item == "" {
			t.Error("it is forgotten too soon")
		}
		time.Sleep(time.Minute)
		if set.of("a").item != "" {
			t.Error("it is still known")
		}
	})
}

func TestTheOldestTasksOfASessionGo(t *testing.T) {
	var set taskSet
	until := time.Now().Add(time.Hour)
	for i := range maxTasks + 2 {
		set.put(fmt.Sprint(i), task{item: "tool:echo", until: until})
	}
	set.put("5", task{item: "tool:add", until: until})
	for id, want := range map[string]string{"0": "", "1": "", "2": "tool:echo", "5": "tool:add", fmt.Sprint(maxTasks + 1): "tool:echo"} {
		if got := set.of(id).item; got != want {
			t.Errorf("task %s counts as %q, want %q", id, got, want)
		}
	}
}

func TestHowLongAServerKeepsATaskIsReadFromItsResult(t *testing.T) {
	for body, want := range map[string]time.Duration{
		`{"task":{"taskId":"t","ttl":60000}}`:                     time.Minute,
		`{"resultType":"task","taskId":"t","ttlMs":6e4}`:          time.Minute,
		`{"task":{"taskId":"t","ttl":null}}`:                      0,
		`{"task":{"taskId":"t","ttl":-1}}`:                        0,
		`{"task":{"taskId":"t","ttl":"60000"}}`:                   0,
		`{"task":{"taskId":"t","ttlMs":60000}}`:                   0,
		`{"task":{"taskId":"t"}}`:                                 0,
		`{"task":{"taskId":"t","ttl":1e300}}`:                     292 * 365 * 24 * time.Hour,
		`{"resultType":"task","taskId":"t","ttlMs":1,"ttl":5000}`: time.Millisecond,
	} {
		var m frame.Message
		line := []byte(`{"jsonrpc":"2.0","id":1,"result":` + body + "}\n")
		if err := frame.Scan(line, frame.FromServer, &m); err != nil {
			t.Fatal(err)
		}
		id, lasts := taskIn(&request{method: methodCall}, line, &m)
		if id != "t" || lasts != want && (want < 1000*time.Hour || lasts < want) {
			t.Errorf("%s: %q lasts %v, want %v", body, id, lasts, want)
		}
	}
}

func TestAListOfTasksHasOnlyThoseOfAllowedTools(t *testing.T) {
	r := ready(t)
	r.starts("echo", nestedTask("mine"))
	r.starts("add", nestedTask("blocked"))
	r.begunElsewhere("other", "echo")
	r.begunElsewhere("others", "add")
	r.gate.set(func(g *gatekeeper) { delete(g.approved, "tool:add") })
	saying(r, "")
	r.server.declare(func(s *server) {
		s.handle = func(line string) (string, bool) {
			return `{"jsonrpc":"2.0","id":71,"result":{"tasks":[{"taskId":"none"},{"taskId":"mine"},{"taskId":"blocked"},{"taskId":"others"}, {"taskId":"other"},7,{"x":1}]}}`, strings.Contains(line, "tasks/list")
		}
	})
	ids := func() (ids []string) {
		r.send(`{"jsonrpc":"2.0","id":71,"method":"tasks/list"}`)
		var m struct {
			Result struct{ Tasks []struct{ TaskID string } }
		}
		line := r.answerTo("71")
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		for _, one := range m.Result.Tasks {
			ids = append(ids, one.TaskID)
		}
		return ids
	}
	if got := strings.Join(ids(), " "); got != "mine other" {
		t.Errorf("listed: %s", got)
	}
	r.gate.set(func(g *gatekeeper) { g.away = true })
	if got := strings.Join(ids(), " "); got != "mine other" {
		t.Errorf("while the hub is away: %s", got)
	}
}

func TestAListOfTasksIsCutAlsoForClientsThatIgnoreCase(t *testing.T) {
	r := ready(t)
	r.starts("echo", nestedTask("mine"))
	for _, key := range []string{"tasks", "Tasks", "TASKS", "taſks"} {
		r.answers("tasks/list", `"result":{"`+key+`":[{"taskId":"mine"},{"taskId":"foreign"},{"taskid":"foreign"}]}`)
		r.send(`{"jsonrpc":"2.0","id":71,"method":"tasks/list"}`)
		if got := r.answerTo("71"); strings.Contains(got, "foreign") || !strings.Contains(got, `{"taskId":"mine"}`) {
			t.Errorf("%s: the client got %s", key, got)
		}
	}
}

func TestARequestThatIsCancelledWhileItsTaskIsSoughtGoesNowhere(t *testing.T) {
	sought := func(t *testing.T, modernEra bool) (*rig, func()) {
		r := newRig(t, approveAll, func(r *rig) { r.server.modern = modernEra })
		if modernEra {
			r.ask("1", "tools/list", "")
		} else {
			r.initialize()
			r.tools("1")
		}
		r.begunElsewhere("t1", "echo")
		seeking := make(chan struct{})
		r.gate.set(func(g *gatekeeper) { g.seeking = seeking })
		return r, func() { close(seeking) }
	}
	const cancels = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`
	t.Run("a request", func(t *testing.T) {
		r, found := sought(t, false)
		r.send(`{"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":"t1"}}`, cancels, `{"jsonrpc":"2.0","id":6,"method":"ping"}`)
		r.answerTo("6")
		found()
		r.eventually("nobody waits any more", func() bool { return r.s.tasks.seeking.Load() == 0 })
		r.quiet("the client gets no response")
		if r.server.got("tasks/get") || r.server.got("notifications/cancelled") {
			t.Error("the server heard of it")
		}
	})
	t.Run("a stream", func(t *testing.T) {
		r, found := sought(t, true)
		r.send(`{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{"taskIds":["t1"]},`+claims+`}}`, cancels)
		r.ask("6", "ping", "")
		found()
		r.eventually("nobody waits any more", func() bool { return r.s.tasks.seeking.Load() == 0 })
		r.quiet("the client gets no acknowledgement")
		if r.s.listens.any() {
			t.Error("a stream is open")
		}
	})
	t.Run("its id is taken until then", func(t *testing.T) {
		r, found := sought(t, false)
		r.send(`{"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":"t1"}}`, `{"jsonrpc":"2.0","id":5,"method":"tasks/result","params":{"taskId":"t1"}}`)
		if got := r.answerTo("5"); !strings.Contains(got, "still in flight") {
			t.Errorf("the second one: %s", got)
		}
		found()
		if got := r.answerTo("5"); !strings.Contains(got, `"result"`) {
			t.Errorf("the first one: %s", got)
		}
	})
}

func TestNobodyReadsATasksIDInTheTimelineOrWithAHeldResponse(t *testing.T) {
	const id = "786512e2-9e0d-44bd-8f29-789f320fe840"
	r := ready(t)
	r.starts("echo", nestedTask(id))
	saying(r, textResult(poison))
	r.about("tasks/result", id)
	held := r.gate.heldAnswers()
	if len(held) != 1 || held[0].Name != "echo" || held[0].Item != "tool:echo" {
		t.Errorf("held as %+v", held)
	}
	r.records("it is held", func(rec control.Record) bool { return rec.Status == vocab.StatusHeld && rec.Tool == "echo" })
	r.gate.recorded(func(rec control.Record) bool {
		if raw, _ := json.Marshal(rec); strings.Contains(string(raw), id) {
			t.Errorf("it is in %s", raw)
		}
		return false
	})
}

// FuzzWhatATaskSays reads lines of a server as those about tasks are read: nothing panics, and what is cut or judged is never read in two ways.
func FuzzWhatATaskSays(f *testing.F) {
	for _, body := range []string{
		nestedTask("t1"), flatTask("t1"), `"result":{"tasks":[{"taskId":"a"},7,{"taskId":"b"}]}`,
		`"result":{"taskId":"a",` + yields("x")["a question"] + `}`, `"result":{"taskId":"\u0061",` + yields("x")["the result"] + `}`,
		`"result":{"Result":{"isError":true},"inputRequests":{"a":{"method":1,"params":null}}}`, `"error":{"code":1}`,
	} {
		f.Add([]byte(`{"jsonrpc":"2.0","id":1,` + body + "}\n"))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var m frame.Message
		if frame.Scan(line, frame.FromServer, &m) != nil {
			return
		}
		id, lasts := taskIn(&request{method: methodCall}, line, &m)
		if lasts < 0 || len(id) > maxTaskID || id == "" && lasts != 0 {
			t.Errorf("%q lasts %v", id, lasts)
		}
		if result, ok := resultInTask(line, m.Result); ok && frame.Type(line, result) != '{' {
			t.Errorf("returned %s", result.Of(line))
		}
		frame.Members(line, m.Result, func(_ string, member frame.Member) bool {
			if q := inputIn(line, member.Value); !q.unclear && (!plainMethod([]byte(q.method)) || len(q.params) > 0 && q.params[0] != '{') {
				t.Errorf("a question with the method %q and the params %s", q.method, q.params)
			}
			return true
		})
		ids := taskIDs(line)
		cut := onlyTasks(line, func(id string) bool { return id == "a" })
		if left := taskIDs(cut); !json.Valid(cut) || len(left) > len(ids) || strings.Trim(strings.Join(left, ""), "a") != "" {
			t.Errorf("of %q are left %q in %s", ids, left, cut)
		}
	})
}
