package desktop

import (
	"regexp"
	"sync"
	"time"
)

// Window is what the shell needs of a window; the real one is Wails' (window.go).
type Window interface {
	Emit(event string, data ...any)
	Show()
	Hide()
	Minimise()
	Stand() // a hidden one, minimised
	Minimised() bool
	Size() (width, height int, ok bool) // not ok if it fills the screen
	Reload()                            // our own page, whatever is loaded now
	// ChooseFile asks the person for a file in the system's own dialog, and waits. "" means that they chose none.
	ChooseFile(title string) (path string, err error)
	Quit()
}

// Events are hints without content: the page then asks for what changed. Scripts of any page that is loaded hear them.
const (
	eventChanged = "changed" // ask again
	eventRoute   = "route"   // go there; the routes are ours
	eventTheme   = "theme"
)

// Shell is the window as the rest of the program sees it: shown or hidden, and its route.
type Shell struct {
	after func(time.Duration, func()) // time.AfterFunc

	mu      sync.Mutex
	window  Window
	visible bool
	wanted  bool   // somebody asked for the window before its page had loaded
	leaving bool   // asked to quit before that
	ready   bool   // our page has asked for its route
	pending string // the route kept until then
	loads   int    // of any page
	asks    int    // of ours
	stale   bool   // something changed while nobody looked
	hidden  []func()
	raised  []func()
	sized   func(width, height int)
	icon    func() bool // whether an icon can bring the window back; nil means yes
}

// NewShell is a shell without a window yet.
func NewShell() *Shell {
	return &Shell{after: func(d time.Duration, f func()) { time.AfterFunc(d, f) }}
}

// onUnseen registers f to run whenever nobody sees the page any more, or it was loaded again.
func (s *Shell) onUnseen(f func()) { s.hidden = append(s.hidden, f) }

// routes are those of our page; any other route is dropped.
var routes = regexp.MustCompile(`^#/(inbox(/[A-Z0-9]{4})?|servers(/[A-Za-z0-9%._~-]{1,512})?|activity|settings|start)$`)

// Route returns route if it is one of ours, else "".
func Route(route string) string {
	if routes.MatchString(route) {
		return route
	}
	return ""
}

// onRaised registers f to run before the window is raised.
func (s *Shell) onRaised(f func()) { s.raised = append(s.raised, f) }

// Opened gives the shell its window. If somebody has already asked for it (icon and socket come first), it is raised once its page is
// loaded: the toolkit hides a window that starts hidden at some point after this call (Wails v2.16, Window.Run).
func (s *Shell) Opened(w Window, visible bool) {
	s.mu.Lock()
	late := s.loads > 0 // Wails calls us on a goroutine, maybe after the page has loaded
	leaving, raise := late && s.leaving, late && s.wanted && !visible
	s.window, s.visible = w, visible || raise
	s.mu.Unlock()
	switch {
	case leaving:
		w.Quit()
	case raise:
		w.Show()
	}
}

// Keep keeps a route for the page without raising the window.
func (s *Shell) Keep(route string) {
	if route = Route(route); route != "" {
		s.mu.Lock()
		s.pending = route
		s.mu.Unlock()
	}
}

// Show raises the window at a route; "" leaves it where it was. It follows a person's click on the tray or a notification, or a second
// start.
func (s *Shell) Show(route string) {
	route = Route(route)
	s.mu.Lock()
	w, ready := s.window, s.listens()
	if route != "" && !ready {
		s.pending = route
	}
	s.visible = s.visible || w != nil
	s.wanted = s.wanted || s.loads == 0
	again := s.stale && ready && w != nil
	s.stale = s.stale && !again
	s.mu.Unlock()
	if w == nil {
		return
	}
	for _, f := range s.raised {
		f()
	}
	if again {
		w.Emit(eventChanged)
	}
	if route != "" && ready {
		w.Emit(eventRoute, route)
	}
	w.Show()
}

// Closing handles the person closing the window: it is hidden and stays in the tray. Without an icon it is minimised instead, or nobody
// could find it again.
func (s *Shell) Closing() {
	s.measure()
	icon := s.icon == nil || s.icon()
	s.mu.Lock()
	w := s.window
	s.visible = s.visible && !icon
	s.mu.Unlock()
	switch {
	case w == nil:
	case icon:
		w.Hide()
	default:
		w.Minimise()
	}
	s.unseen()
}

// Visible reports whether a person can see the page: without that, nothing is decided.
func (s *Shell) Visible() bool {
	s.mu.Lock()
	w, visible := s.window, s.visible
	s.mu.Unlock()
	return w != nil && visible && !w.Minimised()
}

// Changed tells the page to ask again: at once if it is visible, else when it is shown. A page that isn't listening yet asks anyway.
func (s *Shell) Changed() {
	s.mu.Lock()
	visible := s.visible
	s.stale = s.stale || !visible
	s.mu.Unlock()
	if visible {
		s.emit(eventChanged)
	}
}

func (s *Shell) emit(event string) {
	s.mu.Lock()
	w, ready := s.window, s.listens()
	s.mu.Unlock()
	if w != nil && ready {
		w.Emit(event)
	}
}

// listens reports whether our page can hear events. Once another page is loaded it can't, until ours has asked again. The caller holds
// s.mu.
func (s *Shell) listens() bool { return s.ready && s.asks >= s.loads }

// Ready is called when the page asks for the route that was kept for it.
func (s *Shell) Ready() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready, s.asks = true, s.asks+1
	route := s.pending
	s.pending = ""
	return route
}

const (
	foreignAfter = 2 * time.Second // our page asks within 80 ms; a busy machine takes half a second
	maxReloads   = 5               // if something keeps loading another page, the window is hidden
)

// Loaded is called when any page has loaded. A page that does not ask for its route is not ours, and ours is put back.
func (s *Shell) Loaded() {
	s.mu.Lock()
	s.loads++
	n := s.loads
	again, w, raise, leaving := n > 1, s.window, n == 1 && s.wanted, s.leaving
	s.visible = s.visible || raise && w != nil
	s.mu.Unlock()
	if leaving && w != nil {
		w.Quit()
		return
	}
	if again {
		s.unseen()
	}
	if raise && w != nil {
		w.Show()
	}
	s.after(foreignAfter, func() {
		s.mu.Lock()
		foreign := s.asks < n
		if foreign {
			s.asks, s.ready = n, false
			s.visible = s.visible && n <= maxReloads
		}
		s.mu.Unlock()
		switch {
		case !foreign || w == nil:
		case n <= maxReloads:
			w.Reload()
		default:
			w.Hide()
			s.unseen()
		}
	})
}

// Quit ends the program, or does so as soon as its window is there.
func (s *Shell) Quit() {
	s.measure()
	s.mu.Lock()
	w := s.window
	s.leaving = s.leaving || s.loads == 0
	s.mu.Unlock()
	if w != nil {
		w.Quit()
	}
}

func (s *Shell) unseen() {
	for _, f := range s.hidden {
		f()
	}
}
