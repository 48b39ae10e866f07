package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func taskOf(id string) Task {
	made := time.Date(2026, 7, 28, 1, 2, 3, 0, time.UTC)
	return Task{ID: TaskID(id), Item: "tool:" + argumentSecret, Made: made, Until: TaskUntil(made, time.Minute)}
}

func taskFiles(t *testing.T, home Home) []string {
	t.Helper()
	return must(filepath.Glob(filepath.Join(home.Spool, "*"+taskSuffix+"*")))
}

func (h *testHub) taskIDs() (ids []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.tasks {
		ids = append(ids, t.ID)
	}
	return ids
}

func TestATaskIsKnownUntilADayAfterItsServerForgetsIt(t *testing.T) {
	made := time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ lasts, until time.Duration }{
		{0, 30 * 24 * time.Hour},
		{-time.Second, 30 * 24 * time.Hour},
		{time.Minute, 24*time.Hour + time.Minute},
		{1<<63 - 1, 10*365*24*time.Hour + 24*time.Hour},
	} {
		if got := TaskUntil(made, c.lasts).Sub(made); got != c.until {
			t.Errorf("one that lasts %v is known for %v, want %v", c.lasts, got, c.until)
		}
	}
}

func TestWhileTheHubIsAwayTasksAreSealedOnTheDiskAndDeliveredOnce(t *testing.T) {
	h, hub, l, stop := sealing(t)
	if err := l.KeepTask(testContext(t), taskOf("0")); err != nil || len(taskFiles(t, h)) != 0 {
		t.Fatalf("%v, %v", err, taskFiles(t, h))
	}
	stop()
	within(t, "the hub is away", func() bool { return !l.Connected() })
	want := []string{TaskID("0")}
	for i := range 3 {
		task := taskOf(fmt.Sprint(i + 1))
		want = append(want, task.ID)
		if err := l.KeepTask(testContext(t), task); err != nil {
			t.Fatal(err)
		}
	}
	if files := taskFiles(t, h); len(files) != 1 {
		t.Fatalf("written down: %v", files)
	}
	if bad := inClear(t, h.Spool); len(bad) > 0 {
		t.Errorf("in clear: %q", bad)
	}
	raw := must(os.ReadFile(taskFiles(t, h)[0]))
	if bytes.Contains(raw, []byte(TaskID("1"))) || bytes.Count(raw, []byte("\n")) != 4 {
		t.Errorf("the file is %s", raw)
	}
	serveHub(t, h, hub, Options{})
	within(t, "all are with the hub", func() bool { return len(taskFiles(t, h)) == 0 })
	if got := hub.taskIDs(); !slices.Equal(got, want) {
		t.Errorf("delivered %v, want %v", got, want)
	}
	if err := l.KeepTask(testContext(t), taskOf("4")); err != nil || len(hub.taskIDs()) != 5 {
		t.Errorf("after that: %v, %v", err, hub.taskIDs())
	}
}

func TestAHubThatCannotStoreATaskLeavesItOnTheDiskUntilItCan(t *testing.T) {
	h, hub, l, _ := sealing(t)
	hub.mu.Lock()
	hub.noTasks = true
	hub.mu.Unlock()
	within(t, "it is connected", l.Connected)
	if err := l.KeepTask(testContext(t), taskOf("1")); err != nil || len(taskFiles(t, h)) != 1 {
		t.Fatalf("%v, %v", err, taskFiles(t, h))
	}
	hub.mu.Lock()
	hub.noTasks = false
	hub.mu.Unlock()
	within(t, "the hub has it", func() bool { return len(hub.taskIDs()) == 1 && len(taskFiles(t, h)) == 0 })
}

func TestATaskThatCanBeKeptNowhereIsAnError(t *testing.T) {
	t.Run("no hub was ever met", func(t *testing.T) {
		h := away(t)
		if err := testLink(t, LinkOptions{Home: h}).KeepTask(testContext(t), taskOf("1")); err == nil || len(taskFiles(t, h)) != 0 {
			t.Errorf("%v", err)
		}
	})
	t.Run("the home was removed", func(t *testing.T) {
		h, _, l, stop := sealing(t)
		stop()
		within(t, "the hub is away", func() bool { return !l.Connected() })
		if err := os.RemoveAll(h.Dir); err != nil {
			t.Fatal(err)
		}
		if err := l.KeepTask(testContext(t), taskOf("1")); err == nil {
			t.Error("it was kept")
		}
	})
	t.Run("too many wait for the hub", func(t *testing.T) {
		s := taskSpool{left: make([]Task, maxSpooledTasks)}
		if err := s.add(taskOf("1"), &SpoolKey{Server: "x", Key: bytes.Repeat([]byte{7}, 32)}); err == nil {
			t.Error("it was kept")
		}
	})
}

