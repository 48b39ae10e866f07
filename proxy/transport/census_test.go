//go:build linux

package transport

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/proc/table"
)

// census lists the processes with dir as their working folder, by which a test recognises every process of its server, however often it
// forked. A zombie no longer has one.
func census(t *testing.T, dir string) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	var living []string
	for _, link := range links {
		if cwd, err := os.Readlink(link); err == nil && cwd == dir {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			living = append(living, filepath.Base(filepath.Dir(link))+" "+string(line))
		}
	}
	return living
}

func alive(pid int) bool {
	p, err := table.Read(pid)
	return err == nil && !p.Dead
}

func parentOf(t *testing.T, pid int) int {
	t.Helper()
	p, err := table.Read(pid)
	if err != nil {
		t.Fatalf("process %d is gone", pid)
	}
	return p.Parent
}

// eventually polls a condition that can't be waited for otherwise.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("not within 30 s: %s", what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// markedDir is a folder with a unique name, as the kernel spells it.
func markedDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
