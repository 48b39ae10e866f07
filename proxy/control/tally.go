package control

import (
	"sync"
	"time"
)

// tallyInterval is how often one kind of attack is told of at most: whoever makes it could fill the timeline.
const tallyInterval = time.Minute

// tally counts what happened, and says when the next is worth a record of how often it did.
type tally struct {
	mu    sync.Mutex
	count int
	told  time.Time
}

// met counts one, and is how many to tell of now, 0 for none.
func (t *tally) met(now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count++
	if !t.told.IsZero() && now.Sub(t.told) < tallyInterval {
		return 0
	}
	count := t.count
	t.count, t.told = 0, now
	return count
}

// Foreign is how many messages another program than the proved one wrote on connections of this hub since the last was told of.
type Foreign struct {
	PID   int    // that was proved, of the last
	Why   string // a sentence of ours
	Count int
}
