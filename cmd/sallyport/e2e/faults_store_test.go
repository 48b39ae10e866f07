//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var damageFlag = flag.Int("damage", 12, "how many stores are damaged at random")

// at is an installation in an existing folder, without a hub.
func at(t testing.TB, path string) *installation { return &installation{t: t, path: path} }

// hub starts a hub as a person does and waits until it answers. end stops it and returns its output.
func (h *installation) hub() (end func() string) {
	h.t.Helper()
	cmd := exec.Command(sallyport(h.t), "hub", "--allow-cli-approval")
	cmd.Env = environment(h.env()...)
	said := new(tail)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	end = func() string {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
			h.t.Errorf("the hub did not end within 20 s of being interrupted: %s", said)
		}
		return said.String()
	}
	h.t.Cleanup(func() { end() })
	wait(h.t, "the hub answers", func() bool {
		if over(ended) {
			h.t.Fatalf("the hub ended: %s", said)
		}
		return h.hubPID() == cmd.Process.Pid
	})
	return end
}

// status is what the hub says about itself.
func (h *installation) status() (s struct {
	Hub struct {
		CLIApproval bool `json:"cli_approval"`
	}
	Problems []struct{ Code, What, Next string }
	Waiting  []waiting
}) {
	h.t.Helper()
	out, _ := h.told("status", "--json")
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		h.t.Fatalf("status: %v: %s", err, out)
	}
	return s
}

// stormHome is a home with one allowed tool, one taken back, one never allowed, and some records.
func stormHome(t *testing.T, dir string) (h *installation, argv []string) {
	t.Helper()
	h = at(t, filepath.Join(mkdir(t), "home"))
	end := h.hub()
	argv = script(t, dir, "storm.json", strings.NewReplacer("DRIFT", filepath.Join(dir, "drift"), daemonsRule, "").Replace(stormServer))
	s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
	s.handshake("2025-06-18")
	s.request("tools/list", `{}`)
	if out, exit := h.run("approve", h.inbox()[0].Code, "--tool", "echo", "--tool", "toggle", "--yes"); exit != 0 {
		t.Fatalf("approve: status %d: %s", exit, out)
	}
	s.heard("list_changed")
	for range 200 {
		s.call("echo", `{}`)
	}
	s.hangUp(true)
	var list struct{ Items []struct{ Identity string } }
	out, _ := h.run("servers", "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	if out, exit := h.run("block", list.Items[0].Identity, "--item", "tool:toggle"); exit != 0 {
		t.Fatalf("block: status %d: %s", exit, out)
	}
	end()
	return h, argv
}

