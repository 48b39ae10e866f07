package desktop

import (
	"sync"

	"github.com/sallyport/sallyport/app/notify"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// onScreen is what a person has before them: what is on the screen is not notified. The page says it, so it can only quieten what it
// shows; the icon and the inbox have it all the same.
type onScreen struct {
	mu      sync.Mutex
	place   string // the room
	item    string // code of the item that is open
	group   string // of held responses: the item that it is one of
	focused bool   // the window has the keyboard
	first   bool   // a first run's last page is there, which lists what the look found
}

// shows is what the page shows now.
func (s *onScreen) shows(place, item, group string, focused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.place, s.item, s.group, s.focused = place, item, group, focused
	s.first = s.first && place == placeStart
}

// wrote says that a file was written from the page: what the look that follows finds is listed there until the page is left.
func (s *onScreen) wrote() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first = s.place == placeStart
}

// seen says whether an event is about what is on the screen: an item that is open in a window with the focus, or a new server that a
// first run has just looked at.
func (s *onScreen) seen(e notify.Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := s.item != "" && s.item == e.Note.Key || s.group != "" && s.group == e.Group
	return s.focused && open || s.first && e.Kind == vocab.ItemNewServer
}

const placeStart = "start"

// Shows is told by the page each time that what it shows, or whether it has the focus, changes.
func (p *Page) Shows(place, item string, focused bool) {
	if p.say == nil {
		return
	}
	group := ""
	if h := p.hub(); h != nil {
		_, group = h.HeldCodes(item)
	}
	p.say.onScreen.shows(place, item, group, focused && p.shell.Visible())
}
