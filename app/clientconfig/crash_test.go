package clientconfig

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// writeForEver is set in a process that only writes the file it names, for ever.
const writeForEver = "CLIENTCONFIG_TEST_WRITES"

func TestMain(m *testing.M) {
	if path := os.Getenv(writeForEver); path != "" {
		backups := &Backups{Dir: filepath.Join(filepath.Dir(filepath.Dir(path)), "backups")}
		for i := 0; ; i++ {
			was, err := Read(path)
			if err == nil {
				_, err = Write(path, was, []byte(whole(i%2)), backups)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	flag.Parse()
	os.Exit(m.Run())
}

// whole is one of two texts, neither of which looks like half of the other.
func whole(i int) string { return fmt.Sprintf("[%s]", strings.Repeat(fmt.Sprint(i), 20000)) }

func TestKilledAtAnyMomentTheFileIsTheOldOneOrTheNewOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claude", claudeFile)
	put(t, path, whole(0))
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	for range rounds {
		var said strings.Builder
		writes := exec.Command(os.Args[0])
		writes.Env = append(os.Environ(), writeForEver+"="+path)
		writes.Stderr = &said
		if err := writes.Start(); err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		// It is killed after a few writes, at any point.
		changes := 1 + rand.IntN(20)
		for deadline := time.Now().Add(20 * time.Second); changes > 0; {
			if time.Now().After(deadline) {
				t.Fatalf("it does not write: %s", &said)
			}
			if info, err := os.Stat(path); err == nil && !os.SameFile(info, before) {
				before, changes = info, changes-1
			}
		}
		if err := writes.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		writes.Wait()
		if now := text(t, path); now != whole(0) && now != whole(1) {
			t.Fatalf("the file has %d bytes, %.20q", len(now), now)
		}
		backups := &Backups{Dir: filepath.Join(filepath.Dir(filepath.Dir(path)), "backups")}
		list, err := backups.List()
		if err != nil || len(list) == 0 {
			t.Fatalf("backups are %v, %v", list, err)
		}
		if _, err := backups.Text(list[0]); err != nil {
			t.Errorf("the newest backup: %v", err)
		}
	}
}

func TestTenWritersLoseNothingOfEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), claudeFile)
	put(t, path, "\n")
	backups := &Backups{Dir: filepath.Join(t.TempDir(), "backups")}
	var writers sync.WaitGroup
	for i := range 10 {
		writers.Go(func() {
			for line := 0; line < 3; {
				was, err := Read(path)
				if err != nil {
					t.Error(err)
					return
				}
				now := string(was) + fmt.Sprintf("%d.%d\n", i, line)
				switch _, err := Write(path, was, []byte(now), backups); {
				case err == nil:
					line++
				case !errors.Is(err, ErrChanged):
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	final := text(t, path)
	for i := range 10 {
		for line := range 3 {
			if n := strings.Count(final, fmt.Sprintf("\n%d.%d\n", i, line)); n != 1 {
				t.Errorf("%d.%d stands there %d times", i, line, n)
			}
		}
	}
	if left := files(t, filepath.Dir(path)); left != claudeFile {
		t.Errorf("left %s", left)
	}
}
