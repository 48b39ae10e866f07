package proxy

import (
	"io"
	"sync"
	"time"
)

const (
	// gatherLimit is how much a corked writer gathers before it writes anyway: about one read of a pipe.
	gatherLimit = 64 << 10
	// gatherLines is the same in lines: the reader starts on them while others are still being inspected.
	gatherLines = 24
	// queueLimit is how many bytes can wait behind an unread pipe before Enqueue blocks too. They are our own short responses, so only a
	// client that sends millions of requests without reading gets there.
	queueLimit = 4 << 20
)

// lineWriter writes whole lines to one pipe from several goroutines; no lock is held during a write.
//
// Write is for callers that can wait for the pipe, so that back-pressure works. Enqueue never waits: a session that answers by itself must
// not stop reading from the side it answers, or two full pipes would wait for each other (T10 in docs/relay.md).
//
// The goroutine that reads many lines at once corks the writer while more are in memory: their responses then leave in one write, which is
// worth a factor of three with 64 calls in flight.
type lineWriter struct {
	out io.Writer

	mu      sync.Mutex
	free    sync.Cond
	pending []byte // whole lines not yet written
	lines   int    // lines gathered in it
	spare   []byte // the buffer that pending was swapped with
	corked  bool
	busy    bool // a write is in progress
	err     error
}

func newLineWriter(out io.Writer) *lineWriter {
	w := &lineWriter{out: out}
	w.free.L = &w.mu
	return w
}

// Cork gathers the following writes until Uncork.
func (w *lineWriter) Cork() {
	w.mu.Lock()
	w.corked = true
	w.mu.Unlock()
}

// Uncork writes what was gathered. The error is the pipe's, and permanent.
func (w *lineWriter) Uncork() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.corked = false
	return w.flushLocked()
}

// Write writes line, which ends with a newline. It does not keep line.
func (w *lineWriter) Write(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.busy && len(w.pending) > gatherLimit && w.err == nil {
		w.free.Wait()
	}
	if w.err != nil {
		return w.err
	}
	if len(line) > gatherLimit/2 || !w.corked {
		if err := w.flushLocked(); err != nil {
			return err
		}
		if !w.busy && len(w.pending) == 0 {
			w.writeLocked(line)
			return w.flushLocked() // what others queued meanwhile
		}
	}
	w.pending = append(w.pending, line...)
	if w.lines++; w.corked && len(w.pending) < gatherLimit && w.lines < gatherLines {
		return nil
	}
	return w.flushLocked()
}

// Enqueue queues line behind the current write and returns.
func (w *lineWriter) Enqueue(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.busy && len(w.pending) > queueLimit && w.err == nil {
		w.free.Wait()
	}
	if w.err != nil {
		return
	}
	w.pending = append(w.pending, line...)
	if w.busy || w.corked {
		return
	}
	w.busy = true
	go func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.busy = false
		w.flushLocked()
	}()
}

// flushLocked writes what is pending, unless a write is in progress, which will take it along.
func (w *lineWriter) flushLocked() error {
	for !w.busy && len(w.pending) > 0 && w.err == nil {
		lines := w.pending
		w.lines = 0
		w.pending, w.spare = w.spare[:0], nil
		w.writeLocked(lines)
		if cap(lines) <= 2*gatherLimit {
			w.spare = lines[:0]
		}
	}
	return w.err
}

// writeLocked writes with mu released.
func (w *lineWriter) writeLocked(lines []byte) error {
	w.busy = true
	w.mu.Unlock()
	_, err := w.out.Write(lines)
	w.mu.Lock()
	w.busy = false
	if err != nil && w.err == nil {
		w.err = err
	}
	if w.err != nil {
		w.pending, w.spare = nil, nil
	}
	w.free.Broadcast()
	return w.err
}

// Flush waits until everything written before is in the pipe, or the pipe is broken.
func (w *lineWriter) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil && (w.busy || len(w.pending) > 0) {
		if w.busy {
			w.free.Wait()
			continue
		}
		w.flushLocked()
	}
	return w.err
}

// flushWithin is Flush with a time limit, for a pipe that nobody reads.
func (w *lineWriter) flushWithin(limit time.Duration) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		w.Flush()
	}()
	select {
	case <-written:
	case <-time.After(limit):
	}
}
