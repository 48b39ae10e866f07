package control

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sallyport/sallyport/proxy/peer"
	"github.com/sallyport/sallyport/proxy/proc"
)

// lowestMark is transport's.
const lowestMark = 1 << 60

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

// killOne is how many processes of one mark were killed.
func killOne(s *server, mark uint64) int { return s.kill(map[uint64]bool{mark: true})[mark] }

func TestWhatHasAMarkThatNobodyShowsIsEnded(t *testing.T) {
	const foreign = 4096
	lost := lowestMark + rand.Uint64N(lowestMark/2)
	held := lost + 1
	hub := newTestHub()
	s := &server{handler: hub, log: slog.New(slog.DiscardHandler)}
	left := limited(t, 1, lost)
	limited(t, held, held)
	wrapper := limited(t, held, unix.RLIM_INFINITY)
	limited(t, foreign, foreign)
	is := func(when string, mark uint64, want bool) {
		t.Helper()
		if marks, err := peer.LeftMarks(); err != nil || marks[mark] != want {
			t.Errorf("%s: %v, %v", when, marks, err)
		}
	}
	is("no wrapper", lost, true)
	is("a wrapper that lives", held, false)
	is("a limit of somebody else's", foreign, false)
	for _, mark := range []uint64{foreign, unix.RLIM_INFINITY, 0, lost + 50} {
		if n := killOne(s, mark); n != 0 {
			t.Fatalf("%d processes were killed for a mark that is none", n)
		}
	}
	n := killOne(s, lost)
	is("killed, and its parent has not heard of it", lost, false)
	if err := left.Wait(); err == nil || n != 1 {
		t.Errorf("%v, killed %d", err, n)
	}
	_ = wrapper.Process.Kill()
	_ = wrapper.Wait()
	is("its wrapper was killed", held, true)
	if n := killOne(s, held); n != 1 {
		t.Errorf("killed %d", n)
	}
	s.tell(Register{Mark: lost}, 3)
	if hub.ended != 3 {
		t.Errorf("told of %d", hub.ended)
	}
}

func TestAHubShowsNoMarkThatItsWrapperShows(t *testing.T) {
	h := testHome(t)
	mark := lowestMark + rand.Uint64N(lowestMark)
	started := exec.Command("prlimit", fmt.Sprintf("--locks=%d:unlimited", mark), self(t), "hub")
	started.Env = append(os.Environ(), "SALLYPORT_HOME="+h.Dir)
	startProgram(t, started)
	t.Cleanup(func() {
		_ = started.Process.Kill()
		_ = started.Wait()
	})
	within(t, "the hub answers", func() bool { return answers(t, h) })
	var limit unix.Rlimit
	if err := unix.Prlimit(started.Process.Pid, unix.RLIMIT_LOCKS, nil, &limit); limit.Cur != unix.RLIM_INFINITY || limit.Max != unix.RLIM_INFINITY || err != nil {
		t.Errorf("%d, %d, %v", limit.Cur, limit.Max, err)
	}
}

// A process whose first thread has ended looks dead and is not.
func TestWhatRunsOnWithoutItsFirstThreadIsEnded(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	p := exec.Command(python, "-c", "import ctypes,threading,time\nthreading.Thread(target=time.sleep,args=(60,)).start()\nctypes.CDLL(None).syscall("+strconv.Itoa(unix.SYS_EXIT)+",0)")
	startProgram(t, p)
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	})
	pid := p.Process.Pid
	within(t, "its first thread has ended", func() bool {
		stat, _ := proc.Text(pid, "stat")
		return strings.Contains(stat, ") Z ")
	})
	mark := lowestMark + rand.Uint64N(lowestMark)
	if err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: mark, Max: mark}, nil); err != nil {
		t.Fatal(err)
	}
	s := &server{handler: newTestHub(), log: slog.New(slog.DiscardHandler)}
	if left, err := peer.LeftMarks(); err != nil || !left[mark] {
		t.Errorf("%v, %v", left, err)
	}
	if n := killOne(s, mark); n != 1 {
		t.Errorf("killed %d", n)
	}
}

func TestAHubThatAServerStartedIsNone(t *testing.T) {
	h := testHome(t)
	hub := command(t, h, self(t), "hub")
	startProgram(t, hub)
	within(t, "the hub answers", func() bool { return answers(t, h) })
	for _, limit := range []uint64{lowestMark + rand.Uint64N(lowestMark), 7} { // its mark, and less yet
		if err := unix.Prlimit(hub.Process.Pid, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: limit, Max: limit}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(testContext(t), h, RoleWrapper); !errors.Is(err, peer.ErrForeign) {
			t.Errorf("%d: %v", limit, err)
		}
	}
}
