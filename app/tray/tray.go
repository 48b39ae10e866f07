// Package tray keeps the icon in the notification area and its menu. It knows nothing about the hub: State is what it shows, and
// Options.Open receives the route of a clicked row.
//
// Invariants:
//   - No row allows, releases, pauses or removes anything; snoozing affects only notifications. Any process on the session bus
//     can click a row of the menu.
//   - Rows are made once and then renamed, shown or hidden; a click opens the item whose title the row showed.
//   - Without a session bus, or a panel to show an icon, Why says so and the rest does nothing.
package tray

import (
	"io"
	"log/slog"
)

// Mood is what the icon says without words. Each has its own shape, so that they differ without colour.
type Mood int

const (
	Starting  Mood = iota // hollow shield: nothing is known yet, or no client has started a guarded server
	Guarding              // solid shield
	Attention             // solid shield with a dot in a notch
	Critical              // solid shield with a large red dot in a white ring
	Failing               // outlined shield with "!": something is not guarded, or the hub does not work
	Snoozed               // solid shield with a crescent: all is guarded, and notifications are not shown
)

// Row is one pending item. Its title is in our words, with names made safe.
type Row struct {
	ID    string // the inbox code
	Title string // "weather — tool changed"
}

// State is everything the tray shows. Count is the number of pending items, if that is more than the rows given.
type State struct {
	Mood     Mood
	Waiting  []Row // the most serious and newest first; three are shown
	Count    int
	Coverage string // "Guarding 4 of 4 servers"
	Tooltip  string // "Sallyport — 2 things waiting"
	Snoozed  string // when notifications resume, "15:30"; "" if they are on
}

// Snooze is how long a person wants no notifications. It blocks and unblocks nothing.
type Snooze int

const (
	HalfAnHour Snooze = iota
	TwoHours
	UntilTomorrow
	EndSnooze
)

// Options of New. Callbacks run on a goroutine of their own and may call the Tray.
type Options struct {
	Open   func(route string) // "#/inbox/4F2A", "#/inbox", "" for the window as it was
	Snooze func(Snooze)
	Quit   func()
	Log    *slog.Logger
}

// Tray is the icon of this process. Set is safe for concurrent use.
type Tray interface {
	Set(State)
	Why() string // "" while an icon is shown; else the reason, for a person
	Close()
}

// New shows the icon, as Starting until the first Set. Call it once: on Windows a process has one icon for its whole life.
func New(o Options) Tray {
	if o.Open == nil {
		o.Open = func(string) {}
	}
	if o.Snooze == nil {
		o.Snooze = func(Snooze) {}
	}
	if o.Quit == nil {
		o.Quit = func() {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	return open(o)
}

// nowhere is the tray of a session without one.
type nowhere string

func (nowhere) Set(State)     {}
func (n nowhere) Why() string { return string(n) }
func (nowhere) Close()        {}

// maxClicks is how many clicks can wait for the window.
const maxClicks = 8

// clicks runs callbacks one after the other, so that a slow window delays neither clicks nor changes of state.
type clicks struct {
	o     Options
	queue chan func()
	done  chan struct{}
}

func newClicks(o Options) *clicks {
	c := &clicks{o: o, queue: make(chan func(), maxClicks), done: make(chan struct{})}
	go func() {
		for {
			select {
			case f := <-c.queue:
				f()
			case <-c.done:
				return
			}
		}
	}()
	return c
}

func (c *clicks) end() { close(c.done) }

func (c *clicks) open(route string) { c.tell(func() { c.o.Open(route) }) }

func (c *clicks) row(e entry) {
	switch {
	case e.hidden:
	case e.does == opens:
		c.open(e.route)
	case e.does == snoozes:
		c.tell(func() { c.o.Snooze(e.snooze) })
	case e.does == quits:
		c.tell(c.o.Quit)
	}
}

func (c *clicks) tell(f func()) {
	select {
	case c.queue <- f:
	default:
		c.o.Log.Warn("click dropped: those before it are not done")
	}
}