func TestTheTasksOfADeadWrapperAreReadByTheHomeAlone(t *testing.T) {
	h, hub, l, stop := sealing(t)
	stop()
	within(t, "the hub is away", func() bool { return !l.Connected() })
	if err := errors.Join(l.KeepTask(testContext(t), taskOf("1")), l.KeepTask(testContext(t), taskOf("2"))); err != nil {
		t.Fatal(err)
	}
	path := taskFiles(t, h)[0]
	raw := must(os.ReadFile(path))
	live := 0
	if err := ReadTasks(h.Spool, hub.spool.known, func(_ Register, tasks []Task) error { live += len(tasks); return nil }); err != nil || live != 2 {
		t.Errorf("of a living wrapper %d are read: %v", live, err)
	}
	if got := taskFiles(t, h); len(got) != 1 {
		t.Errorf("its file is gone: %v", got)
	}
	if err := l.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(raw), "\n")
	forged := string(must(encode(spooledTask{[]byte(`{"id":"` + TaskID("3") + `","item":"tool:echo"}`)})))
	for name, c := range map[string]struct {
		content string
		keys    Keys
		want    int
		gone    bool
	}{
		"by the hub of the home":               {string(raw), hub.spool.known, 2, true},
		"by another home":                      {string(raw), func(string) []byte { return bytes.Repeat([]byte{8}, 32) }, 0, true},
		"by who has no key":                    {string(raw), func(string) []byte { return nil }, 0, true},
		"one cut off when the wrapper died":    {string(raw[:len(raw)-9]), hub.spool.known, 1, true},
		"one that something else wrote":        {string(raw) + forged, hub.spool.known, 2, true},
		"one in clear":                         {string(raw) + `{"id":"x","item":"tool:echo"}` + "\n", hub.spool.known, 2, true},
		"one of another server under the key":  {strings.Replace(lines[0], "an id", "an IX", 1) + lines[1], func(string) []byte { return hub.spool.Key }, 0, true},
		"a file of which nothing was written":  {"", hub.spool.known, 0, true},
		"a file that holds none":               {"{}\n", hub.spool.known, 0, false},
		"a file with its beginning alone":      {lines[0], hub.spool.known, 0, true},
		"one twice, as after a hub was killed": {string(raw) + lines[1], hub.spool.known, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(path)
			n := 0
			err := ReadTasks(h.Spool, c.keys, func(from Register, tasks []Task) error {
				if from.Session != "sealed" {
					t.Errorf("from %+v", from)
				}
				n += len(tasks)
				return nil
			})
			if n != c.want || (err == nil) != c.gone || (len(taskFiles(t, h)) == 0) != c.gone {
				t.Errorf("%d were read, want %d: %v", n, c.want, err)
			}
		})
	}
	t.Run("the file stays until the hub has taken them", func(t *testing.T) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		full := errors.New("the disk is full")
		if err := ReadTasks(h.Spool, hub.spool.known, func(Register, []Task) error { return full }); !errors.Is(err, full) || len(taskFiles(t, h)) != 1 {
			t.Errorf("%v", err)
		}
	})
}

func TestAskingForTasksWaitsForTheHubThatComes(t *testing.T) {
	h, hub, l, stop := sealing(t)
	if err := l.KeepTask(testContext(t), taskOf("1")); err != nil {
		t.Fatal(err)
	}
	stop()
	within(t, "the hub is away", func() bool { return !l.Connected() })
	over, cancel := context.WithCancel(testContext(t))
	cancel()
	if known, err := l.KnownTasks(over, []string{TaskID("1")}); err == nil {
		t.Errorf("without a hub: %+v", known)
	}
	type answer struct {
		known []Task
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		known, err := l.KnownTasks(testContext(t), []string{TaskID("1"), TaskID("2")})
		answered <- answer{known, err}
	}()
	serveHub(t, h, hub, Options{})
	if got := <-answered; got.err != nil || len(got.known) != 1 || got.known[0] != taskOf("1") {
		t.Errorf("%+v", got)
	}
}
