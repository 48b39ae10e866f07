//go:build linux

package control

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/peer"
)

func TestAnotherExecutableThatDialsIsHungUpOn(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	other := command(t, h, stranger(t), "dial")
	out, err := other.Output()
	if err != nil {
		t.Fatal(err)
	}
	// It refuses our hub itself; what counts is that it gets nothing either way.
	if strings.Contains(string(out), "allowed") {
		t.Errorf("the stranger: %s", out)
	}

	t.Run("even if it trusts the hub", func(t *testing.T) {
		heard := command(t, h, stranger(t), "intrude", h.Socket)
		out, err := heard.Output()
		if err != nil || strings.TrimSpace(string(out)) != "heard 0 bytes" {
			t.Errorf("the stranger: %s, %v", out, err)
		}
	})
}

func TestAnExecutableOfTheInstallationMayDial(t *testing.T) {
	h := testHome(t)
	other := stranger(t)
	serveHub(t, h, newTestHub(), Options{Executables: []string{other, "/no/such/file"}})
	out, err := command(t, h, other, "intrude", h.Socket).Output()
	if err != nil || strings.TrimSpace(string(out)) == "heard 0 bytes" {
		t.Errorf("the other program of the installation: %s, %v", out, err)
	}

	t.Run("but not another file under its path", func(t *testing.T) {
		next := stranger(t)
		if err := os.Rename(next, other); err != nil {
			t.Fatal(err)
		}
		out, err := command(t, h, other, "intrude", h.Socket).Output()
		if err != nil || strings.TrimSpace(string(out)) != "heard 0 bytes" {
			t.Errorf("the file that took its place: %s, %v", out, err)
		}
	})
}

func TestASquatterOnTheSocketLearnsNothing(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	squatter := command(t, h, stranger(t), "squat", h.Socket)
	out, err := squatter.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startProgram(t, squatter)
	lines := bufio.NewScanner(out)
	lines.Scan()
	if _, err := Dial(testContext(t), h, RoleWrapper); !errors.Is(err, peer.ErrForeign) {
		t.Errorf("Dial: %v", err)
	}
	if lines.Scan(); lines.Text() != "heard 0 bytes" {
		t.Errorf("the squatter %s", lines.Text())
	}
}

func TestAWrapperWithASquatterForAHubFailsClosed(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	squatter := command(t, h, stranger(t), "squat", h.Socket)
	out, err := squatter.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startProgram(t, squatter)
	lines := bufio.NewScanner(out)
	lines.Scan()
	// Something owns the home, so no hub could start in the squatter's place.
	owner, err := disk.Open(filepath.Join(h.Dir, "hub.lock"), os.O_RDWR|os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	if free, err := disk.Lock(owner); err != nil || !free {
		t.Fatal(free, err)
	}
	l := testLink(t, LinkOptions{Home: h, Exe: self(t)})
	killHubs(t, h)
	lines.Scan() // it was visited
	if l.State().Open || len(l.State().Items) != 0 {
		t.Errorf("the state: %+v", l.State())
	}
	within(t, "the state says so", func() bool { return l.State().Strange })
	within(t, "Report says why", func() bool {
		_, err := l.Report(testContext(t), Report{})
		if err == nil {
			t.Fatal("the report was taken")
		}
		return errors.Is(err, peer.ErrForeign) || errors.Is(err, ErrNoHub)
	})
}