// mkdir makes a folder with a short path for a home: the length of the socket's path is limited.
func mkdir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "h")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyFolder(t testing.TB, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sallyport.db", "seal.key", "home.mark", "settings.json"} {
		raw, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// spoil damages a store as a disk, a crash or another program could.
func spoil(random *rand.Rand, n int, raw []byte) (how string, spoiled []byte) {
	spoiled = bytes.Clone(raw)
	switch n % 6 {
	case 0:
		size := random.IntN(len(raw))
		return fmt.Sprintf("cut to %d bytes", size), spoiled[:size]
	case 1:
		flips := 1 + random.IntN(20)
		for range flips {
			spoiled[random.IntN(len(raw))] ^= byte(1 << random.IntN(8))
		}
		return fmt.Sprintf("%d bits flipped", flips), spoiled
	case 2:
		page := random.IntN(len(raw)/4096) * 4096
		clear(spoiled[page : page+4096])
		return fmt.Sprintf("zeros at %d", page), spoiled
	case 3:
		page := random.IntN(len(raw)/4096) * 4096
		for i := range 4096 {
			spoiled[page+i] = byte(random.Uint32())
		}
		return fmt.Sprintf("noise at %d", page), spoiled
	case 4:
		from, to := random.IntN(len(raw)/4096)*4096, random.IntN(len(raw)/4096)*4096
		copy(spoiled[to:to+4096], raw[from:from+4096])
		return fmt.Sprintf("page at %d written at %d too", from, to), spoiled
	}
	switch n / 6 % 3 {
	case 0:
		return "empty", nil
	case 1:
		return "another file", []byte(strings.Repeat("no store of anybody's ", 3000))
	}
	return "gone", nil
}

// TestADamagedStoreOpensNothingAndLeadsOn damages the store of a home at random. Each time a hub runs and says what is wrong, nothing
// unapproved gets through, nothing is deleted, and one decision is enough to go on.
func TestADamagedStoreOpensNothingAndLeadsOn(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	random := chance(t)
	source, argv := stormHome(t, dir)
	whole, err := os.ReadFile(filepath.Join(source.path, "sallyport.db"))
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]int{}
	for n := range *damageFlag {
		how, spoiled := spoil(random, n, whole)
		t.Run(fmt.Sprintf("%d %s", n, how), func(t *testing.T) {
			h := at(t, filepath.Join(mkdir(t), "home"))
			copyFolder(t, source.path, h.path)
			file := filepath.Join(h.path, "sallyport.db")
			if err := os.WriteFile(file, spoiled, 0o600); err != nil {
				t.Fatal(err)
			}
			if how == "gone" {
				os.Remove(file)
			}
			end := h.hub()
			s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
			s.handshake("2025-06-18")
			s.request("tools/list", `{}`)
			outcome := ""
			switch got := s.call("echo", `{}`); {
			case strings.Contains(got, answered):
				outcome = "goes on"
			case strings.Contains(got, "sallyport/decision"):
				outcome = "asks again"
			default:
				t.Fatalf("an answer that is neither: %s", got)
			}
			for _, tool := range []string{"toggle", "fresh"} {
				if got := s.call(tool, `{}`); !strings.Contains(got, "sallyport/decision") {
					t.Errorf("%s, which nobody allows: %s", tool, got)
				}
			}
			// Reading on finds damage that a start doesn't. The hub may make room for one that blocks everything.
			for _, args := range [][]string{{"activity", "list", "--limit", "1000", "--json"}, {"activity", "verify"}, {"servers"}, {"inbox"}} {
				if out, _ := h.run(args...); strings.Contains(out, "panic") || strings.Contains(out, "goroutine ") {
					t.Errorf("%v: %s", args, out)
				}
			}
			var status = h.status()
			if problems := status.Problems; outcome == "asks again" && len(problems) == 0 && len(h.inbox()) == 0 {
				t.Error("everything is blocked and nothing says why")
			}
			lost := slices.IndexFunc(status.Waiting, func(w waiting) bool { return w.Kind == "guard_problem" })
			if lost >= 0 {
				outcome = "begins again"
				if !kept(h.path, spoiled) {
					t.Error("what was left of the store is gone")
				}
				// The wrapper may not know of new damage yet; until then its last verdict holds.
				wait(t, "a store that is lost allows nothing", func() bool { return strings.Contains(s.call("echo", `{}`), "sallyport/decision") })
				if out, exit := h.run("approve", status.Waiting[lost].Code, "--yes"); exit != 0 {
					t.Fatalf("begin again: status %d: %s", exit, out)
				}
				wait(t, "the server is new", func() bool {
					return slices.ContainsFunc(h.inbox(), func(w waiting) bool { return w.Kind == "new_server" })
				})
				if got := s.call("echo", `{}`); !strings.Contains(got, "sallyport/decision") {
					t.Errorf("an empty store allows something: %s", got)
				}
				h.approve()
				wait(t, "what was allowed anew works", func() bool { return strings.Contains(s.call("echo", `{}`), answered) })
				if out, exit := h.run("activity", "verify"); exit != 0 {
					t.Errorf("the chain of the new store: status %d: %s", exit, out)
				}
			}
			outcomes[outcome]++
			s.hangUp(true)
			if said := end(); strings.Contains(said, "panic") || strings.Contains(said, "goroutine ") {
				t.Errorf("the hub: %s", said)
			}
		})
	}
	t.Logf("%d stores damaged: %v", *damageFlag, outcomes)
}

// kept reports whether most of the bytes are still in a file of the folder. Some pages may differ, because a hub writes to a store before it
// finds the damage.
func kept(home string, raw []byte) bool {
	files, _ := filepath.Glob(filepath.Join(home, "sallyport.db*"))
	for _, file := range files {
		now, err := os.ReadFile(file)
		if err != nil || len(now) < len(raw) {
			continue
		}
		same, pages := 0, 0
		for i := 0; i+4096 <= len(raw); i += 4096 {
			pages++
			if bytes.Equal(now[i:i+4096], raw[i:i+4096]) {
				same++
			}
		}
		if same >= pages/2 {
			return true
		}
	}
	return len(raw) < 4096
}
