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
	// buryTogether is how long to wait for more wrappers to end: a client that quits ends all its wrappers within a second, and one look at
	// every process of the machine (8 ms with 250 running) is enough for all of them.
	buryTogether = time.Second
)

// burials kill the processes that outlived their wrappers. Normally there are none; there are if a guard was killed too.
type burials struct {
	kill func(marks map[uint64]bool) (killed map[uint64]int)
	tell func(from Register, killed int)

	mu      sync.Mutex
	ended   []burial // in the order they ended
	digging bool     // a goroutine waits for the first of them
}

// burial is a wrapper whose connection ended.
type burial struct {
	cred peer.Credentials
	from Register
	due  time.Time
}

// add schedules the killing of what is left of a wrapper's server. run starts the waiting goroutine, if there is none.
func (b *burials) add(ctx context.Context, cred peer.Credentials, from Register, run func(func())) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = append(b.ended, burial{cred, from, time.Now().Add(buryAfter)})
	if !b.digging {
		b.digging = true
		run(func() { b.dig(ctx) })
	}
}

// dig kills leftovers until nothing is scheduled. When ctx ends it only releases the processes: the next hub handles those without a
// wrapper.
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

// take returns those that are due, or all; more is false if none are left, and dig ends.
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

// next is how long until those that ended around the time of the first are due.
func (b *burials) next() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ended) == 0 {
		return 0
	}
	return time.Until(b.ended[0].due) + buryTogether
}

// bury kills what is left of their servers. A wrapper that only lost its connection comes back and is spared.
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

// after waits; it is false if ctx ends first.
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

const (
	// killRounds is how often kill searches again, because processes may fork while they are killed.
	killRounds = 50
	// inheritEvery is how often the hub looks for marked processes without a wrapper: a wrapper may be killed before it has registered.
	inheritEvery = time.Minute
)

// inherit ends what is left of servers whose wrappers this hub never knew: an earlier hub did, and was killed with them. A mark that had
// no wrapper at two looks, as far apart as a guard needs to end its server, has none any more.
func (s *server) inherit(ctx context.Context) {
	told, unseen := map[uint64]bool{}, false
	for before := map[uint64]bool{}; ; {
		left, err := peer.LeftMarks()
		if err != nil && !unseen {
			unseen = true
			s.log.Warn("what servers left behind cannot be looked for", "error", err)
		}
		lost := map[uint64]bool{}
		for mark := range left {
			if before[mark] {
				delete(left, mark)
				lost[mark] = true
			}
		}
		for mark, killed := range s.kill(lost) {
			if !told[mark] { // report once; processes that don't die are tried again
				told[mark] = true
				s.tell(Register{Mark: mark}, killed)
			}
		}
		before = left
		pause := inheritEvery
		if len(before) > 0 {
			pause = buryAfter
		}
		if !after(ctx, pause) {
			return
		}
	}
}

// kill kills all processes with one of the marks and returns their number for each mark that had any. It looks through the machine's
// processes once for all marks, and again as long as it finds new ones.
func (s *server) kill(marks map[uint64]bool) map[uint64]int {
	killed := map[int]uint64{} // marks by pid
	for range killRounds {
		before := len(killed)
		peer.KillMarked(marks, killed)
		if len(killed) == before {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	counts := map[uint64]int{}
	for _, mark := range killed {
		counts[mark]++
	}
	return counts
}

func (s *server) tell(from Register, killed int) {
	s.log.Warn("ended what was left of a server whose wrapper and guard were killed", "wrapper", from.PID, "processes", killed)
	s.handler.Ended(from, killed)
}
