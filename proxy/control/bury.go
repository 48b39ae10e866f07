package control

import (
	"context"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/peer"
)

const (
	// buryAfter is how long a guard that lost its wrapper may take to end the server: it asks, terminates and kills (transport).
	buryAfter = 8 * time.Second
	// buryTogether is how long those that ended next may take to join: a client that quits ends all its wrappers within a second, and
	// one look at every process of the machine (8 ms where 250 run) is enough for all of them.
	buryTogether = time.Second
)

// burials kill the processes that outlived their wrappers. Normally there are none; there are if a guard was killed too.
type burials struct {
	kill func(marks map[uint64]bool) (killed map[uint64]int)
	tell func(from Register, killed int)

	mu      sync.Mutex
	ended   []burial // by the time they ended
	digging bool     // somebody waits for the first of them
}

// burial is a wrapper whose connection ended.
type burial struct {
	cred peer.Credentials
	from Register
	due  time.Time
}

// add has what is left of the server of a wrapper killed in a while. run starts what waits for that, where nobody does.
func (b *burials) add(ctx context.Context, cred peer.Credentials, from Register, run func(func())) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = append(b.ended, burial{cred, from, time.Now().Add(buryAfter)})
	if !b.digging {
		b.digging = true
		run(func() { b.dig(ctx) })
	}
}

// dig buries until nobody is left. When ctx ends it only lets go of the processes: the next hub looks after what has no wrapper.
func (b *burials) dig(ctx context.Context) {
	for {
		due, more := b.take(ctx.Err() != nil)
		if !more {
			return
		}
		b.bury(ctx, due)
		if wait := b.next(); wait > 0 {
			after(ctx, wait)
		}
	}
}

// take takes those that are due, or all; more is false where nobody is left, and dig ends.
func (b *burials) take(all bool) (due []burial, more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, now := 0, time.Now()
	for n < len(b.ended) && (all || !b.ended[n].due.After(now)) {
		n++
	}
	due, b.ended = b.ended[:n:n], b.ended[n:]
	b.digging = n > 0 || len(b.ended) > 0
	return due, b.digging
}

// next is how long it takes until those that ended around the time of the first are due.
func (b *burials) next() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ended) == 0 {
		return 0
	}
	return time.Until(b.ended[0].due) + buryTogether
}

// bury kills what is left of their servers. A wrapper that only lost its connection comes back, and is let be.
func (b *burials) bury(ctx context.Context, due []burial) {
	marks, from := map[uint64]bool{}, map[uint64]Register{}
	for _, one := range due {
		if ctx.Err() == nil && !one.cred.Alive() {
			marks[one.from.Mark], from[one.from.Mark] = true, one.from
		}
		one.cred.Release()
	}
	if len(marks) == 0 {
		return
	}
	for mark, killed := range b.kill(marks) {
		b.tell(from[mark], killed)
	}
}

// after is false where ctx ends first.
func after(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
