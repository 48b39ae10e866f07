//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk is a home on a file system of its own, this many KiB large. A test that may not mount runs again, whole, in its own user and
// mount namespace, where it may.
func smallDisk(t *testing.T, size string) (h *installation, remount func(readOnly bool)) {
	t.Helper()
	root := mkdir(t)
	mountErr := syscall.Mount("tmpfs", root, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0700,size="+size)
	if mountErr != nil && os.Getenv("E2E_INSIDE") == "" {
		inside := exec.Command("unshare", "--user", "--map-root-user", "--mount", os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		inside.Env = append(os.Environ(), "E2E_INSIDE=1")
		if out, err := inside.CombinedOutput(); err != nil {
			t.Fatalf("this test needs a small file system: either CAP_SYS_ADMIN or user namespaces (mount: %v; in a namespace of its own: %v)\n%s", mountErr, err, out)
		}
		return nil, nil
	}
	if mountErr != nil {
		t.Fatalf("no small file system can be mounted here, not even in a namespace of its own: %v", mountErr)
	}
	t.Cleanup(func() { _ = syscall.Unmount(root, syscall.MNT_DETACH) })
	return at(t, filepath.Join(root, "home")), func(readOnly bool) {
		t.Helper()
		flags := uintptr(syscall.MS_REMOUNT | syscall.MS_NOSUID | syscall.MS_NODEV)
		if readOnly {
			flags |= syscall.MS_RDONLY
		}
		if err := syscall.Mount("", root, "", flags|syscall.MS_BIND, ""); err != nil {
			t.Fatalf("remount: %v", err)
		}
	}
}

// fillDisk writes until the disk is full and returns a function that makes room again.
func fillDisk(t testing.TB, h *installation) (clear func()) {
	t.Helper()
	path := filepath.Join(filepath.Dir(h.path), "ballast")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 16; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// diskStory checks what must hold while a disk takes no writes: what is allowed works, nothing else gets through, every call gets a response,
// and a decision fails and says so. Once it takes writes again, everything missing is recorded, exactly once.
func diskStory(t *testing.T, h *installation, fail, mend func()) {
	t.Helper()
	dir := folder(t)
	drift := filepath.Join(dir, "drift")
	h.hub()
	argv := script(t, dir, "storm.json", strings.NewReplacer(daemonsRule, "", "DRIFT", drift).Replace(stormServer))
	s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
	s.handshake("2025-06-18")
	s.request("tools/list", `{}`)
	if out, exit := h.run("approve", h.inbox()[0].Code, "--tool", "echo", "--yes"); exit != 0 {
		t.Fatalf("approve: status %d: %s", exit, out)
	}
	s.heard("list_changed")
	made := 0
	call := func(n int) {
		t.Helper()
		for range n {
			if got := s.call("echo", `{}`); !strings.Contains(got, answered) {
				t.Fatalf("an approved tool: %s", got)
			}
			made++
		}
	}
	call(20)
	wait(t, "the first calls are in the timeline", func() bool { return h.calls("ok") == made })

	fail()
	call(300)
	if err := os.WriteFile(drift, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused := 0
	wait(t, "the changed tool is refused", func() bool {
		got := s.call("echo", `{}`)
		if strings.Contains(got, "poison") {
			t.Fatalf("a changed tool answered: %s", got)
		}
		if strings.Contains(got, answered) {
			made++
			return false
		}
		refused++
		return true
	})
	for range 5 {
		if got := s.call("fresh", `{}`); strings.Contains(got, "poison") || !strings.Contains(got, "[Sallyport]") {
			t.Fatalf("a new tool: %s", got)
		}
		refused++
	}
	if out, exit := h.run("block", h.identity()); exit != 1 || strings.Count(strings.TrimSpace(out), "\n") != 0 {
		t.Errorf("a decision that cannot be kept: status %d: %s", exit, out)
	}
	problems := h.status().Problems
	if len(problems) == 0 || problems[0].Code != "SP-008" {
		t.Errorf("problems: %+v", problems)
	}
	// A client that starts now gets nothing unapproved, whatever else works.
	late := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
	late.handshake("2025-06-18")
	if got := late.call("fresh", `{}`); strings.Contains(got, "poison") || !strings.Contains(got, "[Sallyport]") {
		t.Errorf("a new tool, to a client that came late: %s", got)
	}
	refused++

	mend()
	if err := os.Remove(drift); err != nil {
		t.Fatal(err)
	}
	wait(t, "what returned to what was allowed works again", func() bool {
		got := s.call("echo", `{}`)
		if strings.Contains(got, answered) {
			made++
			return true
		}
		refused++
		return false
	})
	call(20)
	s.hangUp(true)
	late.hangUp(true) // not earlier: a wrapper that ends while neither hub nor spool can write loses its records
	wait(t, "every call is in the timeline", func() bool { return h.calls("ok") >= made })
	wait(t, "every refusal is in the timeline", func() bool { return h.calls("blocked") >= refused })
	if ok, blocked := h.calls("ok"), h.calls("blocked"); ok != made || blocked != refused {
		t.Errorf("%d calls and %d refusals, in the timeline %d and %d", made, refused, ok, blocked)
	}
	if out, exit := h.run("block", h.identity()); exit != 0 {
		t.Errorf("block: status %d: %s", exit, out)
	}
	if problems := h.status().Problems; len(problems) != 0 {
		t.Errorf("problems that are over: %+v", problems)
	}
	if out, exit := h.run("activity", "verify"); exit != 0 {
		t.Errorf("the chain: status %d: %s", exit, out)
	}
}

// identity is that of the only server.
func (h *installation) identity() string {
	h.t.Helper()
	out, _ := h.run("servers", "--json")
	_, rest, _ := strings.Cut(out, `"server":"`)
	name, _, _ := strings.Cut(rest, `"`)
	if name == "" {
		h.t.Fatalf("no server: %s", out)
	}
	return name
}

func TestAFullDiskOpensNothingAndLosesNothing(t *testing.T) {
	h, _ := smallDisk(t, "4m")
	if h == nil {
		return // it ran in the namespace
	}
	var clear func()
	diskStory(t, h, func() { clear = fillDisk(t, h) }, func() { clear() })
}

// A read-only home. A file system with a file open for writing can't become read-only, so a hub finds out when it starts. Then even what was
// allowed stays blocked, because the hub can't lock the store.
func TestAReadOnlyHomeBlocksEverythingUntilItCanBeWritten(t *testing.T) {
	t.Parallel()
	h, remount := smallDisk(t, "4m")
	if h == nil {
		return
	}
	dir := folder(t)
	end := h.hub()
	argv := script(t, dir, "server.json", plainServer)
	s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
	s.handshake("2025-06-18")
	s.request("tools/list", `{}`)
	h.approve()
	wait(t, "what was allowed works", func() bool { return strings.Contains(s.call("echo", `{}`), answered) })
	s.hangUp(true)
	end()
	remount(true)
	if out, exit := h.run("hub", "--allow-cli-approval"); exit != 1 || !strings.Contains(out, "read-only file system") || strings.Count(strings.TrimSpace(out), "\n") != 0 {
		t.Errorf("a hub that can write nothing: status %d: %s", exit, out)
	}
	s = launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
	s.handshake("2025-06-18")
	for range 50 {
		if got := s.call("echo", `{}`); !strings.Contains(got, "sallyport/decision") {
			t.Fatalf("without a hub: %s", got)
		}
	}
	remount(false)
	wait(t, "what was allowed works again", func() bool { return strings.Contains(s.call("echo", `{}`), answered) })
	s.hangUp(true)
	h.person()
	wait(t, "every refusal is in the timeline", func() bool { return h.calls("blocked") >= 50 })
	if out, exit := h.run("activity", "verify"); exit != 0 {
		t.Errorf("the chain: status %d: %s", exit, out)
	}
}

// A hub that starts on a full disk or in a read-only home leaves no half-made home, lets nothing through and says why.
func TestAHubThatStartsWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	for name, full := range map[string]bool{"a full disk": true, "a read-only home": false} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			h, remount := smallDisk(t, "4m")
			if h == nil {
				return
			}
			dir := folder(t)
			argv := script(t, dir, "server.json", plainServer)
			if err := os.Mkdir(h.path, 0o700); err != nil {
				t.Fatal(err)
			}
			mend := func() { remount(false) }
			if full {
				mend = fillDisk(t, h)
			} else {
				remount(true)
			}
			s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
			s.start("0", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1.0"}}`)
			s.answer("0")
			s.notify("notifications/initialized", `{}`)
			if got := s.call("echo", `{}`); !strings.Contains(got, "sallyport/decision") {
				t.Errorf("without a hub: %s", got)
			}
			mend()
			h.person()
			wait(t, "the server waits for a review", func() bool { return len(h.inbox()) == 1 })
			h.approve()
			wait(t, "what was allowed works", func() bool { return strings.Contains(s.call("echo", `{}`), answered) })
			s.hangUp(true)
			if out, exit := h.run("activity", "verify"); exit != 0 {
				t.Errorf("the chain: status %d: %s", exit, out)
			}
		})
	}
}
