package control

import (
	"context"
	"sync"
)

const (
	// maxStderr is how much of a server's stderr waits for the hub: the last part, because it explains the server's end.
	maxStderr = 256 << 10
	// maxStderrChunk is the size of one message.
	maxStderrChunk = 64 << 10
)

// stderrBox passes the server's stderr on to the hub without ever blocking the server.
type stderrBox struct {
	mu      sync.Mutex
	waiting []byte
	client  *Client
	sending bool
	idle    chan struct{} // closed when a sender ends; nil while none runs
}

func newStderrBox() *stderrBox { return &stderrBox{} }

func (b *stderrBox) add(chunk []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(chunk) > maxStderr {
		chunk = chunk[len(chunk)-maxStderr:]
	}
	if over := len(b.waiting) + len(chunk) - maxStderr; over > 0 {
		b.waiting = append(b.waiting[:0], b.waiting[over:]...)
	}
	b.waiting = append(b.waiting, chunk...)
	b.start()
}

func (b *stderrBox) connected(c *Client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.client = c
	b.start()
}

// start starts a goroutine that sends what is waiting. The caller holds mu.
func (b *stderrBox) start() {
	if b.sending || b.client == nil || len(b.waiting) == 0 {
		return
	}
	b.sending, b.idle = true, make(chan struct{})
	go b.send()
}

func (b *stderrBox) send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	var client *Client
	for b.client != nil && len(b.waiting) > 0 {
		n := min(len(b.waiting), maxStderrChunk)
		chunk := append([]byte(nil), b.waiting[:n]...)
		if b.waiting = b.waiting[n:]; len(b.waiting) == 0 {
			b.waiting = nil
		}
		client = b.client
		b.mu.Unlock()
		err := client.Stderr(context.Background(), chunk) // it ends with the connection
		b.mu.Lock()
		if err != nil {
			if len(chunk)+len(b.waiting) <= maxStderr {
				b.waiting = append(chunk, b.waiting...)
			}
			break
		}
	}
	b.sending = false
	close(b.idle)
	if b.client != client { // a new connection came while this one failed
		b.start()
	}
}

// waits reports whether something has not been sent yet.
func (b *stderrBox) waits() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting) > 0
}

// flush waits until the hub has everything, is away, or ctx ends.
func (b *stderrBox) flush(ctx context.Context) {
	b.mu.Lock()
	sending, idle := b.sending, b.idle
	b.mu.Unlock()
	if sending {
		select {
		case <-idle:
		case <-ctx.Done():
		}
	}
	b.mu.Lock()
	client := b.client
	b.mu.Unlock()
	if client != nil {
		_, _ = askFlush(ctx, client, nothing{})
	}
}
