package follow

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

func TestABurstOfEventsIsOneLookOnceItIsQuiet(t *testing.T) {
	for name, c := range map[string]struct {
		longest time.Duration
		looks   int64 // during ten events, each half of Settle after the last
	}{
		"as long as it lasts":             {0, 0},
		"but no longer than it may delay": {2 * time.Second, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var looks atomic.Int64
				watcher := &fsnotify.Watcher{Events: make(chan fsnotify.Event), Errors: make(chan error)}
				closing := make(chan struct{})
				go Files{
					Settle: time.Second, Longest: c.longest, Closing: closing,
					Matters: func(file string) bool { return file == "mine" }, Look: func() { looks.Add(1) },
				}.Run(watcher)
				after := func(d time.Duration, want int64) {
					t.Helper()
					time.Sleep(d)
					synctest.Wait()
					if got := looks.Load(); got != want {
						t.Fatalf("%d looks, want %d", got, want)
					}
				}
				after(0, 1) // from the start
				watcher.Events <- fsnotify.Event{Name: "another"}
				after(time.Minute, 1)
				for range 10 {
					watcher.Events <- fsnotify.Event{Name: "mine"}
					time.Sleep(time.Second / 2)
				}
				after(0, 1+c.looks)
				after(time.Minute, 2+c.looks)
				watcher.Errors <- fsnotify.ErrEventOverflow
				after(time.Minute, 3+c.looks)
				close(closing)
			})
		})
	}
}

func TestWithoutEventsAFileIsCheckedNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int64
		var changed atomic.Bool
		closing, wake := make(chan struct{}), make(chan struct{})
		go Files{Settle: time.Second, Every: time.Minute, Wake: wake, Closing: closing, Changed: func() bool { return changed.Swap(false) }, Look: func() { looks.Add(1) }}.Run(nil)
		after := func(d time.Duration, want int64) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := looks.Load(); got != want {
				t.Fatalf("%d looks, want %d", got, want)
			}
		}
		after(time.Hour, 1)
		changed.Store(true)
		after(2*time.Minute, 2)
		wake <- struct{}{}
		after(time.Second, 3)
		close(closing)
	})
}

func TestAFileIsTheSameUntilItIsWrittenReplacedOrRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	look := func() os.FileInfo {
		info, _ := os.Stat(path)
		return info
	}
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	missing := look()
	put("one")
	first := look()
	if !Same(missing, nil) || Same(missing, first) || !Same(first, look()) {
		t.Error("a file that was made is not told from a missing one")
	}
	put("another")
	if Same(first, look()) {
		t.Error("a written file is the same")
	}
	second := look()
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	put("another")
	if Same(second, look()) || Same(second, nil) {
		t.Error("a replaced file is the same")
	}
}
