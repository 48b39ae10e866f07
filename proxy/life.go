package proxy

import (
	"sync"
	"sync/atomic"
	"time"
)

// life is the state of the connection, and what the client said about itself.
type life struct {
	asked       atomic.Bool // the client has sent initialize
	answered    atomic.Bool // the server has answered it
	initialized atomic.Bool // the client has sent notifications/initialized
	wentOn      atomic.Bool // the client has sent more than initialize and ping
	apart       atomic.Bool // the server answered with a version we don't speak

	mu         sync.Mutex
	wanted     string // version requested by the client
	client     string // the client's own name
	numericIDs bool   // the client's ids are numbers, so ours are too

	once  sync.Once
	state chan struct{}
}

func (l *life) stateChan() chan struct{} {
	l.once.Do(func() { l.state = make(chan struct{}, 1) })
	return l.state
}

// stateCame wakes whoever waits for the hub's first state.
func (l *life) stateCame() {
	select {
	case l.stateChan() <- struct{}{}:
	default:
	}
}

// awaitState waits for the first state of the hub, at most limit.
func (l *life) awaitState(have func() bool, limit time.Duration) {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for !have() {
		select {
		case <-l.stateChan():
		case <-deadline.C:
			return
		}
	}
}

// ready reports whether listings can be requested.
func (l *life) ready() bool { return l.answered.Load() && l.initialized.Load() }
