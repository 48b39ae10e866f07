package notify

import (
	"sync"
	"time"
)

// Paced is a Notifier behind a Pace: it receives events, and shows notes when they are due.
type Paced struct {
	notes   Notifier
	waiting func() int

	// Seen reports whether a person has the subject of an event on the screen; nil if nobody can tell. It is called when an event is
	// offered and again when its note is due, and must not take a lock that Offer's caller could hold. Set it before the first Offer.
	Seen func(Event) bool

	mu      sync.Mutex // also held during Show and Withdraw, so that a withdrawn note is not shown afterwards
	pace    *Pace
	timer   *time.Timer
	offered map[string]uint64 // keys offered and not withdrawn, with their sequence number
	count   uint64
	closed  bool
}

// NewPaced starts nothing until the first Offer. waiting returns the number of pending items, for a summary; if nil, a summary counts what
// it stands for.
func NewPaced(notes Notifier, pace *Pace, waiting func() int) *Paced {
	if waiting == nil {
		waiting = func() int { return 0 }
	}
	return &Paced{notes: notes, waiting: waiting, pace: pace, offered: map[string]uint64{}}
}

// Offer takes an event without blocking.
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

// Withdraw removes the note of this key, shown or planned.
func (p *Paced) Withdraw(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.withdraw(key)
	p.wind()
}

// Keep withdraws every offered key that list does not return (the pending codes). list is called without a lock; keys offered meanwhile are
// kept.
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

// Later is for Options.Later: this key is quiet for four hours, unless it becomes more serious.
func (p *Paced) Later(n Note) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pace.Later(time.Now(), n)
	p.wind()
}

// Snooze shows only Critical notes until then.
func (p *Paced) Snooze(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pace.Snooze(until)
	p.wind()
}

func (p *Paced) Why() string { return p.notes.Why() }

// Close closes the Notifier and shows nothing afterwards.
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
	waiting := p.waiting() // calls the hub, which may be calling us right now
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
