package control

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Values are kept for a hub that starts: they are in no file.
const (
	// ValuesFor is how long what came out of a server counts.
	ValuesFor = 4 * time.Hour
	// MaxServerValues is how many values of one server and client count, the newest.
	MaxServerValues = 65_536
	// maxLogged is how many bytes of them a wrapper keeps: those that count, as long on the wire as flow.HashedSize.
	maxLogged = MaxServerValues * 17
	// valuesBatch is about how many bytes go in one message.
	valuesBatch = 1 << 20
)

// valuesLog is what a wrapper heard, in order: a hub gets it once, and the next hub once more.
type valuesLog struct {
	turn    chan struct{} // one token: held by whoever is sending
	telling atomic.Bool   // a goroutine tells what a call brought

	mu    sync.Mutex
	log   []Values
	first uint64 // number of log[0]
	told  uint64 // all before are known to the hub
	size  int
}

func newValuesLog() *valuesLog { return &valuesLog{turn: make(chan struct{}, 1)} }

// add keeps values, and returns the number up to which a flush tells them.
func (l *valuesLog) add(v Values) (upTo uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = append(l.log, v)
	l.size += len(v.Said) + len(v.Came)
	old := v.At.Add(-ValuesFor)
	for len(l.log) > 1 && (l.size > maxLogged || l.log[0].At.Before(old)) {
		l.size -= len(l.log[0].Said) + len(l.log[0].Came)
		l.log[0] = Values{}
		l.log = l.log[1:]
		l.first++
	}
	return l.first + uint64(len(l.log))
}

// restart is for a hub that knows nothing yet. Nothing is being told to the one before any more: its connection has ended.
func (l *valuesLog) restart() {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.mu.Lock()
	l.told = 0
	l.mu.Unlock()
}

// next is what comes next, and the number after it.
func (l *valuesLog) next() (batch []Values, upTo uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := int(max(l.told, l.first) - l.first)
	to, size := from, 0
	for to < len(l.log) && size < valuesBatch {
		size += len(l.log[to].Said) + len(l.log[to].Came)
		to++
	}
	return slices.Clone(l.log[from:to]), l.first + uint64(to)
}

// flush tells a hub everything up to a number.
func (l *valuesLog) flush(ctx context.Context, c *Client, upTo uint64) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		l.mu.Lock()
		done := l.told >= upTo
		l.mu.Unlock()
		if done {
			return nil
		}
		batch, to := l.next()
		if len(batch) > 0 {
			if _, err := askValues(ctx, c, ValuesHeard{Values: batch}); err != nil {
				return err
			}
		}
		l.mu.Lock()
		l.told = to
		l.mu.Unlock()
		if len(batch) == 0 {
			return nil
		}
	}
}

// all is the number up to which there are values.
func (l *valuesLog) all() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first + uint64(len(l.log))
}
