//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A store is damaged under a running hub, while a client calls. Nothing unapproved passes, every call gets a response, the hub itself makes
// room for one that asks what to do, the rest of the store is kept, and one decision is enough to go on.
func TestAStoreThatIsDamagedInUseOpensNothingAndLeadsOn(t *testing.T) {
	t.Parallel()
	for damage, do := range map[string]func(path string, size int64) error{
		"noise all over":                  func(path string, size int64) error { return overwrite(path, 0, size) },
		"noise in all but the meta pages": func(path string, size int64) error { return overwrite(path, 8192, size) },
		// To four pages: most of a file can be unused room, and cutting that off is no damage.
		"cut":     func(path string, _ int64) error { return os.Truncate(path, 4*4096) },
		"emptied": func(path string, _ int64) error { return os.Truncate(path, 0) },
	} {
		t.Run(damage, func(t *testing.T) {
			dir := folder(t)
			h := at(t, filepath.Join(mkdir(t), "home"))
			end := h.hub()
			argv := script(t, dir, "storm.json", strings.NewReplacer("DRIFT", filepath.Join(dir, "drift"), daemonsRule, "").Replace(stormServer))
			s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
			s.handshake("2025-06-18")
			s.request("tools/list", `{}`)
			if out, exit := h.run("approve", h.inbox()[0].Code, "--tool", "echo", "--yes"); exit != 0 {
				t.Fatalf("approve: status %d: %s", exit, out)
			}
			s.heard("list_changed")
			for range 100 { // records to damage
				s.call("echo", `{}`)
			}
			path := filepath.Join(h.path, "sallyport.db")
			info, err := os.Stat(path)
			if err == nil {
				err = do(path, info.Size())
			}
			if err != nil {
				t.Fatal(err)
			}
			code := ""
			wait(t, "the hub gives way to one that asks", func() bool {
				if got := s.call("fresh", `{}`); strings.Contains(got, "poison") || !strings.Contains(got, "sallyport/decision") {
					t.Fatalf("a tool that nobody allows: %s", got)
				}
				if got := s.call("echo", `{}`); !strings.Contains(got, answered) && !strings.Contains(got, "sallyport/decision") {
					t.Fatalf("an answer that is neither: %s", got)
				}
				h.run("activity", "verify") // a reader: not every damage is found by writing
				for _, it := range h.status().Waiting {
					if it.Kind == "guard_problem" {
						code = it.Code
					}
				}
				return code != ""
			})
			wait(t, "a store that is lost allows nothing", func() bool { return strings.Contains(s.call("echo", `{}`), "sallyport/decision") })
			if files, _ := filepath.Glob(path + ".kept-*"); len(files) == 0 {
				t.Error("what is left of the store is not kept")
			}
			if out, exit := h.run("approve", code, "--yes"); exit != 0 {
				t.Fatalf("begin again: status %d: %s", exit, out)
			}
			wait(t, "the server is new", func() bool {
				return slices.ContainsFunc(h.inbox(), func(w waiting) bool { return w.Kind == "new_server" })
			})
			if out, exit := h.run("approve", h.inbox()[0].Code, "--tool", "echo", "--yes"); exit != 0 {
				t.Fatalf("approve: status %d: %s", exit, out)
			}
			wait(t, "what was allowed anew works", func() bool { return strings.Contains(s.call("echo", `{}`), answered) })
			if got := s.call("fresh", `{}`); !strings.Contains(got, "sallyport/decision") {
				t.Errorf("a tool that nobody allows: %s", got)
			}
			s.hangUp(true)
			if out, exit := h.run("activity", "verify"); exit != 0 {
				t.Errorf("the chain of the new store: status %d: %s", exit, out)
			}
			if said := end(); strings.Contains(said, "panic") || strings.Contains(said, "goroutine ") {
				t.Errorf("the hub: %s", said)
			}
		})
	}
}

// overwrite leaves the length in each page's head 0. A commit under way trusts that of the list of free pages and would allocate tens of
// gigabytes for noise there. Otherwise package store checks first.
func overwrite(path string, from, to int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	noise := []byte(strings.Repeat("noise", int(to-from)/5))
	for page := 0; page+16 <= len(noise); page += 4096 {
		clear(noise[page+12 : page+16])
	}
	if _, err := f.WriteAt(noise, from); err != nil {
		return fmt.Errorf("damage: %w", err)
	}
	return nil
}
