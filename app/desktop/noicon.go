package desktop

import (
	"time"

	"github.com/sallyport/sallyport/app/display"
)

// iconAfter is how long we give a panel to show our icon: at login both start at the same time.
const iconAfter = 5 * time.Second

// withoutIcon handles a hidden start on a desktop that shows no icon, where nobody would find the window again. The window comes up
// once: after a start by a person (a login), or after the first start by a wrapper in this home. Later starts by a wrapper leave it
// minimised among the other windows: wrappers start the program whenever it is gone, a program in a server can end it, and a server must
// not decide when the window appears. Notifications still tell what is pending.
func (p *Page) withoutIcon(byWrapper bool) {
	p.shell.after(iconAfter, func() {
		h := p.hub()
		switch {
		case p.iconWhy() == "" || p.shell.found():
		case h == nil || !p.shell.there():
			p.withoutIcon(byWrapper) // not yet
		case byWrapper && h.Window().CameUp:
			p.shell.Stand()
		default:
			if byWrapper {
				_ = h.Remember(func(s *display.WindowState) { s.CameUp = true })
			}
			p.shell.Show("")
		}
	})
}

// found reports whether the person has the window already, or asked for it.
func (s *Shell) found() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.visible || s.wanted || s.leaving
}

// there reports whether there is a window with a page in it.
func (s *Shell) there() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.window != nil && s.loads > 0
}

// Stand minimises a hidden window. A person can bring it back without our noticing, so nonces that the page got until then are armed
// only when they are first used.
func (s *Shell) Stand() {
	s.mu.Lock()
	w := s.window
	stands := w != nil && !s.visible
	s.visible = s.visible || stands
	stale := stands && s.stale
	s.stale = s.stale && !stale
	s.mu.Unlock()
	if stands {
		w.Stand()
	}
	if stale {
		s.emit(eventChanged)
	}
}
