package control

import (
	"errors"
	"log/slog"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

func TestTheMarkIsReadFromTheLimitsOfAProcess(t *testing.T) {
	const head = "Limit                     Soft Limit           Hard Limit           Units     \nMax cpu time              unlimited            unlimited            seconds   \n"
	for name, c := range map[string]struct {
		limits string
		soft   uint64
		hard   uint64
		known  bool
	}{
		"none":                          {head + "Max file locks            unlimited            unlimited            locks     \n", unix.RLIM_INFINITY, unix.RLIM_INFINITY, true},
		"a mark":                        {head + "Max file locks            2305843009213693953  2305843009213693959  locks     \n", 2305843009213693953, 2305843009213693959, true},
		"what a wrapper shows":          {head + "Max file locks            2305843009213693953  unlimited            locks     \n", 2305843009213693953, unix.RLIM_INFINITY, true},
		"one that was made lower":       {head + "Max file locks            1                    1                    locks     \n", 1, 1, true},
		"a kernel that does not say":    {head, 0, 0, false},
		"a line that is cut":            {head + "Max file locks            unlimited\n", 0, 0, false},
		"a line that is not understood": {head + "Max file locks            many                 many                 locks\n", 0, 0, false},
		"nothing":                       {"", 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			if soft, hard, err := locksOf(c.limits); soft != c.soft || hard != c.hard || (err == nil) != c.known {
				t.Errorf("%d, %d, %v", soft, hard, err)
			}
		})
	}
	if marked(1 << 30) {
		t.Error("a process that is not there has a mark")
	}
}

// limited is a process with these limits on file locks.
func limited(t *testing.T, soft, hard uint64) *exec.Cmd {
	t.Helper()
	sleep := exec.Command("sleep", "60")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = sleep.Process.Kill()
		_ = sleep.Wait()
	})
	if err := unix.Prlimit(sleep.Process.Pid, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: soft, Max: hard}, nil); err != nil {
		t.Fatal(err)
	}
	return sleep
}

func TestWhatHasAMarkThatNobodyShowsIsEnded(t *testing.T) {
	const lost, held, foreign = leastMark + 77001, leastMark + 77002, 4096
	hub := newTestHub()
	s := &server{handler: hub, log: slog.New(slog.DiscardHandler)}
	left := limited(t, 1, lost)
	limited(t, held, held)
	wrapper := limited(t, held, unix.RLIM_INFINITY)
	limited(t, foreign, foreign)
	is := func(when string, mark uint64, want bool) {
		t.Helper()
		if marks, err := leftMarks(); err != nil || marks[mark] != want {
			t.Errorf("%s: %v, %v", when, marks, err)
		}
	}
	is("no wrapper", lost, true)
	is("a wrapper that lives", held, false)
	is("a limit of somebody else's", foreign, false)
	for _, mark := range []uint64{foreign, unix.RLIM_INFINITY, 0, lost + 50} {
		s.end(Register{Mark: mark})
	}
	if hub.ended != 0 {
		t.Fatalf("%d processes were killed for marks that are none", hub.ended)
	}
	s.end(Register{Mark: lost})
	is("killed, and its parent has not heard of it", lost, false)
	if err := left.Wait(); err == nil || hub.ended != 1 {
		t.Errorf("%v, told of %d", err, hub.ended)
	}
	_ = wrapper.Process.Kill()
	_ = wrapper.Wait()
	is("its wrapper was killed", held, true)
	s.end(Register{Mark: held})
	if hub.ended != 2 {
		t.Errorf("told of %d", hub.ended)
	}
}

func TestAHubThatAServerStartedIsNone(t *testing.T) {
	h := testHome(t)
	hub := command(t, h, self(t), "hub")
	startProgram(t, hub)
	within(t, "the hub answers", func() bool { return answers(t, h) })
	for name, limit := range map[string]uint64{"its mark": leastMark + 77100, "and less yet": 7} {
		if err := unix.Prlimit(hub.Process.Pid, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: limit, Max: limit}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(testContext(t), h, RoleWrapper); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
