//go:build linux

package transport

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/proc/table"
	"github.com/sallyport/sallyport/proxy/program"
	"github.com/sallyport/sallyport/proxy/transport/guard"
)

func start(t *testing.T, c Command) *ServerProcess {
	t.Helper()
	p, err := Start(context.Background(), c, os.Stderr, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func output(t *testing.T, c Command) string {
	t.Helper()
	all, err := io.ReadAll(start(t, c).Stdout)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func TestEnvironmentPassesByteForByteWithoutOurVariables(t *testing.T) {
	given := []string{
		"B=2", "A=1", "SALLYPORT_HOME=/secret", "A=again", "no equals sign", "=odd", "SALLYPORT=kept", "sallyport_home=kept",
		"SALLYPORT_=gone", "XSALLYPORT_HOME=kept", "EMPTY=", "LINES=one\ntwo", "BYTES=\xff\xfe", "GODEBUG=madvdontneed=0",
	}
	want := "B=2\x00A=1\x00A=again\x00no equals sign\x00=odd\x00SALLYPORT=kept\x00sallyport_home=kept\x00" +
		"XSALLYPORT_HOME=kept\x00EMPTY=\x00LINES=one\ntwo\x00BYTES=\xff\xfe\x00GODEBUG=madvdontneed=0\x00"
	cat := []string{"/bin/cat", "/proc/self/environ"}
	t.Run("an environment that is given", func(t *testing.T) {
		if got := output(t, Command{Argv: cat, Env: given}); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
	t.Run("the wrapper's own, repeated names included", func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		wrapper, err := os.StartProcess(os.Args[0], append([]string{os.Args[0], "role:environ"}, cat...), // not os/exec: it tidies up
			&os.ProcAttr{Env: given, Files: []*os.File{nil, w, os.Stderr}})
		w.Close()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if state, err := wrapper.Wait(); err != nil || !state.Success() {
			t.Fatal(state, err)
		}
		if string(got) != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
	t.Run("the wrapper's own after it changed", func(t *testing.T) {
		t.Setenv("TRANSPORT_TEST", "set later")
		t.Setenv("SALLYPORT_HOME", "/secret")
		var want []string
		for _, entry := range os.Environ() {
			if !strings.HasPrefix(entry, "SALLYPORT_") {
				want = append(want, entry)
			}
		}
		got := strings.Split(strings.TrimSuffix(output(t, Command{Argv: cat}), "\x00"), "\x00")
		if !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}

func TestArgumentsAndFolderPassAsTheyAre(t *testing.T) {
	dir := markedDir(t)
	got := output(t, Command{Argv: []string{"sh", "-c", `pwd; printf '<%s>' "$0" "$@"`, "", "a b", "--", "\xff\n", ""}, Dir: dir})
	if want := dir + "\n<><a b><--><\xff\n><>"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// It compares with a start without us, because the tests may have inherited open files.
func TestTheServerHasNoFileOfOurs(t *testing.T) {
	list := []string{"sh", "-c", `for fd in /proc/$$/fd/*; do echo "${fd##*/}"; done`}
	direct := exec.Command(list[0], list[1:]...)
	direct.Stdin, direct.Stderr = strings.NewReader("x"), io.Discard // pipes, as the server has
	want, err := direct.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := output(t, Command{Argv: list}); got != string(want) {
		t.Errorf("open in the server: %q, without us %q", got, want)
	}
}

func TestACommandThatCannotStartIsExplainedInOneLine(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, mode os.FileMode, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := file("plain", 0o644, "#!/bin/sh\n")
	file("tool", 0o755, "#!/bin/sh\n")
	for _, c := range []struct {
		name string
		Command
		reason string
	}{
		{"not in PATH", Command{Argv: []string{"no-such-program"}}, "not found in PATH: install it, or give its full path"},
		{"not in the server's own PATH", Command{Argv: []string{"sh"}, Env: []string{"PATH=" + dir}}, "not found in PATH: install it, or give its full path"},
		{"no such file", Command{Argv: []string{dir + "/none"}}, "no such file: install it, or correct the path"},
		{"not executable", Command{Argv: []string{plain}}, "permission denied: the file is not executable"},
		{"not executable in PATH", Command{Argv: []string{"plain"}, Env: []string{"PATH=" + dir}}, `permission denied: "` + plain + `" is not executable`},
		{"a folder", Command{Argv: []string{dir}}, "it is a folder, not a program"},
		{"an interpreter that is missing", Command{Argv: []string{file("orphan", 0o755, "#!/no/such/python -u\n")}}, `its interpreter "/no/such/python": no such file or directory`},
		{"an interpreter that is not executable", Command{Argv: []string{file("denied", 0o755, "#!"+plain+"\n")}}, `its interpreter "` + plain + `": permission denied`},
		{"an interpreter with terminal escapes", Command{Argv: []string{file("escape", 0o755, "#!/\x1b[31m\n")}}, `its interpreter "/\x1b[31m": no such file or directory`},
		{"another machine's program", Command{Argv: []string{file("binary", 0o755, "\x7fELF\x00\x00\x00garbage")}}, "not a program for this machine (exec format error)"},
		{"a relative folder in PATH", Command{Argv: []string{"tool"}, Dir: dir, Env: []string{"PATH=.:/bin"}}, "PATH finds it only in a relative folder, which is refused: give its full path"},
		{"an empty element in PATH", Command{Argv: []string{"tool"}, Dir: dir, Env: []string{"PATH=:/bin"}}, "PATH finds it only in a relative folder, which is refused: give its full path"},
		{"a working folder that is missing", Command{Argv: []string{"sh"}, Dir: dir + "/none"}, "its working folder does not exist"},
		{"an argument that is too long", Command{Argv: []string{"sh", strings.Repeat("x", 1<<20)}}, "its arguments and environment are too long for this system"},
		{"arguments beyond any limit", Command{Argv: []string{"sh", strings.Repeat("x", 9<<20)}}, "its arguments and environment are too long for this system"},
		{"a null byte", Command{Argv: []string{"sh", "a\x00b"}}, "its arguments or environment hold a null byte"},
		{"no command", Command{}, "no command given"},
		{"an empty command", Command{Argv: []string{""}}, "no command given"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "not executable" && os.Geteuid() == 0 && program.Runnable(plain) {
				t.Fatal("the file system lets root run everything")
			}
			c.Argv = append(slices.Clone(c.Argv), "--token=hunter2")
			if len(c.Command.Argv) == 1 {
				c.Argv = nil
			}
			p, err := Start(context.Background(), c.Command, io.Discard, nil)
			var failed *StartError
			if !errors.As(err, &failed) || p != nil {
				t.Fatalf("%v, %v", p, err)
			}
			if failed.Reason != c.reason {
				t.Errorf("got  %s\nwant %s", failed.Reason, c.reason)
			}
			if strings.ContainsAny(err.Error(), "\n\x1b") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("not one clean line without arguments: %q", err)
			}
		})
	}
}

func TestAScriptWithoutAFirstLineRunsAsExecvpWouldRunIt(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/script", []byte(`printf '<%s>' "$0" "$@"`), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{dir + "/script", "a b"}, {"./script", "a b"}} {
		if got, want := output(t, Command{Argv: argv, Dir: dir}), "<"+argv[0]+"><a b>"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAStartThatIsCancelledLeavesNothing(t *testing.T) {
	dir := markedDir(t)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Start(cancelled, Command{Argv: []string{"sleep", "1000"}, Dir: dir}, nil, nil); err == nil {
		t.Fatal("it started")
	}
	g, err := Prepare()
	if err != nil {
		t.Fatal(err)
	}
	g.Close()
	if alive(g.PID) || len(census(t, dir)) > 0 {
		t.Fatal("something lives")
	}
}

func TestFailedStartsKeepNoFilesAndNoProcesses(t *testing.T) {
	count := func() int {
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(open)
	}
	fail := func() {
		if _, err := Start(context.Background(), Command{Argv: []string{t.TempDir()}}, nil, nil); err == nil {
			t.Fatal("a folder started")
		}
	}
	children := func() map[int]bool {
		self, pids := os.Getpid(), map[int]bool{}
		guard.Descendants(func(p table.Process) bool { return p.Parent == self }, func(p table.Process) { pids[p.PID] = true })
		return pids
	}
	fail()
	before, had := count(), children()
	for range 5 {
		fail()
	}
	if after := count(); after > before {
		t.Errorf("%d files open, %d before", after, before)
	}
	for pid := range children() {
		if !had[pid] {
			line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			t.Errorf("process %d is left: %q", pid, line)
		}
	}
}

func TestAGuardStartsNoServers(t *testing.T) {
	name, value, _ := strings.Cut(guard.Mark, "=")
	t.Setenv(name, value)
	if _, err := Start(context.Background(), Command{Argv: []string{"true"}}, nil, nil); err == nil || !strings.Contains(err.Error(), "a guard itself") {
		t.Fatal(err)
	}
}
