package transport

import (
	"io"
	"sync"
)

// maxStderr is how much is buffered: more than a server writes in one go, so that a client that reads misses nothing.
const maxStderr = 16 << 20

// A drain reads a server's stderr as fast as it comes and passes it on as fast as it is read. Many clients never read a wrapper's stderr:
// with a plain copy the server would block in its first write beyond 64 KiB (T09 in docs/relay.md). So the buffer is bounded and drops the
// oldest output.
type drain struct {
	written chan struct{} // closed when everything kept has been written, or writing failed

	mu      sync.Mutex
	waiting sync.Cond
	kept    []byte
	limit   int // maxStderr
	closed  bool
}

// newDrain reads from until its end. tee sees each chunk, only during the call; it must not block.
func newDrain(from io.ReadCloser, to io.Writer, tee func([]byte)) *drain {
	d := &drain{limit: maxStderr, written: make(chan struct{})}
	d.waiting.L = &d.mu
	if to == nil {
		to = io.Discard
	}
	go d.read(from, tee)
	go d.write(to)
	return d
}

func (d *drain) read(from io.ReadCloser, tee func([]byte)) {
	defer from.Close()
	chunk := make([]byte, 16<<10)
	for {
		n, err := from.Read(chunk)
		if n > 0 {
			if tee != nil {
				tee(chunk[:n:n])
			}
			d.keep(chunk[:n])
		}
		if err != nil {
			d.mu.Lock()
			d.closed = true
			d.mu.Unlock()
			d.waiting.Signal()
			return
		}
	}
}

func (d *drain) keep(chunk []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if over := len(d.kept) + len(chunk) - d.limit; over > 0 {
		if over >= len(d.kept) {
			d.kept = d.kept[:0]
			chunk = chunk[max(0, len(chunk)-d.limit):]
		} else {
			// Drop an eighth at a time, or each unread chunk would move the whole buffer.
			over = min(len(d.kept), max(over, d.limit/8))
			d.kept = d.kept[:copy(d.kept, d.kept[over:])]
		}
	}
	d.kept = append(d.kept, chunk...)
	d.waiting.Signal()
}

func (d *drain) write(to io.Writer) {
	defer close(d.written)
	var taken []byte
	for {
		d.mu.Lock()
		for len(d.kept) == 0 && !d.closed {
			d.waiting.Wait()
		}
		if len(d.kept) == 0 {
			d.mu.Unlock()
			return
		}
		// Swap the two buffers, but don't keep a large one: an idle wrapper should be small.
		if cap(taken) > 64<<10 {
			taken = nil
		}
		taken, d.kept = d.kept, taken[:0]
		d.mu.Unlock()
		if _, err := to.Write(taken); err != nil {
			to = io.Discard // nobody will read; the server continues
		}
	}
}
