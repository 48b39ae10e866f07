//go:build ui

package uitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// inPage is a GTK module that the environment makes the shipped program load: it runs a script in the page on view. There is no other way to
// take that view elsewhere, and what ships needs no door for a test.
var inPage = sync.OnceValues(func() (string, error) {
	module := filepath.Join(scratch, "inpage.so")
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "gtk+-3.0", "webkit2gtk-4.1").Output()
	if err != nil {
		return "", err
	}
	argv := append([]string{"-shared", "-fPIC", "-o", module, filepath.Join("testdata", "inpage.c")}, strings.Fields(string(flags))...)
	out, err := exec.Command("gcc", argv...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return module, nil
})

// scripts lets scripts run in the window, and returns the function that runs one. Call it before the window opens.
func (h *house) scripts() (run func(script string)) {
	h.t.Helper()
	module, err := inPage()
	if err != nil {
		h.t.Fatalf("build what runs a script in the page: %v", err)
	}
	path := filepath.Join(filepath.Dir(h.home), "inpage.js")
	h.inWindow = []string{"GTK_MODULES=" + module, "RUN_IN_PAGE=" + path}
	return func(script string) {
		h.t.Helper()
		if err := os.WriteFile(path+".new", []byte(script), 0o600); err != nil {
			h.t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			h.t.Fatal(err)
		}
		wait(h.t, "the script is run in the page", func() bool {
			_, err := os.Stat(path)
			return errors.Is(err, os.ErrNotExist)
		})
	}
}

// foreign is a page that is not ours, and what it heard.
type foreign struct {
	*httptest.Server
	mu    sync.Mutex
	asked int // for the page
	heard []heard
}

// heard is one report of the page: what happened in it, and with what.
type heard struct{ What, Data string }

func newForeign(t *testing.T) *foreign {
	t.Helper()
	f := &foreign{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.asked++
		f.mu.Unlock()
		http.ServeFile(w, r, filepath.Join("testdata", "foreign.html"))
	})
	mux.HandleFunc("POST /heard", func(w http.ResponseWriter, r *http.Request) {
		var h heard
		raw, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(raw, &h) != nil {
			t.Errorf("the page said %q, %v", raw, err)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.heard = append(f.heard, h)
	})
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *foreign) all() (asked int, all []heard) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked, slices.Clone(f.heard)
}

// Whatever runs in our page, the view stays on it. Should another page load anyway, it gets no response, hears nothing of substance and does
// nothing; ours replaces it, at the place to which a click led meanwhile.
func TestAForeignPageIsNotOpenedAndGetsNothing(t *testing.T) {
	t.Parallel()
	c, weather := protected(t)
	run := c.scripts()
	a := c.start()
	a.ready()
	a.shows()
	a.find(link, "1 server guarded")
	a.says("Sallyport keeps running in the tray when this window is closed")
	f := newForeign(t)
	for _, script := range []string{
		"location.href = '%s'", "location.replace('%s')", "open('%s')", "open('%s', '_self')",
		"const a = document.createElement('a'); a.href = '%s'; document.body.append(a); a.click(); a.remove()",
		"const b = document.createElement('a'); b.href = '%s'; b.target = '_blank'; document.body.append(b); b.click(); b.remove()",
		"location.href = 'file:///etc/hostname#%s'", "location.href = 'data:text/html,<h1>A foreign page'",
	} {
		run(strings.ReplaceAll(script, "%s", f.URL))
	}
	a.press(link, "Servers")
	a.find(heading, "Servers")
	a.gone(heading, "A foreign page")
	if asked, _ := f.all(); asked != 0 {
		t.Errorf("a foreign page was asked for %d times", asked)
	}

	client := c.starts("weather", c.headless())
	client.runs("get_forecast", `{"city":"Lisbon"}`, "sunny at first")
	run("//alone\nlocation.href = '" + f.URL + "'")
	a.until("the foreign page has asked for all", func() bool {
		_, all := f.all()
		return slices.Contains(all, heard{"asked", "all"})
	})
	weather.put("reworded")
	item := c.waits("changed")
	a.trayClick("weather")
	a.find(heading, "get_forecast")
	a.gone(heading, "A foreign page")
	a.find(link, "Inbox (1)")
	asked, all := f.all()
	if asked == 0 || !slices.Contains(all, heard{"found", ""}) {
		t.Errorf("the page was asked for %d times and found of ours: %+v", asked, all)
	}
	for _, h := range all {
		hint := h.What == "called wails.EventsNotify" && (strings.Contains(h.Data, `\"changed\",\"data\":null`) || strings.Contains(h.Data, `\"theme\",\"data\":null`))
		if h.What != "asked" && h.What != "found" && !hint {
			t.Errorf("the foreign page heard %+v", h)
		}
	}
	client.refused("get_forecast", `{"city":"Lisbon"}`, item.Code)

	// Its request had no effect; the same request from our own page does.
	a.says("Sallyport keeps running in the tray when this window is closed")
	run(`webkit.messageHandlers.external.postMessage('C' + JSON.stringify({ name: 'desktop.Page.TrayTold', args: [], callbackID: 'TrayTold' }))`)
	a.until("our own page is answered", func() bool { return !strings.Contains(a.reads(), "Sallyport keeps running in the tray") })
}
