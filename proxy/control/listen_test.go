//go:build linux

package control

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestAHomeHasOneHub(t *testing.T) {
	h := testHome(t)
	serveHub(t, h, newTestHub(), Options{})
	if _, err := Listen(h); !errors.Is(err, ErrRunning) {
		t.Errorf("the second: %v", err)
	}
	dial(t, h, RoleCLI) // the first still answers
}

func TestTwoRuntimeFoldersOfOneHomeHaveOneHub(t *testing.T) {
	h := testHome(t)
	h.Socket = filepath.Join(filepath.Dir(h.Dir), "a", "hub.sock")
	serveHub(t, h, newTestHub(), Options{})
	other := h
	other.Socket = filepath.Join(filepath.Dir(h.Dir), "b", "hub.sock")
	if _, err := Listen(other); !errors.Is(err, ErrRunning) {
		t.Errorf("the second: %v", err)
	}
	dial(t, other, RoleCLI) // and it is found from there
}

func TestTwoHomesThatShareASocketFolderDoNotTakeItFromEachOther(t *testing.T) {
	a, b := testHome(t), testHome(t)
	a.Socket = filepath.Join(filepath.Dir(a.Dir), "run", "hub.sock")
	b.Socket = a.Socket
	serveHub(t, a, newTestHub(), Options{})
	if _, err := Listen(b); !errors.Is(err, ErrRunning) {
		t.Errorf("the second: %v", err)
	}
	dial(t, a, RoleCLI)
}

func TestASocketThatAKilledHubLeftIsReplaced(t *testing.T) {
	h := testHome(t)
	hub := command(t, h, self(t), "hub")
	startProgram(t, hub)
	within(t, "the hub answers", func() bool { return answers(t, h) })
	if err := hub.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = hub.Wait()
	if _, err := os.Lstat(h.Socket); err != nil {
		t.Fatalf("the killed hub left no socket: %v", err)
	}
	if _, err := Dial(testContext(t), h, RoleCLI); !errors.Is(err, ErrNoHub) {
		t.Errorf("Dial: %v", err)
	}
	serveHub(t, h, newTestHub(), Options{})
	dial(t, h, RoleCLI)
}

func TestWhatIsNoSocketIsNotRemoved(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Socket, []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(h); err == nil {
		t.Error("it listens over somebody's file")
	}
	if kept, err := os.ReadFile(h.Socket); string(kept) != "somebody's" {
		t.Errorf("the file: %q, %v", kept, err)
	}
}

func TestOfHubsThatRaceOneListensAndTheOthersLeaveQuietly(t *testing.T) {
	h := testHome(t)
	killHubs(t, h)
	var hubs []*exec.Cmd
	for range 6 {
		hub := command(t, h, self(t), "hub")
		startProgram(t, hub)
		hubs = append(hubs, hub)
	}
	within(t, "a hub answers", func() bool { return answers(t, h) })
	owner := dial(t, h, RoleCLI).Welcome().PID
	for _, hub := range hubs {
		if hub.Process.Pid == owner {
			continue
		}
		if err := hub.Wait(); err != nil {
			t.Errorf("a loser left with %v", err)
		}
	}
	if starts := startedHubs(h); len(starts) != 1 || starts[0] != owner {
		t.Errorf("hubs that won the home: %v; the one that answers: %d", starts, owner)
	}
}

func TestAHubThatAWrapperStartedGivesWay(t *testing.T) {
	h := testHome(t)
	hub := command(t, h, self(t), "hub", "--started-by-wrapper")
	startProgram(t, hub)
	within(t, "the hub answers", func() bool { return answers(t, h) })
	ln, err := TakeOver(testContext(t), h, DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if err := hub.Wait(); err != nil {
		t.Errorf("the hub that gave way: %v", err)
	}
	if _, err := os.Lstat(h.Socket); err != nil {
		t.Errorf("the socket of the new hub: %v", err)
	}
}

func TestAHubThatAPersonStartedStays(t *testing.T) {
	h := testHome(t)
	serveHub(t, h, newTestHub(), Options{})
	if _, err := TakeOver(testContext(t), h, DialOptions{}); !errors.Is(err, ErrRunning) {
		t.Errorf("TakeOver: %v", err)
	}
	dial(t, h, RoleCLI)
}

func TestTakingOverWhereNobodyIsIsListening(t *testing.T) {
	ln, err := TakeOver(testContext(t), testHome(t), DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
}

func TestAHomeThatVanishesEndsItsHub(t *testing.T) {
	for name, vanish := range map[string]func(h Home) error{
		"removed": func(h Home) error { return os.RemoveAll(h.Dir) },
		"replaced": func(h Home) error {
			if err := os.Rename(h.Dir, h.Dir+"-old"); err != nil {
				return err
			}
			return h.Make()
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			ln, err := Listen(h)
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			if err := vanish(h); err != nil {
				t.Fatal(err)
			}
			if err := Serve(testContext(t), ln, newTestHub(), Options{}); !errors.Is(err, ErrHomeGone) {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

func TestServeReturnsWhenEverythingHasBeenAnswered(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	hub.hold = make(chan struct{})
	ln, err := Listen(h)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, ln, hub, Options{}) }()
	c := dial(t, h, RoleCLI)
	answered := make(chan error, 1)
	go func() {
		_, err := AskStatus(testContext(t), c)
		answered <- err
	}()
	within(t, "the call is with the hub", func() bool { return hub.open.Load() == 1 })
	cancel()
	within(t, "nobody else gets in", func() bool {
		conn, err := net.Dial("unix", h.Socket)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	select {
	case err := <-served:
		t.Fatalf("Serve returned with a call open: %v", err)
	default:
	}
	close(hub.hold)
	if err := <-answered; err != nil {
		t.Errorf("the call that was open: %v", err)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if _, err := Listen(h); !errors.Is(err, ErrRunning) {
		t.Errorf("the home is free before Close: %v", err)
	}
}

func startProgram(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

func answers(t testing.TB, h Home) bool {
	c, err := Dial(testContext(t), h, RoleCLI)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
