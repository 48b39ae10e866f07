package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// memoryOf is a line of /proc/PID/status in bytes.
func memoryOf(t *testing.T, pid int, line string) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), line+":")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// A hostile provider costs the responses that it should judge, and nothing else: each of them is held, once; other messages of the same
// wrappers pass meanwhile; the hub keeps little of the texts, and writes few records.
func TestAHostileProviderCostsNothingButTheResponsesItShouldJudge(t *testing.T) {
	if testing.Short() {
		t.Skip("starts hubs and many servers")
	}
	const wrappers, calls, size = 5, 30, 100_000
	for _, role := range []string{"silent", "dead", "lying", "answering for another", "flooding"} {
		t.Run(role, func(t *testing.T) {
			dir := folder(t)
			h := install(t)
			argv, err := json.Marshal(helper(t, "betray", role))
			if err != nil {
				t.Fatal(err)
			}
			h.set("guardrail.command.argv", string(argv))
			h.set("guardrail.timeout", "1s")
			var sessions []*session
			for i := range wrappers {
				s := h.inFront(dir, fmt.Sprint("e2e", i), script(t, dir, fmt.Sprintf("report%d.json", i), reportServer))
				h.approve()
				s.heard("list_changed")
				sessions = append(sessions, s)
			}
			h.set("guardrail.provider", "command")
			before := memoryOf(t, h.process.Pid, "VmRSS")
			about, err := json.Marshal(map[string]string{"about": strings.Repeat("An ordinary line of a long report. ", size/35)})
			if err != nil {
				t.Fatal(err)
			}
			for n, s := range sessions {
				for i := range calls {
					s.start(strconv.Itoa(1000*(n+1)+i), "tools/call", fmt.Sprintf(`{"name":"report","arguments":%s}`, about))
				}
			}
			for n, s := range sessions {
				ping := strconv.Itoa(1000*(n+1) + 999)
				s.start(ping, "ping", `{}`)
				left := calls + 1 // in any order
				s.until("all responses", func(e envelope, line string) bool {
					switch {
					case e.Method != "":
						return false
					case string(e.ID) == ping:
						if !strings.Contains(line, `"result":{}`) {
							t.Errorf("a ping: %s", line)
						}
					case !strings.Contains(line, `"status":"held"`):
						t.Errorf("it passed: %.300s", line)
					}
					left--
					return left == 0
				})
			}
			if more := memoryOf(t, h.process.Pid, "VmHWM") - before; more > 100<<20 {
				t.Errorf("the hub took %d MiB more", more>>20)
			} else {
				t.Logf("the hub took %d MiB more", more>>20)
			}
			out, code := h.run("activity", "list", "--kind", "guard_problem", "--json")
			var told struct{ Items []struct{ Summary string } }
			if err := json.Unmarshal([]byte(out), &told); err != nil || code != 0 {
				t.Fatalf("activity: %v, status %d: %s", err, code, out)
			}
			if len(told.Items) > 20 {
				t.Errorf("%d records", len(told.Items))
			}
		})
	}
}
