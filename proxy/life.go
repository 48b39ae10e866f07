package proxy

import (
	"sync"
	"sync/atomic"
	"time"
)

// life is where the connection stands, and what the client said of itself.
type life struct {
	asked       atomic.Bool // the client has sent initialize
	answered    atomic.Bool // the server has answered it
	initialized atomic.Bool // the client has sent notifications/initialized
	wentOn      atomic.Bool // the client has asked for more than initialize and ping
	apart       atomic.Bool // the server answered in a protocol version that we do not speak

	mu         sync.Mutex
	wanted     string // version that the client asked for
	client     string // the client's own name
	numericIDs bool   // the client numbers its requests; ours look alike

	once  sync.Once
	state chan struct{}
}

func (l *life) stateChan() chan struct{} {
	l.once.Do(func() { l.state = make(chan struct{}, 1) })
	return l.state
}

// stateCame wakes whoever waits for the hub's first word.
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

// ready says that listings may be asked for.
func (l *life) ready() bool { return l.answered.Load() && l.initialized.Load() }
