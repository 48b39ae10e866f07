package control

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func (h *testHub) displacements() []Displaced {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Displaced(nil), h.displaced...)
}

// strangerAt has a program that is not of this installation listen at a path of its own.
func strangerAt(t *testing.T, path string) {
	t.Helper()
	cmd := command(t, Home{}, stranger(t), "squat", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startProgram(t, cmd)
	bufio.NewScanner(out).Scan()
}

func TestAHubWhoseSocketWasReplacedTakesItsPlaceAgain(t *testing.T) {
	for name, replace := range map[string]func(t *testing.T, socket string) error{
		"by a socket that was bound in its place": func(t *testing.T, socket string) error {
			if err := os.Remove(socket); err != nil {
				return err
			}
			strangerAt(t, socket)
			return nil
		},
		"by a socket that was renamed over it": func(t *testing.T, socket string) error {
			strangerAt(t, socket+".x")
			return os.Rename(socket+".x", socket)
		},
		"by a link to another": func(t *testing.T, socket string) error {
			strangerAt(t, socket+".x")
			if err := os.Symlink(socket+".x", socket+".link"); err != nil {
				return err
			}
			return os.Rename(socket+".link", socket)
		},
		"by another, and kept under another name": func(t *testing.T, socket string) error {
			if err := os.Rename(socket, socket+".old"); err != nil {
				return err
			}
			strangerAt(t, socket)
			return nil
		},
		"by nothing": func(_ *testing.T, socket string) error { return os.Remove(socket) },
	} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			hub := newTestHub()
			serveHub(t, h, hub, Options{})
			before := testLink(t, LinkOptions{Home: h, Register: testRegister("before")})
			within(t, "a wrapper is there", before.Connected)
			mine := before.current()

			if err := replace(t, h.Socket); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			after := testLink(t, LinkOptions{Home: h, Register: testRegister("after")})
			within(t, "a new wrapper is served", after.Connected)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
			if !answers(t, h) {
				t.Error("the command line is not answered")
			}
			if now := before.current(); now != mine || now == nil {
				t.Error("who was connected has lost its connection")
			}
			if hub.approve("tool:one"); !arrives(t, before, "tool:one") {
				t.Error("who was connected hears of nothing any more")
			}
			if got := hub.displacements(); len(got) != 1 || got[0] != (Displaced{Count: 1}) {
				t.Errorf("told: %+v", got)
			}
			if info, err := os.Lstat(h.Socket); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}

// current is the connection that counts now.
func (l *Link) current() *Client {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.client
}

func arrives(t *testing.T, l *Link, item string) bool {
	t.Helper()
	within(t, "the wrapper hears of "+item, func() bool { return l.State().Items[item].State == "approved" })
	return true
}

func TestWhatIsNoSocketStaysInTheSocketsPlaceAndIsToldOf(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	if err := os.Remove(h.Socket); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Socket, []byte("a person's"), 0o600); err != nil {
		t.Fatal(err)
	}
	within(t, "the hub tells", func() bool { return len(hub.displacements()) > 0 })
	if got := hub.displacements()[0]; !strings.Contains(got.Why, "move it away") {
		t.Errorf("%+v", got)
	}
	if raw, err := os.ReadFile(h.Socket); err != nil || string(raw) != "a person's" {
		t.Errorf("the file is now %q, %v", raw, err)
	}
	if err := os.Remove(h.Socket); err != nil {
		t.Fatal(err)
	}
	within(t, "the hub is there again", func() bool { return answers(t, h) })
}

// A socket that goes to another hub, or is not listened on any more, is nobody's to put back.
func TestASocketThatItsHubGaveUpIsNotPutBack(t *testing.T) {
	h := testHome(t)
	ln, err := Listen(h)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if displaced, err := ln.door.retake(); displaced || err != nil {
		t.Errorf("nothing had replaced it: %v, %v", displaced, err)
	}
	ln.door.pause()
	if err := os.Remove(h.Socket); err != nil {
		t.Fatal(err)
	}
	if displaced, err := ln.door.retake(); displaced || err != nil {
		t.Errorf("put back on its way to the next hub: %v, %v", displaced, err)
	}
	if _, err := ln.door.accept(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("accept: %v", err)
	}
	ln.door.resume()
	if displaced, err := ln.door.retake(); !displaced || err != nil {
		t.Errorf("not put back by the next hub: %v, %v", displaced, err)
	}
	if err := os.Rename(h.Socket, h.Socket+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ln.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(h.Socket); err != nil {
		t.Errorf("what stands in its place by now was removed: %v", err)
	}
	if err := os.Remove(h.Socket); err != nil {
		t.Fatal(err)
	}
	if displaced, err := ln.door.retake(); displaced || err != nil {
		t.Errorf("put back after the end: %v, %v", displaced, err)
	}
}

// Its kernel name is another one by then; who dials goes by the path.
func TestAHubThatTookItsSocketsPlaceAgainMayBeSlow(t *testing.T) {
	h := testHome(t)
	ln, err := Listen(h)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if err := os.Remove(h.Socket); err != nil {
		t.Fatal(err)
	}
	if displaced, err := ln.door.retake(); !displaced || err != nil {
		t.Fatal(displaced, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		time.Sleep(3 * ownedInterval) // it is busy
		over <- Serve(ctx, ln, newTestHub(), Options{})
	}()
	c, err := Dial(testContext(t), h, RoleCLI)
	if err != nil {
		t.Errorf("Dial: %v", err)
	} else {
		c.Close()
	}
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
}
