package app

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// The child of the tests that kill a hub in the middle of a write: it does one thing to a client's file, says where it is,
// and waits to be killed.
const (
	crashRoot  = "APP_TEST_CRASH_ROOT"
	crashPlace = "APP_TEST_CRASH_POINT"
	crashDoes  = "APP_TEST_CRASH_DOES"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, is := strings.CutPrefix(os.Args[1], "provider:"); is {
			playProvider(role)
			return
		}
	}
	if root := os.Getenv(crashRoot); root != "" {
		crashChild(root)
	}
	os.Exit(m.Run())
}

func crashChild(root string) {
	stop := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	home, err := control.HomeAt(filepath.Join(root, "home"))
	if err != nil {
		stop(err)
	}
	hub, err := Open(Options{
		Home: home, StartedBy: ByPerson, AllowCLI: true, Program: filepath.Join(root, "bin", "sallyport"), System: stage.Machine("linux", root), HomeCheck: time.Hour,
		crash: func(point string) {
			if point == os.Getenv(crashPlace) {
				fmt.Println(point)
				select {}
			}
		},
	})
	if err != nil {
		stop(err)
	}
	switch os.Getenv(crashDoes) {
	case "protect":
		_, err = hub.Protect(person, control.Protect{})
	case "held":
		err = crashHeld(hub)
	case "call":
		err = crashCall(hub)
	case "task":
		err = crashTask(hub)
	case "unprotect":
		_, err = hub.Unprotect(person, control.Protect{Decided: true})
	case "put back":
		var items []control.InboxItem
		for len(items) == 0 && err == nil {
			hub.LookAtAll()
			items, err = hub.Inbox()
		}
		if err == nil {
			_, err = hub.Decide(person, control.Decide{Code: items[0].Code, Digest: items[0].Digest})
		}
	}
	stop(fmt.Errorf("it came to an end: %w", errors.Join(err, hub.Close())))
}

// killed runs a hub that is killed with -9 at a point of a write.
func killed(t *testing.T, root, does, point string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(exe)
	child.Env = append(os.Environ(), crashRoot+"="+root, crashPlace+"="+point, crashDoes+"="+does)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != point {
		t.Errorf("the child said %q and ended", lines.Text())
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
}

func TestAHubKilledInTheMiddleOfAWriteLeavesTheOldStateOrTheNewOne(t *testing.T) {
	for _, does := range []string{"protect", "unprotect", "put back"} {
		for _, point := range []string{"noted", "written"} {
			for _, edited := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, edited since: %v", does, point, edited), func(t *testing.T) {
					root := t.TempDir()
					home, err := control.HomeAt(filepath.Join(root, "home"))
					if err != nil {
						t.Fatal(err)
					}
					d := deskAt(t, home, root, claudeFile, nil)
					if does != "protect" {
						d.protect()
					}
					if does == "put back" {
						d.Replace(`{"mcpServers": {}}`)
						d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
					}
					before := d.Text()
					d.Close()

					killed(t, root, does, point)
					after := d.Text()
					if (after == before) != (point == "noted") {
						t.Fatalf("killed when it was %s, the file is\n%s", point, after)
					}
					if edited {
						write(t, d.Path, strings.Replace(after, "{", "{\n\t\"mine\": 1,", 1))
					}
					d = deskAt(t, home, root, "", nil)
					d.LookAtAll()
					for _, f := range d.ProtectedFiles() {
						if f.Pending != nil {
							t.Errorf("still pending: %+v", f)
						}
					}
					happened := point == "written"
					watched := len(d.ProtectedFiles()) == 1
					switch does {
					case "protect":
						if watched != happened {
							t.Errorf("watched is %v", watched)
						}
						d.quiet()
					case "unprotect":
						if watched == happened {
							t.Errorf("watched is %v", watched)
						}
						d.quiet()
					case "put back":
						if happened {
							d.quiet()
							if !d.Guarded("files") {
								t.Error("not put back")
							}
							if rows := d.records("config_change"); !strings.Contains(mask.PlainJSON(rows), "put back") && !edited {
								t.Logf("timeline: %+v", len(rows))
							}
						} else {
							d.approve(d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed"))
							if !d.Guarded("files") {
								t.Error("it cannot be put back any more")
							}
						}
					}
					if edited && !strings.Contains(d.Text(), `"mine": 1`) {
						t.Error("the person's edit is gone")
					}
					// Whichever state holds now, unprotect restores the servers as they were.
					d.unprotect()
					if got := strings.Join(d.Argv("weather"), " "); got != "uvx weather" {
						t.Errorf("unprotected it runs %q", got)
					}
					if !edited && does != "put back" && d.Text() != claudeFile {
						t.Errorf("it came back as\n%s", d.Text())
					}
					left, err := filepath.Glob(filepath.Join(d.WholeFolder(), "*"))
					if err != nil || len(left) != 0 {
						t.Errorf("left behind: %v, %v", left, err)
					}
				})
			}
		}
	}
}

func TestAnUnfinishedWriteOverAFileThatCannotBeReadStaysOpen(t *testing.T) {
	root := t.TempDir()
	home, err := control.HomeAt(filepath.Join(root, "home"))
	if err != nil {
		t.Fatal(err)
	}
	d := deskAt(t, home, root, claudeFile, nil)
	d.Close()
	killed(t, root, "protect", "written")
	guarded := d.Text()
	write(t, d.Path, "{")
	d = deskAt(t, home, root, "", nil)
	eventually(t, "the problem", func() bool {
		status, err := d.Status()
		return err == nil && len(status.Problems) == 1 && status.Problems[0].Code == office.ProblemClientUnreadable
	})
	d.quiet()
	d.Replace(guarded)
	eventually(t, "the state that holds", func() bool {
		files := d.ProtectedFiles()
		return len(files) == 1 && files[0].Pending == nil && len(files[0].Entries) == 2
	})
	d.unprotect()
	if d.Text() != claudeFile {
		t.Errorf("it came back as\n%s", d.Text())
	}
}
