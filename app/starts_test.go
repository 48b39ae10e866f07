package app

import (
	"fmt"
	"testing"

	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
)

// started are the guarded entries that count as started.
func (d *desk) started() (names []string) {
	d.t.Helper()
	c, err := d.Coverage(control.CoverageQuery{})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, f := range c.Clients {
		for _, e := range f.Entries {
			if e.Started {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

func TestWhatStartedIsKnownAfterARestartAndForgottenWhenItIsWrittenAnew(t *testing.T) {
	home, root := newHome(t), t.TempDir()
	d := deskAt(t, home, root, claudeFile, nil)
	d.protect()
	for _, name := range []string{"files", "weather"} {
		d.wrap(name, "npx", name).report(tool("read", "Reads."))
	}
	d.wrapFor("cursor", "files", "npx", "files") // another client's entry of the same name does not count
	if got := fmt.Sprint(d.started()); got != "[files weather]" {
		t.Fatalf("started: %s", got)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}

	d = deskAt(t, home, root, "", nil)
	if got := fmt.Sprint(d.started()); got != "[files weather]" {
		t.Errorf("after a restart: %s", got)
	}
	d.unprotect("files")
	d.protect("files")
	if got := fmt.Sprint(d.started()); got != "[weather]" {
		t.Errorf("written anew: %s", got)
	}
	d.wrap("files", "npx", "files") // the server is already known, so nothing else changes
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = deskAt(t, home, root, "", nil)
	if got := fmt.Sprint(d.started()); got != "[files weather]" {
		t.Errorf("started again, and after a restart: %s", got)
	}
}

// A server could start a wrapper of its own in the name of another entry, whose light would turn green.
func TestWhatAServerStartedIsNoStartOfAnEntry(t *testing.T) {
	p := newPlace(t)
	for _, c := range []struct {
		within bool
		want   bool
	}{{true, false}, {false, true}} {
		w := &server{Ears: &stage.Ears{}, p: p}
		_, err := p.Register(w, control.Peer{PID: 100, Role: control.RoleWrapper, Within: func() bool { return c.within }}, control.Register{
			Server: control.ServerRef{Transport: "stdio", Argv: []string{"npx", "weather"}, Name: "weather"}, Client: "claude-desktop", Session: "s",
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Starts.Has("claude-desktop", "weather"); got != c.want {
			t.Errorf("within a server %v: started %v", c.within, got)
		}
	}
}
