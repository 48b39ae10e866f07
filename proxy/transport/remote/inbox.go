package remote

import (
	"io"
	"sync"

	"github.com/sallyport/sallyport/proxy/frame"
)

// inboxLimit is how many bytes of messages can wait for the session; then the streams wait too.
const inboxLimit = 32 << 20

// inbox is what came from the server and was not read yet. It is a frame.Source.
type inbox struct {
	mu     sync.Mutex
	change sync.Cond
	items  []item
	bytes  int
	max    int
	ended  bool // nothing comes any more
	news   bool // a new session has begun, and its reader does not know yet
	told   bool // the last item said so
}

// item is one message, or why one does not come.
type item struct {
	line []byte
	err  error
}

func newInbox() *inbox {
	b := &inbox{max: frame.DefaultMax}
	b.change.L = &b.mu
	return b
}

// put adds a message. It waits while too much is unread.
func (b *inbox) put(i item) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.bytes > inboxLimit && !b.ended {
		b.change.Wait()
	}
	if b.ended {
		return
	}
	b.items = append(b.items, i)
	b.bytes += len(i.line)
	b.change.Broadcast()
}

// end makes Next return what is left, then io.EOF.
func (b *inbox) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.change.Broadcast()
}

// Next implements frame.Source. An error that is not final is a *frame.Undelivered.
func (b *inbox) Next() ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.told { // who comes again has dealt with it
		b.news, b.told = false, false
	}
	for len(b.items) == 0 {
		if b.ended {
			return nil, io.EOF
		}
		b.change.Wait()
	}
	next := b.items[0]
	b.items[0] = item{}
	b.items = b.items[1:]
	b.bytes -= len(next.line)
	lost, ok := next.err.(*frame.Undelivered)
	b.told = b.news && ok && lost.Line != nil
	b.change.Broadcast()
	return next.line, next.err
}

// renew notes that a new session has begun.
func (b *inbox) renew() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.news = true
}

// heard reports whether the reader knows of the current session: it was given a request that went back because of it, and came again.
func (b *inbox) heard() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.news
}

func (b *inbox) More() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items) > 0
}

func (b *inbox) SetMax(maxBytes int) {
	if maxBytes == 0 {
		maxBytes = frame.DefaultMax
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.max = maxBytes
}

// most is the limit of one message.
func (b *inbox) most() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.max
}
