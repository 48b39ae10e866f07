package notify

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

// Toolkit is the notification functions of the window's toolkit, one method for each, so that this package imports no toolkit. It is
// available once the window is. It is not used on Linux, where any program on the session bus could click what it shows.
type Toolkit interface {
	Available() bool
	Initialize() error
	Authorize() (bool, error) // asks the person if the system wants that, and waits
	Hear(func(Response))      // called for everything done with a note, on any goroutine
	Register(category string, buttons []Button) error
	Send(Toast) error
	Remove(id string) error // does nothing if the system can't
}

// Toast is a note as a toolkit shows it. A Category gives it the buttons registered for that.
type Toast struct{ ID, Title, Body, Category string }

// Button of a toast.
type Button struct{ ID, Label string }

// Response is what a system says was done with a toast. We trust nothing else in it: the route of a click is kept here, under an id that
// nobody can guess.
type Response struct{ ID, Action string }

// ActionClicked is a click on a toast itself (Wails v2.16.0).
const ActionClicked = "DEFAULT_ACTION"

const (
	windowAfter = 15 * time.Second // wait for the toolkit, then use the plain way
	maxNotes    = 16               // notes waiting for it
)

// toasts shows notes with a toolkit, or plainly if it is missing or not permitted. The goroutine of run owns every field that is not a
// channel or why.
type toasts struct {
	o     Options
	plain func(Note) error // without buttons, clicks or withdrawal
	work  chan func()
	done  chan struct{}
	gone  chan struct{}
	ended sync.Once

	kit     Toolkit // nil while unknown, and if there is none
	known   bool
	queue   []Note            // until it is known
	cats    map[string]bool   // registered categories
	ids     map[string]string // of notes on screen, by key
	sent    map[string]sent   // by id
	history []string          // ids, the oldest first

	mu  sync.Mutex
	why string
}

// sent is a note that was shown. If a system can't withdraw, a withdrawn note still leads to its item, and the page says how it was
// decided.
type sent struct {
	note  Note
	taken bool
}

func newToasts(o Options, plain func(Note) error) *toasts {
	t := &toasts{o: o, plain: plain, work: make(chan func(), maxNotes), done: make(chan struct{}), gone: make(chan struct{}),
		cats: map[string]bool{}, ids: map[string]string{}, sent: map[string]sent{}}
	go t.run()
	return t
}

func (t *toasts) Show(n Note)         { t.do(func() { t.show(n) }) }
func (t *toasts) Withdraw(key string) { t.do(func() { t.withdraw(key) }) }

func (t *toasts) Why() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why
}

// Close leaves notes on screen: the window, and with it the toolkit, has gone by then. A callback may call it.
func (t *toasts) Close() error {
	t.ended.Do(func() { close(t.done) })
	<-t.gone
	return nil
}

func (t *toasts) do(f func()) {
	select {
	case t.work <- f:
	case <-t.done:
	default:
		t.o.Log.Warn("notification dropped: the system is not done with those before it")
	}
}

func (t *toasts) run() {
	defer close(t.gone)
	kits, begun := t.o.Toolkit, make(chan Toolkit)
	late := time.NewTimer(windowAfter)
	defer late.Stop()
	if kits == nil {
		t.settle(nil)
	}
	for {
		select {
		case f := <-t.work:
			f()
		case kit := <-kits:
			kits = nil
			late.Stop() // from here on a person may be asked, which can take a while
			go func() {
				if !t.begin(kit) {
					kit = nil
				}
				select {
				case begun <- kit:
				case <-t.done:
				}
			}()
		case kit := <-begun:
			t.settle(kit)
		case <-late.C:
			t.settle(nil)
		case <-t.done:
			return
		}
	}
}

// begin reports whether the toolkit's notifications can be used.
func (t *toasts) begin(kit Toolkit) bool {
	if !kit.Available() {
		t.o.Log.Info("notifications", "plain", "the system has no notifications here")
		return false
	}
	if err := kit.Initialize(); err != nil {
		t.o.Log.Info("notifications", "plain", err)
		return false
	}
	kit.Hear(func(r Response) { t.do(func() { t.hear(r) }) })
	if allowed, err := kit.Authorize(); err != nil || !allowed {
		t.o.Log.Info("notifications", "plain", "not permitted", "why", err)
		return false
	}
	return true
}

func (t *toasts) settle(kit Toolkit) {
	t.kit, t.known = kit, true
	queue := t.queue
	t.queue = nil
	for _, n := range queue {
		t.show(n)
	}
}

func (t *toasts) show(n Note) {
	if !t.known {
		t.queue = slices.DeleteFunc(t.queue, func(q Note) bool { return q.Key == n.Key })
		if len(t.queue) < maxNotes {
			t.queue = append(t.queue, n)
		}
		return
	}
	if n.Replaces != "" && n.Replaces != n.Key {
		t.withdraw(n.Replaces)
	}
	err := t.send(n)
	why := ""
	if err != nil {
		t.o.Log.Warn("notification not shown", "why", err)
		why = "this system shows no notifications of Sallyport"
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.why = why
}

// send shows a note with the toolkit, or plainly if that fails.
func (t *toasts) send(n Note) error {
	if t.kit == nil {
		return t.plain(n)
	}
	t.withdraw(n.Key) // not every system lets one note replace another
	toast := Toast{ID: rand.Text(), Title: plain(n.Title, maxTitle), Body: plain(n.Body, maxBody), Category: t.category(n)}
	if err := t.kit.Send(toast); err != nil {
		t.o.Log.Warn("notification shown plainly", "why", err)
		return t.plain(n)
	}
	if t.history = append(t.history, toast.ID); len(t.history) > maxShown {
		oldest := t.history[0]
		t.history = t.history[1:]
		if key := t.sent[oldest].note.Key; t.ids[key] == oldest {
			delete(t.ids, key)
		}
		delete(t.sent, oldest)
	}
	t.ids[n.Key], t.sent[toast.ID] = toast.ID, sent{note: n}
	return nil
}

// category registers and returns the name for the buttons of a note; "" for none.
func (t *toasts) category(n Note) string {
	label := plain(n.Action, maxName)
	if label == "" {
		return ""
	}
	name, buttons := "sallyport "+label, []Button{{actionOpen, label}}
	if n.Later && t.o.Later != nil {
		name, buttons = name+" later", append(buttons, Button{actionLater, "Later"})
	}
	if !t.cats[name] {
		if err := t.kit.Register(name, buttons); err != nil {
			t.o.Log.Warn("notification without buttons", "why", err)
			return ""
		}
		t.cats[name] = true
	}
	return name
}

func (t *toasts) withdraw(key string) {
	t.queue = slices.DeleteFunc(t.queue, func(q Note) bool { return q.Key == key })
	id, stands := t.ids[key]
	if !stands {
		return
	}
	delete(t.ids, key)
	t.sent[id] = sent{note: t.sent[id].note, taken: true}
	if err := t.kit.Remove(id); err != nil {
		t.o.Log.Info("notification not withdrawn", "why", err)
	}
}

// hear handles a response. On some systems dismissing a toast is one too, so anything but one of our buttons or a click on the toast does
// nothing.
func (t *toasts) hear(r Response) {
	it, known := t.sent[r.ID]
	if !known {
		return // of an earlier run, or forged
	}
	switch r.Action {
	case ActionClicked, actionOpen:
		go t.o.Open(it.note.Route)
	case actionLater:
		if it.taken || !it.note.Later || t.o.Later == nil {
			return
		}
		t.withdraw(it.note.Key)
		go t.o.Later(it.note)
	}
}
