package declared

import (
	"slices"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// unseenAfter is how long a client may take to list again before the person is told that it has not. Clients that do take a tenth of a
// second.
const unseenAfter = 5 * time.Second

// Shown tracks which definitions the client got in listings. It notices a client that never lists again after it was told of a change: what
// a person just allowed is missing there, and nothing else would explain why.
//
// Only listings that the client has asked for count, and only until it asks again. Calls don't count.
type Shown struct {
	tell  func(control.Unseen) // must not block
	after time.Duration        // unseenAfter

	mu        sync.Mutex
	view      *View
	asked     map[*List]bool        // the client has asked for this listing
	due       map[*List]bool        // and was told since that it changed
	delivered map[string]pin.Digest // by pin key, what is served and was listed since
	since     time.Time             // when the notice was given; zero if nothing is unseen
	timer     *time.Timer
	said      int
}

func newShown(tell func(control.Unseen)) *Shown {
	return &Shown{tell: tell, after: unseenAfter, asked: map[*List]bool{}, due: map[*List]bool{}, delivered: map[string]pin.Digest{}}
}

// Within sets how long a client may take to list again; the default is five seconds.
func (s *Shown) Within(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after = after
}

// follow takes the new view. An item that is no longer served need not be seen again if it returns.
func (s *Shown) follow(v *View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = v
	for key, digest := range s.delivered {
		if !v.Served[key] || v.Seen.digests[key] != digest {
			delete(s.delivered, key)
		}
	}
	s.weigh()
}

// Ask records that the client asks for a listing.
func (s *Shown) Ask(l *List) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[l], s.due[l] = true, false
	s.weigh()
}

// notice records that the client is about to be told that listings changed.
func (s *Shown) notice(notifications []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range lists {
		if s.asked[l] && slices.Contains(notifications, l.Changed) {
			s.due[l] = true
		}
	}
	s.weigh()
}

// Deliver records what was on a page that reached the client.
func (s *Shown) Deliver(page map[string]pin.Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, digest := range page {
		if s.view != nil && s.view.Served[key] && s.view.Seen.digests[key] == digest {
			s.delivered[key] = digest
		}
	}
	s.weigh()
}

// unseen counts items that are served but were in no listing since the client should have asked again.
func (s *Shown) unseen() (n int) {
	if s.view == nil {
		return 0
	}
	for key := range s.view.Served {
		for _, l := range lists {
			if s.due[l] && HasKind(key, l.Kind) && s.delivered[key] != s.view.Seen.digests[key] && s.view.Seen.lists(key) {
				n++
			}
		}
	}
	return n
}

// weigh reports how much is unseen once that has lasted, and at once when nothing is any more. The caller holds mu.
func (s *Shown) weigh() {
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

// End stops reporting: the hub forgets a wrapper that ends.
func (s *Shown) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view, s.said = nil, 0
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}
