package desktop

import (
	"time"

	"github.com/sallyport/sallyport/app/display"
)

// iconAfter is how long a panel may take to show our icon: at a login both start at the same time.
const iconAfter = 5 * time.Second

// withoutIcon is a hidden start on a desktop that shows no icon: hidden, nobody would find the window again. It comes up once,
// where a person started the program (a login) or no start of a wrapper has brought it up in this home yet. Later starts of a
// wrapper put it among the other windows, minimised: wrappers start the program whenever it is gone, a program in a server can
// make it go, and when the window comes is not a server's to say. What waits is told by notifications as ever.
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

// found says whether a person has the window already, or asked for it.
func (s *Shell) found() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.visible || s.wanted || s.leaving
}

// there says whether there is a window with a page in it.
func (s *Shell) there() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.window != nil && s.loads > 0
}

// Stand puts a hidden window where minimised ones are. From there a person brings it back without our being told: what the
// page asked for until then arms itself when it is pressed (nonces).
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
