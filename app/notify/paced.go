package notify

import (
	"sync"
	"time"
)

// Paced is a Notifier behind a Pace: it is told of events, and shows what is due when it is due.
type Paced struct {
	notes   Notifier
	waiting func() int

	// Seen says that a person has on the screen what an event is about; nil where nobody can tell. It is asked when an event is offered
	// and again when its note is due, and takes no lock that Offer's caller could hold. Set it before the first Offer.
	Seen func(Event) bool

	mu      sync.Mutex // held over Show and Withdraw too: what is taken back is not shown after
	pace    *Pace
	timer   *time.Timer
	offered map[string]uint64 // keys that were offered and not taken back, by when
	count   uint64
	closed  bool
}

// NewPaced starts nothing until the first Offer. waiting is how many items wait in the inbox, asked when something is shown;
// where it is nil a summary counts what it stands for.
func NewPaced(notes Notifier, pace *Pace, waiting func() int) *Paced {
	if waiting == nil {
		waiting = func() int { return 0 }
	}
	return &Paced{notes: notes, waiting: waiting, pace: pace, offered: map[string]uint64{}}
}

// Offer tells of an event. It does not wait.
func (p *Paced) Offer(e Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.Seen != nil && p.Seen(e) {
		return
	}
	p.count++
	p.offered[e.Note.Key] = p.count
	p.pace.Offer(time.Now(), e)
	p.wind()
}

// Withdraw takes back what was said of this key, and what would have been.
func (p *Paced) Withdraw(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.withdraw(key)
	p.wind()
}

// Keep takes back all that was offered whose key is not in what list gives: the codes that wait. list is called without a
// lock; what is offered while it looks is not taken back.
func (p *Paced) Keep(list func() []string) {
	p.mu.Lock()
	seen := p.count
	p.mu.Unlock()
	keys := list()
	wait := map[string]bool{}
	for _, key := range keys {
		wait[key] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, at := range p.offered {
		if at <= seen && !wait[key] {
			p.withdraw(key)
		}
	}
	if len(keys) == 0 && p.count == seen {
		p.notes.Withdraw(Summary)
	}
	p.wind()
}

// Later is for Options.Later: nothing more is said of this key for four hours, unless it becomes graver.
func (p *Paced) Later(n Note) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pace.Later(time.Now(), n)
	p.wind()
}

// Snooze shows nothing but what is Critical until then.
func (p *Paced) Snooze(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pace.Snooze(until)
	p.wind()
}

// Why is the Notifier's.
func (p *Paced) Why() string { return p.notes.Why() }

// Close closes the Notifier, and shows nothing after.
func (p *Paced) Close() error {
	p.mu.Lock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	return p.notes.Close()
}

func (p *Paced) withdraw(key string) {
	delete(p.offered, key)
	p.pace.Withdraw(key)
	if !p.closed {
		p.notes.Withdraw(key)
	}
}

// wind sets the timer to when something is due.
func (p *Paced) wind() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	if at, ok := p.pace.Next(); ok && !p.closed {
		p.timer = time.AfterFunc(time.Until(at), p.show)
	}
}

func (p *Paced) show() {
	waiting := p.waiting() // asks the hub, which may be telling us of something right now
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if p.Seen != nil {
		p.pace.Drop(p.Seen)
	}
	for _, n := range p.pace.Due(time.Now(), waiting) {
		p.notes.Show(n)
	}
	p.wind()
}
