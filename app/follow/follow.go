// Package follow looks at files when they change. Not every file system sends events, so files can also be checked now and then.
package follow

import (
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Files says how to follow files. Settle, Matters, Look and Closing must be set.
type Files struct {
	Settle  time.Duration          // how long events must be quiet before a look: programs write in pieces
	Longest time.Duration          // how long a stream of events can delay a look; 0: as long as it lasts
	Every   time.Duration          // how often Changed is asked; 0: never
	Matters func(file string) bool // whether an event on a file is reason for a look
	Changed func() bool            // whether there is reason for a look without an event
	Look    func()                 // called from the start, because no event reports what happened before
	Wake    <-chan struct{}        // another reason for a look
	Closing <-chan struct{}        // closed to end it
}

// Run follows files until Closing is closed. Look decides which folders watcher watches; nil leaves only Every and Wake.
func (f Files) Run(watcher *fsnotify.Watcher) {
	var events <-chan fsnotify.Event
	var lost <-chan error
	if watcher != nil {
		events, lost = watcher.Events, watcher.Errors
	}
	var tick <-chan time.Time
	if f.Every > 0 {
		ticker := time.NewTicker(f.Every)
		defer ticker.Stop()
		tick = ticker.C
	}
	quiet := time.NewTimer(0)
	defer quiet.Stop()
	var since time.Time // of the first event after a look
	stir := func() {
		wait := f.Settle
		if since.IsZero() {
			since = time.Now()
		}
		if f.Longest > 0 {
			wait = min(wait, max(0, f.Longest-time.Since(since)))
		}
		quiet.Reset(wait)
	}
	for {
		select {
		case <-f.Closing:
			return
		case <-f.Wake:
			stir()
		case event, ok := <-events:
			if !ok {
				return
			}
			if f.Matters(event.Name) {
				stir()
			}
		case _, ok := <-lost:
			if !ok {
				return
			}
			stir() // events were lost
		case <-tick:
			if f.Changed() {
				stir()
			}
		case <-quiet.C:
			since = time.Time{}
			f.Look()
		}
	}
}

// Same reports whether a file looks as it did from outside; nil is a missing file.
func Same(was, now os.FileInfo) bool {
	if was == nil || now == nil {
		return was == nil && now == nil
	}
	return os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime())
}
