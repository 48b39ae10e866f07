package desktop

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a window that records what is done to it.
type screen struct {
	mu        sync.Mutex
	did       []string
	minimised bool
	width     int // 0 while it fills the screen
	height    int
	chooses   func(title string) (string, error) // the person at the dialog
	quit      chan struct{}
	once      sync.Once
}

func newScreen() *screen { return &screen{quit: make(chan struct{})} }

func (s *screen) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.did = append(s.did, what)
}

// took is what was done since it was asked last.
func (s *screen) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	did := s.did
	s.did = nil
	return did
}

func (s *screen) Emit(event string, data ...any) {
	for _, d := range data {
		event += " " + d.(string)
	}
	s.note(event)
}
func (s *screen) Show()           { s.note("show"); s.minimised = false }
func (s *screen) Hide()           { s.note("hide") }
func (s *screen) Reload()         { s.note("reload") }
func (s *screen) Minimise()       { s.note("minimise"); s.minimised = true }
func (s *screen) Stand()          { s.note("stand"); s.minimised = true }
func (s *screen) Minimised() bool { return s.minimised }
func (s *screen) Size() (int, int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width, s.height, s.width > 0
}
func (s *screen) ChooseFile(title string) (string, error) {
	s.note("choose " + title)
	return s.chooses(title)
}
func (s *screen) Quit() { s.once.Do(func() { close(s.quit) }) }

func did(t *testing.T, s *screen, want ...string) {
	t.Helper()
	if got := s.took(); !slices.Equal(got, want) {
		t.Errorf("the window: %q, want %q", got, want)
	}
}

func TestTheRouteWaitsUntilThePageListens(t *testing.T) {
	shell, window := NewShell(), newScreen()
	shell.Keep("#/inbox/4F2A") // named at a hidden start
	shell.Opened(window, false)
	did(t, window)
	shell.Show("#/inbox/77B0") // the later click counts
	did(t, window, "show")
	shell.Changed() // nobody listens yet
	did(t, window)
	if route := shell.Ready(); route != "#/inbox/77B0" {
		t.Errorf("kept %q", route)
	}
	if route := shell.Ready(); route != "" {
		t.Errorf("told %q twice", route)
	}
	shell.Show("#/settings")
	shell.Show("")
	shell.Changed()
	did(t, window, "route #/settings", "show", "show", "changed")
}

func TestAHiddenPageAsksAgainWhenItIsShown(t *testing.T) {
	shell, window := NewShell(), newScreen()
	shell.Opened(window, false)
	shell.Ready()
	for range 3 {
		shell.Changed()
	}
	did(t, window)
	shell.Show("")
	shell.Show("")
	did(t, window, "changed", "show", "show")
}

func TestAClickBeforeThereIsAWindowIsNotLost(t *testing.T) {
	shell, window := NewShell(), newScreen()
	shell.Show("#/inbox/4F2A")
	shell.Opened(window, false)
	did(t, window) // the toolkit would hide it again
	shell.Loaded()
	did(t, window, "show")
	if !shell.Visible() {
		t.Error("the window counts as hidden")
	}
	if route := shell.Ready(); route != "#/inbox/4F2A" {
		t.Errorf("kept %q", route)
	}
}

func TestToldToEndBeforeThereIsAWindow(t *testing.T) {
	for name, begin := range map[string]func(*Shell, *screen){
		"the window, then its page": func(s *Shell, w *screen) { s.Opened(w, false); s.Loaded() },
		"the page, then its window": func(s *Shell, w *screen) { s.Loaded(); s.Opened(w, false) },
	} {
		t.Run(name, func(t *testing.T) {
			shell, window := NewShell(), newScreen()
			shell.Quit()
			begin(shell, window)
			select {
			case <-window.quit:
			default:
				t.Error("it did not end")
			}
		})
	}
}

