// Package notify shows native notifications and hears when one is clicked. It knows nothing of the hub: Note is what is
// shown, Options.Open is told the route of a note that was clicked, Pace (and Paced, which gives it a clock) decides what
// is shown at all and when, and Say has the words. On Linux a note goes to the notification daemon (linux.go), elsewhere to the
// window's toolkit, or plainly where that is not there or not permitted (toolkit.go, other.go).
//
// What holds:
//   - A click only opens: no note has a button that allows, releases or removes anything, and there is no way to give it one.
//   - A note that is dismissed, replaced or times out was not clicked.
//   - On Linux only the notification daemon is heard (linux.go): any process on the session bus can send a signal that looks
//     like a click, as a broadcast or addressed to us.
//   - Titles and bodies carry no control, bidirectional or invisible character and are bounded. They are our words: the texts
//     of servers never come here, and names of theirs pass SafeName first.
package notify

import (
	"io"
	"log/slog"
)

// Urgency of a note; Critical stays until it is looked at where the system can do that.
type Urgency int

const (
	Normal Urgency = iota
	Low
	Critical
)

// Note is one notification. A later note with the same Key takes its place.
type Note struct {
	Key         string // what Withdraw names it by: the inbox code, or a word of the caller's for what is no item
	Title, Body string
	Route       string // what a click opens
	Action      string // label of the one button, which opens Route as a click on the note does; none where empty
	Later       bool   // has the second button, that puts it off, where Options.Later is set
	Urgency     Urgency
	Replaces    string // key of a note whose place on the screen this one takes, where that still stands
}

// Options of New. Callbacks come on a goroutine of their own and may call the Notifier.
type Options struct {
	Open func(route string)
	// Later hears of a note that was put off. It decides nothing: the item waits on.
	Later func(Note)
	// Toolkit gives the window's own notifications when there is a window. It is not taken from on Linux.
	Toolkit <-chan Toolkit
	AppIcon string // a name in the icon theme or a path; "sallyport" where empty
	Log     *slog.Logger
}

// Notifier shows notes. Show and Withdraw are for any goroutine, and never fail: what cannot be shown is still in the
// window and the tray, and Why says that there are none.
type Notifier interface {
	Show(Note)
	Withdraw(key string)
	Why() string // "" while notes are shown; else why there are none, in words for a person
	Close() error
}

// New is the notifier of this system. Without a daemon, or a session, it shows nothing until there is one.
func New(o Options) Notifier {
	if o.Open == nil {
		o.Open = func(string) {}
	}
	if o.AppIcon == "" {
		o.AppIcon = "sallyport"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	return open(o)
}
