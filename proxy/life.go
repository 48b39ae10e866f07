package proxy

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// life is where the connection stands, and what initialize said.
type life struct {
	asked       atomic.Bool // the client has sent initialize
	answered    atomic.Bool // the server has answered it
	initialized atomic.Bool // the client has sent notifications/initialized
	wentOn      atomic.Bool // the client has asked for more than initialize and ping
	apart       atomic.Bool // the server answered in a protocol version that we do not speak

	mu           sync.Mutex
	declared     map[string]bool // capabilities the server announced
	listed       map[method]bool // listings the client has asked for though they were not announced
	instructions *pin.Item       // as declared, nil where there are none
	serverInfo   []byte
	findings     []inspect.Finding // in what initialize said beside instructions
	protocol     string
	wanted       string // version that the client asked for
	client       string // the client's own name
	numericIDs   bool   // the client numbers its requests; ours look alike

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

// lists says whether a snapshot asks for this listing: it was announced, or the client asked for it all the same.
func (l *life) lists(m method) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.declared[lists[m].capability] || l.listed[m]
}

// speaksOf says whether a list_changed of our own is about a listing that this client knows of: tools, which we announce
// ourselves, and what the server announced or the client asked for.
func (l *life) speaksOf(notification string) bool {
	if notification == lists[methodListTools].changed {
		return true
	}
	for _, m := range listMethods {
		if lists[m].changed == notification && l.lists(m) {
			return true
		}
	}
	return false
}

func (l *life) askedFor(m method) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listed == nil {
		l.listed = map[method]bool{}
	}
	l.listed[m] = true
}

func (l *life) announces(capability string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.declared[capability]
}

// ready says that listings may be asked for.
func (l *life) ready() bool { return l.answered.Load() && l.initialized.Load() }
