package proxy

import (
	"io"
	"sync"
)

// queueLimit is how many bytes may wait behind a pipe that is not read before Write waits too. Enqueue goes to four times
// that: what it carries are our own short answers, and a client that asks millions of times without reading is stopped there.
const queueLimit = 1 << 20

// lineWriter writes whole lines to one pipe from several goroutines without anybody holding a lock during the write.
//
// Write is for the one direction that owns the pipe: it may wait for the pipe, which is how back-pressure travels.
// Enqueue is for everybody else and never waits for the pipe: a session that answers for itself must not stop reading from
// the side it answers to, or two full pipes would wait for each other (relay.md T10).
type lineWriter struct {
	out io.Writer

	mu     sync.Mutex
	free   sync.Cond
	queue  [][]byte
	queued int
	busy   bool
	err    error
}

func newLineWriter(out io.Writer) *lineWriter {
	w := &lineWriter{out: out}
	w.free.L = &w.mu
	return w
}

// Write writes line, which ends with a newline. It does not keep line. Lines are written in the order of the calls.
func (w *lineWriter) Write(line []byte) error {
	w.mu.Lock()
	if w.err != nil {
		defer w.mu.Unlock()
		return w.err
	}
	if !w.busy && len(w.queue) == 0 {
		w.busy = true
		w.mu.Unlock()
		_, err := w.out.Write(line)
		w.mu.Lock()
		if err != nil && w.err == nil {
			w.err = err
		}
		err = w.err
		if len(w.queue) > 0 && err == nil {
			go w.drain()
		} else {
			w.idle()
		}
		w.mu.Unlock()
		return err
	}
	w.push(line)
	for w.queued > queueLimit && w.err == nil {
		w.free.Wait()
	}
	err := w.err
	w.mu.Unlock()
	return err
}

// Enqueue puts line behind what is being written and returns. line must not change afterwards.
func (w *lineWriter) Enqueue(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.queued > 4*queueLimit && w.err == nil && w.queued > 4*len(line) {
		w.free.Wait()
	}
	if w.err != nil {
		return
	}
	w.queue = append(w.queue, line)
	w.queued += len(line)
	if !w.busy {
		w.busy = true
		go w.drain()
	}
}

func (w *lineWriter) push(line []byte) {
	kept := append([]byte(nil), line...)
	w.queue = append(w.queue, kept)
	w.queued += len(kept)
	if !w.busy {
		w.busy = true
		go w.drain()
	}
}

// drain writes the queue until it is empty. Its caller has set busy.
func (w *lineWriter) drain() {
	w.mu.Lock()
	for len(w.queue) > 0 && w.err == nil {
		line := w.queue[0]
		w.queue[0] = nil
		w.queue = w.queue[1:]
		w.mu.Unlock()
		_, err := w.out.Write(line)
		w.mu.Lock()
		w.queued -= len(line)
		if err != nil && w.err == nil {
			w.err = err
		}
		w.free.Broadcast()
	}
	w.idle()
	w.mu.Unlock()
}

// idle ends a spell of writing; mu is held.
func (w *lineWriter) idle() {
	w.busy = false
	if len(w.queue) == 0 || w.err != nil {
		w.queue, w.queued = nil, 0
	}
	w.free.Broadcast()
}

// Flush waits until everything that was queued before has been written or the pipe is broken.
func (w *lineWriter) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for (w.busy || len(w.queue) > 0) && w.err == nil {
		w.free.Wait()
	}
	return w.err
}
