//go:build ui

package uitest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/oauth/issuer"
)

// clockHandler is a remote server with one tool.
var clockHandler = remoteHandler("clock", `{"name":"now","description":"Returns the time.","inputSchema":{"type":"object"}}`)

// browser is a browser of the desktop program alone: it opens no page, and writes down which were asked for.
type browser struct {
	t   testing.TB
	log string
}

func (h *house) browser() *browser {
	h.t.Helper()
	b := &browser{t: h.t, log: filepath.Join(h.t.TempDir(), "pages")}
	script := filepath.Join(filepath.Dir(b.log), "browser")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$1\" >> '"+b.log+"'\n"), 0o700); err != nil {
		h.t.Fatal(err)
	}
	h.inWindow = append(h.inWindow, "BROWSER="+script)
	return b
}

func (b *browser) pages() []string {
	raw, _ := os.ReadFile(b.log)
	return strings.Fields(string(raw))
}

// visits waits for the nth page and goes there, as the person would.
func (b *browser) visits(i *issuer.Issuer, n int) {
	b.t.Helper()
	wait(b.t, fmt.Sprintf("page %d is opened", n), func() bool { return len(b.pages()) >= n })
	if text, status, err := i.Visit(context.Background(), b.pages()[n-1]); err != nil || status >= 500 {
		b.t.Errorf("page %d: status %d, %v: %s", n, status, err, text)
	}
}

// A remote server wants a sign-in. The person is told where, opens the page from the window, declines, tries again, stops, signs in, and the client gets
// what the server offers once that is allowed. Then the person signs out on the server's page.
func TestAPersonSignsInAndOutInTheWindow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const said = "the person declined"
	i, err := issuer.Start(issuer.Options{Resource: clockHandler, Knobs: issuer.Knobs{Scopes: []string{"time:read"}, Denies: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	pages := h.browser()
	a := h.open()
	client := h.client("clock", []string{program(t, "sallyport"), "wrap", "--name", "clock", "--client", "claude-desktop", "--url", i.Resource}, h.env())
	if tools := client.tools(); len(tools) != 0 {
		t.Fatalf("before the sign-in: %q", tools)
	}
	code := h.waits("login").Code
	if out, status := h.command("auth", "login", "clock", "--yes"); status != 3 {
		t.Errorf("a terminal signs in on a hub with a window: status %d: %s", status, out)
	}
	if out, _ := h.command("servers"); !strings.Contains(out, "wants a sign-in") {
		t.Errorf("servers: %s", out)
	}

	a.trayClick("clock — wants a sign-in")
	a.shows()
	host := strings.TrimPrefix(i.URL, "http://")
	a.find(heading, "clock wants you to sign in")
	a.says("Sallyport never sees your password", "Where you sign in", host, "time:read", "If you do nothing, all of clock stays blocked")
	if n := len(pages.pages()); n != 0 || i.Count(issuer.Registrations) != 0 {
		t.Fatalf("%d pages and %d registrations before the person wanted any", n, i.Count(issuer.Registrations))
	}

	// The person declines on the page, and is told what the site says of it, as its words.
	signIn := func() {
		t.Helper()
		a.press(button, "Sign in to clock")
		a.says("Your browser opens " + host)
		a.press(button, "Open in the browser")
		a.says("Waiting for you on " + host)
	}
	signIn()
	pages.visits(i, 1)
	a.says("You are not signed in", "Text from the sign-in service", said)

	// Opened again, then stopped: what the page sends after that does not count.
	i.Set(func(k *issuer.Knobs) { k.Denies = false })
	signIn()
	wait(t, "the second page", func() bool { return len(pages.pages()) == 2 })
	a.press(button, "Open the page again")
	wait(t, "the same page again", func() bool { p := pages.pages(); return len(p) == 3 && p[1] == p[2] })
	a.press(button, "Stop waiting")
	a.find(button, "Sign in to clock")
	_, _, _ = i.Visit(context.Background(), pages.pages()[2]) // nothing listens there any more
	if i.Count(issuer.Exchanges) != 0 {
		t.Error("a stopped sign-in counts")
	}

	signIn()
	pages.visits(i, 4)
	a.says("You signed in to clock")
	a.trayGone("wants a sign-in")
	if got := h.waits("new_server"); got.Code == code {
		t.Errorf("the new server has the code of the sign-in: %+v", got)
	}
	a.trayClick("clock — new server")
	a.until("the new server is allowed", func() bool {
		if b, ok := a.look(button, allowServer); ok {
			_ = b.press() // refused while it is disabled
		}
		return len(h.inbox()) == 0
	})
	client.runs("now", `{}`, "noon")

	// On the server's page.
	a.press(link, "Servers")
	a.press(link, "Open server clock")
	a.says("Signed in at " + host)
	a.press(button, "Sign out of clock")
	a.says("Signed out", "Claude can’t use it until you sign in again")
	if i.Count(issuer.Revoked) == 0 {
		t.Error("the issuer was not told")
	}
	client.refused("now", `{}`, "sign in")
	a.trayClick("clock — wants a sign-in")
	a.find(heading, "clock wants you to sign in")
	a.press(button, "Not now")
	a.trayGone("wants a sign-in")
	client.refused("now", `{}`, "sign in")
	if items := h.inbox(); len(items) != 0 {
		t.Errorf("asked about again: %+v", items)
	}
}