func TestOnlyOurRoutesReachThePage(t *testing.T) {
	for route, want := range map[string]bool{
		"#/inbox": true, "#/inbox/4F2A": true, "#/servers": true, "#/servers/stdio%3Anpx": true, "#/activity": true, "#/settings": true, "#/start": true,
		"": false, "#/inbox/4F2AB": false, "#/inbox/4F2A\n": false, "#/inbox/<b>x": false, "http://example.org/#/inbox": false, "javascript:alert(1)": false,
		"#/servers/" + strings.Repeat("a", 600): false, "#/inbox/..": false,
	} {
		if got := Route(route) == route && route != ""; got != want {
			t.Errorf("%q: %v", route, got)
		}
	}
}

func TestWhatNobodySeesIsHidden(t *testing.T) {
	shell, window := NewShell(), newScreen()
	forgot := 0
	shell.onUnseen(func() { forgot++ })
	if shell.Visible() {
		t.Error("visible without a window")
	}
	shell.Opened(window, false)
	if shell.Visible() {
		t.Error("a hidden start is visible")
	}
	shell.Show("")
	if !shell.Visible() {
		t.Error("not visible when shown")
	}
	window.minimised = true
	if shell.Visible() {
		t.Error("visible while minimised")
	}
	window.minimised = false
	shell.Closing()
	if shell.Visible() || forgot != 1 {
		t.Errorf("closed: visible %v, forgot %d times", shell.Visible(), forgot)
	}
	did(t, window, "show", "hide")
}

func TestWhereNoIconIsShownAClosedWindowCanBeFoundAgain(t *testing.T) {
	shell, window := NewShell(), newScreen()
	forgot := 0
	shell.onUnseen(func() { forgot++ })
	shell.icon = func() bool { return false }
	shell.Opened(window, true)
	shell.Closing()
	did(t, window, "minimise")
	if shell.Visible() || forgot != 1 {
		t.Errorf("visible %v, looks forgotten %d times", shell.Visible(), forgot)
	}
	window.minimised = false // from the list of windows
	if !shell.Visible() {
		t.Error("not visible again")
	}
}

// timers are what a shell wants to happen later, run by the test.
type timers []func()

func (s *timers) pass() {
	due := *s
	*s = nil
	for _, f := range due {
		f()
	}
}

func TestAForeignPageHearsNothingAndIsPutBack(t *testing.T) {
	shell, window := NewShell(), newScreen()
	var later timers
	shell.after = func(_ time.Duration, f func()) { later = append(later, f) }
	forgot := 0
	shell.onUnseen(func() { forgot++ })
	shell.Opened(window, true)

	shell.Loaded()
	shell.Ready()
	later.pass()
	did(t, window) // ours

	for n := 1; n <= maxReloads+1; n++ {
		shell.Loaded() // another page, which does not ask
		shell.Changed()
		did(t, window) // nothing, from the first moment on
		later.pass()
		if n < maxReloads {
			did(t, window, "reload")
			shell.Changed()
			shell.Show("#/inbox/4F2A")
			did(t, window, "show") // no event reaches it
		}
		window.took()
	}
	if shell.Visible() {
		t.Error("a window in which a foreign page comes back again and again is still shown")
	}
	if forgot == 0 {
		t.Error("looks at our page outlived it")
	}
	if route := shell.Ready(); route != "#/inbox/4F2A" {
		t.Errorf("our page, back again, was told %q", route)
	}
}

func TestEveryAnswerCarriesThePolicy(t *testing.T) {
	handler := withPolicy(http.NotFoundHandler())
	for _, path := range []string{"/", "/index.html", "/nothing"} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
		policy := answer.Header().Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "require-trusted-types-for 'script'", "form-action 'none'", "frame-src 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: no %s in %q", path, want, policy)
			}
		}
		for _, never := range []string{"unsafe", "http", "data:", "*"} {
			if strings.Contains(policy, never) {
				t.Errorf("%s: %s in %q", path, never, policy)
			}
		}
	}
}
