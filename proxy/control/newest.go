package control

import (
	"context"
	"sync"
)

// newest keeps the newest message of one kind for the hub: every hub that connects gets it, unless it is empty.
type newest[Takes any] struct {
	ask   asking[Takes, nothing]
	empty func(Takes) bool

	mu      sync.Mutex
	message Takes
	set     uint64 // number of messages so far
	told    uint64 // set when client's hub got message
	client  *Client
	sending chan struct{} // closed when the goroutine that sends has ended; nil: there is none
}

// keep replaces the message by what becomes of it. It never waits.
func (n *newest[Takes]) keep(next func(Takes) Takes) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.message = next(n.message)
	n.set++
	n.start()
}

func (n *newest[Takes]) connected(c *Client) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.client, n.told = c, 0
	if n.empty(n.message) {
		n.told = n.set
	}
	n.start()
}

// start starts a goroutine that sends what the hub doesn't have. The caller holds mu.
func (n *newest[Takes]) start() {
	if n.sending != nil || n.told == n.set || n.client == nil {
		return
	}
	n.sending = make(chan struct{})
	go n.send()
}

// waits reports whether there is a message and no hub.
func (n *newest[Takes]) waits() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.told != n.set && n.client == nil
}

// flush waits until the hub has the message, if it is there, at most as long as ctx lasts.
func (n *newest[Takes]) flush(ctx context.Context) {
	n.mu.Lock()
	sending := n.sending
	n.mu.Unlock()
	if sending == nil {
		return
	}
	select {
	case <-sending:
	case <-ctx.Done():
	}
}

func (n *newest[Takes]) send() {
	n.mu.Lock()
	defer n.mu.Unlock()
	defer func() {
		close(n.sending)
		n.sending = nil
	}()
	for n.told != n.set && n.client != nil {
		c, message, set := n.client, n.message, n.set
		n.mu.Unlock()
		_, err := n.ask(context.Background(), c, message) // it ends with the connection
		n.mu.Lock()
		switch {
		case n.client != c: // another hub
		case err != nil:
			n.client = nil
		default:
			n.told = set
		}
	}
}
