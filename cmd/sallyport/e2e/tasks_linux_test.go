package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// reporter starts a task with each call, in the form of FORM, and says what a task is asked.
const reporter = `{"log":"LOG","tools":[{"name":"report","description":"Writes a report.","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}],
 "initialize":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"reporter","version":"1"}},
 "rules":[{"on":"tools/call report","steps":[{"result":FORM}]},
  {"on":"server/discover","steps":[{"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"ttlMs":0,"cacheScope":"private"}}]},
  {"on":"tasks/get","steps":[{"result":{"resultType":"complete","taskId":"one","status":"completed","result":{"content":[{"type":"text","text":"the report for ${id}"}]}}}]},
  {"on":"tasks/result","steps":[{"result":{"content":[{"type":"text","text":"the report for ${id}"}]}}]}]}`

// taskForms are the forms in which a result names a task, and how a client of that era asks.
var taskForms = []struct {
	name, result, method string
	modern               bool
}{
	{"nested, 2025-11-25", `{"task":{"taskId":"${arg:id}","status":"working","createdAt":"2026-11-24T00:00:00Z","ttl":3600000}}`, "tasks/result", false},
	{"flat, 2026-07-28", `{"resultType":"task","taskId":"${arg:id}","status":"working","createdAt":"2026-11-24T00:00:00Z","ttlMs":3600000}`, "tasks/get", true},
}

// Tasks, fifty with -long, are begun in one wrapper and finished in the next, which another run of the client starts. For half of them the hub
// is killed with -9 when they begin: before the call, or while it is on its way, so that the hub may have stored a task and not said so. In the
// end the first wrapper goes together with its hub.
func TestTasksOutliveWrapperHubAndClient(t *testing.T) {
	tasks := 16
	if *longFlag {
		tasks = 50
	}
	for _, form := range taskForms {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			h := install(t)
			log := filepath.Join(dir, "log")
			argv := script(t, dir, "reporter.json", strings.NewReplacer("FORM", form.result, "LOG", log).Replace(reporter))
			begin := func() *session {
				s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
				if !form.modern {
					s.handshake("2025-11-25")
				}
				return s
			}
			params := func(inside string) string {
				if form.modern {
					inside += "," + modernClaims
				}
				return "{" + strings.TrimPrefix(inside, ",") + "}"
			}
			id := func(n int) string { return fmt.Sprintf("786512e2-9e0d-44bd-8f29-%012d", n) }

			first := begin()
			first.request("tools/list", params(""))
			if n := h.approve(); n != 1 {
				t.Fatalf("%d items are in the inbox", n)
			}
			wait(t, "the tool is allowed", func() bool {
				return strings.Contains(first.request("tools/list", params("")), `"name":"report"`)
			})
			spooled := 0
			for n := range tasks {
				killed := n >= tasks/2
				if killed && n%2 == 0 {
					h.signalHub(syscall.SIGKILL)
				}
				pid := 0
				if killed && n%2 == 1 {
					wait(t, "a hub answers", func() bool { pid = h.hubPID(); return pid > 1 })
				}
				call := fmt.Sprint(1000 + n)
				first.start(call, "tools/call", params(`"name":"report","arguments":{"id":"`+id(n)+`"},"task":{"ttl":3600000}`))
				if pid > 1 {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
				if got := first.answer(call); !strings.Contains(got, id(n)) {
					t.Fatalf("task %d: %s", n, got)
				}
				if files, _ := filepath.Glob(filepath.Join(h.path, "spool", "*.tasks")); len(files) > 0 {
					spooled++
				}
			}
			pid := h.signalHub(syscall.SIGKILL)
			last := fmt.Sprint(2000)
			first.start(last, "tools/call", params(`"name":"report","arguments":{"id":"`+id(tasks)+`"}`))
			first.answer(last)
			_ = syscall.Kill(first.cmd.Process.Pid, syscall.SIGKILL) // it tells nobody
			<-first.ended

			next := begin()
			next.request("tools/list", params(""))
			finished := 0
			for n := range tasks + 1 {
				got := next.request(form.method, params(`"taskId":"`+id(n)+`"`))
				if !strings.Contains(got, "the report for") {
					t.Errorf("task %d: %s", n, got)
					continue
				}
				finished++
			}
			if got := next.request(form.method, params(`"taskId":"`+id(99)+`"`)); !strings.Contains(got, `"code":4030`) || !strings.Contains(got, `"code":null`) {
				t.Errorf("one that was never begun: %s", got)
			}
			lines, err := os.ReadFile(log)
			if err != nil || strings.Contains(string(lines), id(99)) {
				t.Errorf("it reached the server: %v", err)
			}
			if spooled == 0 {
				t.Error("every task reached a hub at once, so the spool was not tried")
			}
			t.Logf("%d of %d are finished, %d of them begun over a killed hub (the last was %d); %d times a task was in the spool", finished, tasks+1, tasks/2+1, pid, spooled)

			if out, code := h.told("block", h.identity(), "--item", "tool:report"); code != 0 {
				t.Fatalf("block: status %d: %s", code, out)
			}
			wait(t, "its tasks are refused", func() bool {
				return strings.Contains(next.request(form.method, params(`"taskId":"`+id(1)+`"`)), `"code":4030`)
			})
		})
	}
}

// The SDK's own server of 2025-11-25 asks the user in the middle of a task, and says how far it is.
func TestATaskOfARealServerIsFinishedBehindTheWrapper(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	dir := folder(t)
	h, server := install(t), realServers[0]
	env := append(server.ground(t, dir), environment(h.env()...)...)
	s := launch(t, dir, env, append(h.wrap(), server.argv(t, dir)...))
	s.handshake("2025-11-25")
	s.request("tools/list", `{}`)
	h.approve()
	wait(t, "the tool is allowed", func() bool { return strings.Contains(s.request("tools/list", `{}`), "simulate-research-query") })
	var made struct {
		Result struct{ Task struct{ TaskID string } }
	}
	got := s.request("tools/call", `{"name":"simulate-research-query","arguments":{"topic":"tides","ambiguous":true},"task":{"ttl":60000}}`)
	if err := json.Unmarshal([]byte(got), &made); err != nil || made.Result.Task.TaskID == "" {
		t.Fatalf("%v: %s", err, got)
	}
	task := fmt.Sprintf(`{"taskId":%q}`, made.Result.Task.TaskID)
	if got := s.request("tasks/list", `{}`); !strings.Contains(got, made.Result.Task.TaskID) {
		t.Errorf("it is not listed: %s", got)
	}
	wait(t, "the server asks", func() bool { return strings.Contains(s.request("tasks/get", task), "input_required") })
	if got := s.request("tasks/result", task); !strings.Contains(got, "tides") || strings.Contains(got, "[Sallyport]") {
		t.Errorf("its result: %s", got)
	}
	s.heard("elicitation/create")
	if got := s.request("tasks/get", task); !strings.Contains(got, `"completed"`) {
		t.Errorf("in the end: %s", got)
	}
	s.hangUp(true)
}
