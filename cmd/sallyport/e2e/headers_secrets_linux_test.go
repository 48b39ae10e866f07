//go:build linux

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sallyport/sallyport/proxy/keychain/ring"
)

// What a person has sent along is in no file, argument, environment of a child, log, record or output, whatever the server does with it. With a
// keychain it is there, without one in the sealed file.
func TestTheValuesOfHeadersStayWhereTheyBelong(t *testing.T) {
	values := map[string]string{"X-Moved": "hush-moved-0123456789", "X-Own": "hush-own-0123456789", "Authorization": "hush-kept-0123456789"}
	given := []string{"MCP_HEADER_1=" + values["X-Moved"], "TRACKER=" + values["X-Own"]}
	flags := []string{"--name", "clock", "--header", "X-Moved: env:MCP_HEADER_1", "--header", "X-Own: env:TRACKER", "--header", "Authorization: Bearer keychain:clock"}
	for _, c := range []struct {
		name string
		env  func(t *testing.T) []string
	}{
		{"with a gnome-keyring", func(t *testing.T) []string {
			bus := ring.StartBus(t, "")
			bus.Keyring()
			return []string{"DBUS_SESSION_BUS_ADDRESS=" + bus.Address}
		}},
		{"without a keychain", func(*testing.T) []string { return []string{"SALLYPORT_KEYCHAIN=off"} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := startChanging(t)
			var page, came, missing atomic.Int32 // which bad response to give, 0 for none
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				came.Add(1)
				if r.Method == http.MethodPost && (r.Header.Get("X-Moved") != values["X-Moved"] || r.Header.Get("X-Own") != values["X-Own"] || r.Header.Get("Authorization") != "Bearer "+values["Authorization"]) {
					missing.Add(1)
				}
				echo := fmt.Sprintf("you sent %q, %q and %q", r.Header.Get("X-Moved"), r.Header.Get("X-Own"), r.Header.Get("Authorization"))
				body, _ := io.ReadAll(r.Body)
				if calls := strings.Contains(string(body), `"tools/call"`); calls && page.Load() > 0 {
					switch page.Load() {
					case 1: // an error page
						w.WriteHeader(http.StatusInternalServerError)
						fmt.Fprintln(w, echo)
					case 2: // a page where a response should be
						w.Header().Set("Content-Type", "text/html")
						fmt.Fprintln(w, "<p>"+strings.Repeat("x", 370)+echo) // cut where the log cuts it
					case 3: // no message
						w.Header().Set("Content-Type", "application/json")
						fmt.Fprintf(w, "[%q]", echo)
					case 4:
						w.Header().Set("Content-Type", "text/event-stream")
						fmt.Fprintf(w, "data: %s\n\n", echo)
					case 5: // a response, which is the client's to read
						id := string(body)[strings.Index(string(body), `"id":`)+5:]
						w.Header().Set("Content-Type", "application/json")
						fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, id[:strings.IndexAny(id, ",}")], echo)
					}
					return
				}
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				clock.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			home, err := os.MkdirTemp(scratch, "h")
			if err != nil {
				t.Fatal(err)
			}
			h := installWith(t, "", filepath.Join(home, "home"), c.env(t))
			set := exec.Command(h.binary(), "secret", "set", "clock")
			set.Env, set.Stdin = environment(h.env()...), strings.NewReader(values["Authorization"]+"\n")
			printed, err := set.CombinedOutput()
			if err != nil {
				t.Fatalf("secret set: %v: %s", err, printed)
			}
			probe := exec.Command(h.binary(), append([]string{"probe", "--url", server.URL, "--json"}, flags...)...)
			probe.Env = environment(append(h.env(), given...)...)
			out, _ := probe.CombinedOutput()
			printed = append(printed, out...)
			s := launch(t, emptyFolder(t), environment(append(h.env(), given...)...), h.wrapURL(server.URL, flags...))
			s.handshake("2025-11-25")
			wait(t, "the server is in the inbox", func() bool { return len(h.inbox()) == 1 })
			shown, _ := h.run("show", h.inbox()[0].Code)
			printed = append(printed, shown...)
			h.approve()
			wait(t, "a call passes", func() bool { return strings.Contains(s.call("now", `{}`), "noon") })
			for n := range int32(4) {
				page.Store(n + 1)
				printed = append(printed, s.call("now", `{}`)...)
			}
			if out, code := h.run("settings", "set", "activity.payloads", "on", "--yes"); code != 0 {
				t.Fatalf("settings: status %d: %s", code, out)
			}
			page.Store(5)
			wait(t, "the client reads what it sent", func() bool { return strings.Contains(s.call("now", `{}`), "you sent") })
			page.Store(0)
			if got := s.call("now", `{}`); !strings.Contains(got, "noon") {
				t.Errorf("a call after the bad responses: %s", short(got))
			}
			if came.Load() == 0 || missing.Load() > 0 {
				t.Errorf("%d of %d requests came without the headers: the test looks for nothing", missing.Load(), came.Load())
			}
			logs := ""
			wait(t, "the log has what the server said", func() bool {
				logs, _ = h.run("logs", "clock")
				return strings.Count(logs, "you sent") >= 3
			})
			printed = append(append(printed, logs...), s.errs.String()...)
			for _, args := range [][]string{{"activity", "list", "--json"}, {"activity", "export"}, {"status", "--json"}, {"servers", "--json"}, {"secret", "list", "--json"}, {"auth", "status", "--json"}, {"inbox", "--json"}, {"doctor"}} {
				out, _ := h.run(args...)
				printed = append(printed, out...)
			}
			for name, value := range values {
				if found := spelled(printed, value); found != "" {
					t.Errorf("the value of %s is printed (%s)", name, found)
				}
				for path, what := range everyFile(t, h.path) {
					if found := spelled(what, value); found != "" {
						t.Errorf("the value of %s is in %s (%s)", name, path, found)
					}
				}
			}
			notIn(t, values, h.process.Pid, "cmdline", "environ")
			notIn(t, values, s.cmd.Process.Pid, "cmdline")
			if given, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.cmd.Process.Pid)); err != nil || spelled(given, values["X-Own"]) == "" {
				t.Errorf("not even the client's variable is found in the wrapper's environment: the test looks at nothing (%v)", err)
			}

			// A hub that the wrapper starts gets none of them either.
			alone := &installation{t: t, path: filepath.Join(home, "alone"), more: h.more}
			other := launch(t, emptyFolder(t), environment(append(alone.env(), given...)...), alone.wrapURL(server.URL, "--header", "X-Moved: env:MCP_HEADER_1", "--header", "X-Own: env:TRACKER"))
			other.handshake("2025-11-25")
			var hubs []int
			wait(t, "the wrapper starts a hub", func() bool {
				hubs = alone.hubs()
				return len(hubs) == 1
			})
			notIn(t, values, hubs[0], "cmdline", "environ")
			other.hangUp(true)
			if process, err := os.FindProcess(hubs[0]); err == nil {
				process.Kill()
			}
		})
	}
}

// notIn looks for values in files of a process.
func notIn(t *testing.T, values map[string]string, pid int, files ...string) {
	t.Helper()
	for _, file := range files {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
		if err != nil || len(raw) == 0 {
			t.Errorf("%s of %d can't be read: %v", file, pid, err)
		}
		for name, value := range values {
			if found := spelled(raw, value); found != "" {
				t.Errorf("the value of %s is in %s of %d (%s)", name, file, pid, found)
			}
		}
	}
}
