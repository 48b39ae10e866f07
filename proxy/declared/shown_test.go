package declared

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// Each story is what one client gets and does; told is the last report to the hub.
func TestWhatAClientHasNotSeenIsToldAfterFiveSeconds(t *testing.T) {
	const toolsChanged, resourcesChanged = "notifications/tools/list_changed", "notifications/resources/list_changed"
	one := map[string]pin.Digest{"tool:a": "1"}
	both := map[string]pin.Digest{"tool:a": "1", "tool:b": "2", "prompt:p": "3", "resource-template:t": "4", "instructions": "5"}
	for _, test := range []struct {
		name  string
		story func(s *Shown)
		told  int
	}{
		{"a client that never lists again", func(s *Shown) {
			s.Ask(Tools)
			s.notice([]string{toolsChanged})
			s.follow(serving(both))
			time.Sleep(unseenAfter)
		}, 2},
		{"a client that has four seconds left", func(s *Shown) {
			s.Ask(Tools)
			s.follow(serving(both))
			s.notice([]string{toolsChanged})
			time.Sleep(unseenAfter - time.Second)
		}, 0},
		{"a server that says so again and again puts nothing off", func(s *Shown) {
			s.Ask(Tools)
			s.follow(serving(both))
			for range 10 {
				s.notice([]string{toolsChanged})
				time.Sleep(unseenAfter / 10)
			}
		}, 2},
		{"one that asks is never told of, however slow the server is", func(s *Shown) {
			s.Ask(Tools)
			s.follow(serving(both))
			s.notice([]string{toolsChanged})
			time.Sleep(time.Second)
			s.Ask(Tools)
			time.Sleep(time.Minute)
			s.Deliver(both)
		}, 0},
		{"one that asks late ends it", func(s *Shown) {
			s.Ask(Tools)
			s.follow(serving(both))
			s.notice([]string{toolsChanged})
			time.Sleep(time.Minute)
			s.Ask(Tools)
		}, 0},
		{"what it was given before does not count", func(s *Shown) {
			s.follow(serving(one))
			s.Ask(Tools)
			s.Deliver(one)
			s.follow(serving(both))
			s.notice([]string{toolsChanged})
			time.Sleep(unseenAfter)
		}, 1},
		{"nothing new is nothing unseen", func(s *Shown) {
			s.follow(serving(one))
			s.Ask(Tools)
			s.Deliver(one)
			s.notice([]string{toolsChanged})
			time.Sleep(time.Minute)
		}, 0},
		{"what was taken back and allowed again is to be seen again", func(s *Shown) {
			s.follow(serving(one))
			s.Ask(Tools)
			s.Deliver(one)
			s.follow(serving(nil))
			s.notice([]string{toolsChanged})
			s.follow(serving(one))
			time.Sleep(unseenAfter)
		}, 1},
		{"nothing of it is approved any more", func(s *Shown) {
			s.Ask(Tools)
			s.follow(serving(both))
			s.notice([]string{toolsChanged})
			time.Sleep(time.Minute)
			s.follow(serving(nil))
		}, 0},
		{"a session that is over", func(s *Shown) {
			s.Ask(Tools)
			s.follow(serving(both))
			s.notice([]string{toolsChanged})
			s.End()
			time.Sleep(time.Minute)
			s.notice([]string{toolsChanged})
			time.Sleep(time.Minute)
		}, 0},
		{"a listing that the client never asked for", func(s *Shown) {
			s.Ask(Tools)
			s.follow(serving(both))
			s.notice([]string{resourcesChanged, "notifications/prompts/list_changed"})
			time.Sleep(time.Minute)
		}, 0},
		{"templates and resources share a notice", func(s *Shown) {
			s.Ask(Templates)
			s.follow(serving(both))
			s.notice([]string{resourcesChanged})
			time.Sleep(unseenAfter)
		}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told control.Unseen
				s := newShown(func(u control.Unseen) { told = u })
				defer s.End()
				began := time.Now().UTC()
				test.story(s)
				synctest.Wait()
				s.mu.Lock()
				defer s.mu.Unlock()
				if told.Items != test.told {
					t.Errorf("the hub heard of %d items, and it should be %d", told.Items, test.told)
				}
				if told.Items > 0 && !told.Since.Equal(began) {
					t.Errorf("since %s, and it began %s", told.Since, began)
				}
			})
		})
	}
}

func serving(items map[string]pin.Digest) *View {
	v := &View{Seen: &Observation{digests: items}, Served: map[string]bool{}}
	for key := range items {
		v.Served[key] = true
	}
	return v
}
