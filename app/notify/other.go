//go:build !linux

package notify

import (
	"strings"
	"sync"

	"github.com/gen2brain/beeep"
)

// toaster shows notes with what every system has. Nobody hears a click on one and none can be withdrawn: the window and the
// tray have everything that is said here.
type toaster struct {
	o     Options
	notes chan Note
	done  chan struct{}
	ended sync.Once

	mu  sync.Mutex
	why string
}

// maxNotes is how many wait while the system shows one (it starts a program for each on macOS).
const maxNotes = 16

func open(o Options) Notifier {
	beeep.AppName = "Sallyport"
	t := &toaster{o: o, notes: make(chan Note, maxNotes), done: make(chan struct{})}
	go t.run()
	return t
}

func (t *toaster) run() {
	for {
		select {
		case n := <-t.notes:
			t.toast(n)
		case <-t.done:
			return
		}
	}
}

func (t *toaster) toast(n Note) {
	icon := "" // a theme's icon has no name here
	if strings.ContainsAny(t.o.AppIcon, `/\`) {
		icon = t.o.AppIcon
	}
	show := beeep.Notify
	if n.Urgency == Critical {
		show = beeep.Alert
	}
	err := show(plain(n.Title, maxTitle), plain(n.Body, maxBody), icon)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.why = ""
	if err != nil {
		t.o.Log.Warn("notification not shown", "why", err)
		t.why = "this system shows no notifications of Sallyport"
	}
}

func (t *toaster) Show(n Note) {
	select {
	case t.notes <- n:
	case <-t.done:
	default:
		t.o.Log.Warn("notification dropped: the system does not show those before it")
	}
}

func (t *toaster) Withdraw(string) {}

func (t *toaster) Why() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why
}

func (t *toaster) Close() error {
	t.ended.Do(func() { close(t.done) })
	return nil
}
