// Package notify shows native notifications and reports clicks. It knows nothing about the hub: Note is what is shown, Options.Open
// receives the route of a clicked note, Pace (and Paced, which gives it a clock) decides what is shown and when, and Say has the words. On
// Linux a note goes to the notification daemon (linux.go), elsewhere to the window's toolkit, or to a plain fallback if that is missing or
// not permitted (toolkit.go, other.go).
//
// Invariants:
//   - A click only opens something: no note has a button that allows, releases or removes anything, nor can it get one.
//   - A note that is dismissed, replaced or times out was not clicked.
//   - On Linux only the notification daemon is heard (linux.go): any process on the session bus can send a signal that looks
//     like a click, as a broadcast or addressed to us.
//   - Titles and bodies have no control, bidirectional or invisible characters and are limited in length. They are our words:
//     server text never gets here, and server names pass SafeName first.
package notify

import (
	"io"
	"log/slog"
)

// Urgency of a note; a Critical one stays until somebody looks at it, if the system supports that.
type Urgency int

const (
	Normal Urgency = iota
	Low
	Critical
)

// Note is one notification. A later note with the same Key replaces it.
type Note struct {
	Key         string // for Withdraw: the inbox code, or a word of the caller's for a note about no item
	Title, Body string
	Route       string // what a click opens
	Action      string // label of the one button, which opens Route like a click on the note; no button if empty
	Later       bool   // has a second button that puts it off, if Options.Later is set
	Urgency     Urgency
	Replaces    string // key of a note that this one replaces, if it is still shown
}

// Options of New. Callbacks run on a goroutine of their own and may call the Notifier.
type Options struct {
	Open func(route string)
	// Later receives a note that was put off. It decides nothing: the item stays pending.
	Later func(Note)
	// Toolkit delivers the window's own notifications once there is a window. Linux does not use it.
	Toolkit <-chan Toolkit
	AppIcon string // a name in the icon theme or a path; default "sallyport"
	Log     *slog.Logger
}

// Notifier shows notes. Show and Withdraw are safe for concurrent use and never fail: the window and the tray still show everything, and
// Why says why there are no notes.
type Notifier interface {
	Show(Note)
	Withdraw(key string)
	Why() string // "" while notes are shown; else the reason, for a person
	Close() error
}

// New is the notifier of this system. Without a daemon or a session it shows nothing until there is one.
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
