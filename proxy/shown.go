package proxy

import (
	"slices"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// unseenAfter is how long a client may take to list again before the person is told that it has not. The ones that do
// need a tenth of a second.
const unseenAfter = 5 * time.Second

// shown keeps which definitions the client was given in listings, to notice a client that is told that listings changed and
// never asks for them again: what a person just allowed is then missing there, and nothing else would say why.
//
// Only listings that the client asks for at all count, and only while it has not asked since it was told. Calls never come
// here.
type shown struct {
	tell  func(control.Unseen) // must not block
	after time.Duration        // unseenAfter

	mu        sync.Mutex
	view      *view
	asked     [methodListTemplates + 1]bool // the client has asked for this listing
	due       [methodListTemplates + 1]bool // and was told since that it changed
	delivered map[string]pin.Digest         // by pin key, what is served and was in a listing since it was
	since     time.Time                     // of the notice after which something is unseen; zero while nothing is
	timer     *time.Timer
	said      int
}

func newShown(tell func(control.Unseen)) *shown {
	return &shown{tell: tell, after: unseenAfter, delivered: map[string]pin.Digest{}}
}

// follow takes the view that holds from now on. What is served no longer has to be seen anew if it comes back.
func (s *shown) follow(v *view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = v
	for key, digest := range s.delivered {
		if !v.served[key] || v.seen.digests[key] != digest {
			delete(s.delivered, key)
		}
	}
	s.weigh()
}

// ask notes that the client asks for a listing.
func (s *shown) ask(m method) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[m], s.due[m] = true, false
	s.weigh()
}

// notice notes that the client is about to be told that listings changed.
func (s *shown) notice(notifications []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range listMethods {
		if s.asked[m] && slices.Contains(notifications, lists[m].changed) {
			s.due[m] = true
		}
	}
	s.weigh()
}

// deliver notes what a page that reached the client held.
func (s *shown) deliver(page map[string]pin.Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, digest := range page {
		if s.view != nil && s.view.served[key] && s.view.seen.digests[key] == digest {
			s.delivered[key] = digest
		}
	}
	s.weigh()
}

// unseen counts what is served and was in no listing of those that the client should ask for again.
func (s *shown) unseen() (n int) {
	if s.view == nil || !slices.Contains(s.due[:], true) {
		return 0
	}
	for key := range s.view.served {
		for _, m := range listMethods {
			if s.due[m] && hasKind(key, lists[m].kind) && s.delivered[key] != s.view.seen.digests[key] {
				n++
			}
		}
	}
	return n
}

// weigh says how much is unseen once that has lasted, and at once when nothing is any more. The caller holds mu.
func (s *shown) weigh() {
	n := s.unseen()
	switch {
	case n == 0:
		s.since = time.Time{}
		if s.timer != nil {
			s.timer.Stop()
			s.timer = nil
		}
	case s.since.IsZero():
		s.since = time.Now()
		s.timer = time.AfterFunc(s.after, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.weigh()
		})
		return
	case time.Since(s.since) < s.after:
		return
	}
	if n != s.said {
		s.said = n
		s.tell(control.Unseen{Items: n, Since: s.since.UTC()})
	}
}

// end stops telling: the hub forgets a wrapper that goes.
func (s *shown) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view, s.said = nil, 0
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}
