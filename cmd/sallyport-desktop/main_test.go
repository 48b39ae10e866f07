//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/sallyport/sallyport/app/desktop"
	"github.com/sallyport/sallyport/proxy/control"
)

// TestMain makes a copy of the test binary named sallyport-desktop the program itself, with an invisible window that takes orders over
// its own socket: `window.test` in the home.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "sallyport-desktop" {
		page := fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}}
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, page, told))
	}
	os.Setenv("SALLYPORT_KEYCHAIN", "off") // hubs of tests leave nothing in the keychain of whoever runs them
	os.Exit(m.Run())
}

// toldWindow records what is done to it.
type toldWindow struct {
	mu   sync.Mutex
	did  []string
	quit chan struct{}
	once sync.Once
}

func (w *toldWindow) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.did = append(w.did, what)
}

func (w *toldWindow) Emit(event string, data ...any) {
	if event != "changed" {
		w.note(strings.TrimSpace(event + " " + fmt.Sprint(data...)))
	}
}
func (w *toldWindow) Show()                           { w.note("show") }
func (w *toldWindow) Hide()                           { w.note("hide") }
func (w *toldWindow) Reload()                         { w.note("reload") }
func (*toldWindow) ChooseFile(string) (string, error) { return "", nil }
func (w *toldWindow) Minimise()                       { w.note("minimise") }
func (w *toldWindow) Stand()                          { w.note("stand") }
func (w *toldWindow) Size() (int, int, bool)          { return 0, 0, false }
func (w *toldWindow) Minimised() bool                 { return false }
func (w *toldWindow) Quit()                           { w.once.Do(func() { close(w.quit) }) }

// told is the window while the program runs. It can't be opened if there is a file "no-window" next to it.
func told(o desktop.WindowOptions) error {
	home := os.Getenv("SALLYPORT_HOME")
	if _, err := os.Stat(home + ".no-window"); err == nil {
		return errors.New("open the window: no display answers")
	}
	w := &toldWindow{quit: make(chan struct{})}
	path := filepath.Join(home, "window.test")
	_ = os.Remove(path)
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	defer listener.Close()
	o.Shell.Opened(w, !o.Hidden)
	o.Shell.Loaded()
	w.note("hidden " + fmt.Sprint(o.Hidden) + ", at " + o.Page.Ready())
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(conn).ReadString('\n')
			fmt.Fprintln(conn, obey(w, o, strings.TrimSpace(line)))
			conn.Close()
		}
	}()
	<-w.quit
	return nil
}

func obey(w *toldWindow, o desktop.WindowOptions, order string) string {
	if path, ok := strings.CutPrefix(order, "look "); ok {
		found, err := o.Page.Look("claude-desktop", path, nil)
		return fmt.Sprintf("%+v %v", found, err)
	}
	switch order {
	case "pid":
		return fmt.Sprint(os.Getpid())
	case "did":
		w.mu.Lock()
		defer w.mu.Unlock()
		return strings.Join(w.did, "; ")
	case "quit at the icon":
		o.Quit()
		return "quit"
	case "quit":
		o.Shell.Quit()
		return "quit"
	case "allow": // like a person at the page: look, wait for the button, press it
		waiting, err := o.Page.Inbox()
		if err != nil || len(waiting) == 0 {
			return fmt.Sprint("nothing waits ", err)
		}
		r, err := o.Page.Review(waiting[0].Code)
		if err != nil {
			return err.Error()
		}
		<-time.After(time.Duration(r.ArmAfterMs) * time.Millisecond)
		done, err := o.Page.Allow(desktop.Decision{Decide: control.Decide{Code: r.Code, Digest: r.Digest, All: true}, Nonce: r.Nonce})
		if err != nil {
			return err.Error()
		}
		return "allowed " + strings.Join(done.Approved, " ")
	}
	return "what?"
}
