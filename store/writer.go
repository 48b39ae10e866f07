package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// batchSize and batchDelay: one commit costs about half a millisecond whether it carries one record or hundreds, and a
	// thousand cost 7 ms; 50 ms is what a kill may take of the records nobody waits for.
	batchSize  = 1000
	batchDelay = 50 * time.Millisecond
	// queueLimit bounds what waits for a slow disk; past it the oldest calls go, and are counted.
	queueLimit = 8192
	// queueHardLimit bounds the queue even where nothing but decisions and problems waits.
	queueHardLimit = 4 * queueLimit
	// retryDelay is how long a disk that failed is left alone.
	retryDelay = time.Second
)

// entry is one queued record. The entries of one AppendNow share a receipt.
type entry struct {
	record  Record
	receipt *receipt
	last    bool // of its receipt
	flush   bool // no record: answers when all before it is written
}

type receipt struct {
	done   chan error // buffered, gets one answer
	failed bool
	stored []Record
}

// writer is the one goroutine that writes queued records.
type writer struct {
	store *Store

	mu      sync.Mutex
	queue   []entry
	urgent  int // entries with a receipt in queue
	dropped int // calls dropped since the last guard_problem
	closing bool
	failure error // of the last batch, nil if it was written

	wake chan struct{} // buffered 1: there is something to do
	full chan struct{} // buffered 1: no reason to wait for more
	done chan struct{}
}

func newWriter(s *Store) *writer {
	w := &writer{
		store: s,
		wake:  make(chan struct{}, 1),
		full:  make(chan struct{}, 1),
		done:  make(chan struct{}),
	}
	go w.run()
	return w
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Append queues one record and returns at once; it never waits for a disk. It is on the disk within about 50 ms. Where the
// disk does not keep up the oldest tool_call records go, and a guard_problem record says how many.
func (s *Store) Append(r Record) {
	if r.Time.IsZero() {
		r.Time = s.now()
	}
	s.writer.add(entry{record: r})
}

// AppendNow stores records and returns when they are on the disk, after all that was queued before. Ids that are stored
// already are left out; stored has the others, with Prev and Hash. Records that are to survive a retry need their own id.
func (s *Store) AppendNow(records ...Record) (stored []Record, err error) {
	if len(records) == 0 {
		return nil, nil
	}
	r := &receipt{done: make(chan error, 1)}
	entries := make([]entry, len(records))
	for i, record := range records {
		if record.Time.IsZero() {
			record.Time = s.now()
		}
		entries[i] = entry{record: record, receipt: r, last: i == len(records)-1}
	}
	if err := s.writer.add(entries...); err != nil {
		return nil, err
	}
	if err := <-r.done; err != nil {
		return nil, err
	}
	return r.stored, nil
}

// Flush returns when everything queued before it is on the disk, or with the reason why it is not.
func (s *Store) Flush() error {
	r := &receipt{done: make(chan error, 1)}
	if err := s.writer.add(entry{receipt: r, last: true, flush: true}); err != nil {
		return err
	}
	return <-r.done
}

func (w *writer) add(entries ...entry) error {
	w.mu.Lock()
	if w.closing {
		w.mu.Unlock()
		return ErrClosed
	}
	w.queue = append(w.queue, entries...)
	if entries[0].receipt != nil {
		w.urgent += len(entries)
	}
	if len(w.queue) > queueLimit {
		w.relieve()
	}
	urgent, length, failing := w.urgent > 0, len(w.queue), w.failure != nil
	w.mu.Unlock()
	if urgent || length >= batchSize && !failing {
		signal(w.full)
	}
	if length == len(entries) || urgent {
		signal(w.wake)
	}
	return nil
}

// relieve drops the older half of the calls that nobody waits for. In one sweep over the queue, so that the cost of a full
// queue is spread over thousands of records. Other kinds go only past the hard limit.
func (w *writer) relieve() {
	droppable, free := 0, 0
	for i := range w.queue {
		if w.queue[i].receipt == nil {
			free++
			if w.queue[i].record.Kind == kindCall {
				droppable++
			}
		}
	}
	any := droppable == 0 && free > queueHardLimit
	if droppable == 0 && !any {
		return
	}
	drop := (droppable + 1) / 2
	if any {
		drop = free / 2
	}
	kept := w.queue[:0]
	for _, e := range w.queue {
		if drop > 0 && e.receipt == nil && (any || e.record.Kind == kindCall) {
			drop--
			w.dropped++
			continue
		}
		kept = append(kept, e)
	}
	clear(w.queue[len(kept):])
	w.queue = kept
}

func (w *writer) run() {
	defer close(w.done)
	for {
		<-w.wake
		for {
			w.mu.Lock()
			length, hurry := len(w.queue), w.urgent > 0 || len(w.queue) >= batchSize || w.closing
			failed := w.failure != nil && w.urgent == 0 && !w.closing
			closing := w.closing
			w.mu.Unlock()
			if length == 0 {
				if closing {
					return
				}
				break
			}
			if !hurry || failed {
				delay := batchDelay
				if failed {
					delay = retryDelay
				}
				timer := time.NewTimer(delay)
				select {
				case <-timer.C:
				case <-w.full:
				}
				timer.Stop()
			}
			if !w.write() && closing {
				return
			}
		}
	}
}

// write takes one batch off the queue and commits it. Records that nobody waits for go back to the front when the disk
// refuses them; those with a receipt are answered with the reason.
func (w *writer) write() bool {
	w.mu.Lock()
	n := min(len(w.queue), batchSize)
	batch := append([]entry(nil), w.queue[:n]...)
	clear(w.queue[:n])
	w.queue = w.queue[n:]
	if len(w.queue) == 0 {
		w.queue = nil
	}
	for _, e := range batch {
		if e.receipt != nil {
			w.urgent--
		}
	}
	dropped := w.dropped
	w.dropped = 0
	w.mu.Unlock()

	records := make([]Record, 0, len(batch)+1)
	if dropped > 0 {
		records = append(records, droppedRecord(dropped, w.store.now()))
	}
	for i := range batch {
		if e := &batch[i]; !e.flush && (e.receipt == nil || !e.receipt.failed) {
			e.record.settle(w.store.now()) // so that a retry has the same id
			records = append(records, e.record)
		}
	}
	var stored []Record
	err := w.store.Update(func(tx *Tx) error {
		var err error
		stored, err = tx.Append(records...)
		return err
	})

	w.mu.Lock()
	defer w.mu.Unlock()
	w.failure = err
	if err != nil {
		w.dropped += dropped
		w.giveBack(batch, err)
		return false
	}
	byID := make(map[string]*Record, len(stored))
	for i := range stored {
		byID[stored[i].ID] = &stored[i]
	}
	for _, e := range batch {
		if e.receipt == nil || e.receipt.failed {
			continue
		}
		if !e.flush {
			// An id given twice in one batch was stored once, and is reported once.
			if r := byID[e.record.ID]; r != nil {
				e.receipt.stored = append(e.receipt.stored, *r)
				delete(byID, e.record.ID)
			}
		}
		if e.last {
			e.receipt.done <- nil
		}
	}
	return true
}

// giveBack answers the receipts of a batch that failed, also for what they still have in the queue, and puts the rest back.
func (w *writer) giveBack(batch []entry, err error) {
	var back []entry
	for _, e := range batch {
		switch {
		case e.receipt == nil:
			back = append(back, e)
		case !e.receipt.failed:
			e.receipt.failed = true
			e.receipt.done <- fmt.Errorf("store activity: %w", err)
		}
	}
	for _, e := range w.queue {
		if e.receipt != nil && e.receipt.failed {
			w.urgent--
			continue
		}
		back = append(back, e)
	}
	w.queue = back
}

func droppedRecord(n int, now time.Time) Record {
	detail, _ := json.Marshal(map[string]any{"check": "activity_queue", "dropped": n})
	return Record{
		ID: NewRecordID(now), Time: now, Kind: kindProblem, Status: "error",
		Summary: fmt.Sprintf("%d records of calls were dropped: the disk did not keep up", n), Detail: detail,
	}
}

// close writes what is queued, once, and ends the goroutine.
func (w *writer) close() error {
	w.mu.Lock()
	w.closing = true
	w.mu.Unlock()
	signal(w.full)
	signal(w.wake)
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	lost := len(w.queue) + w.dropped
	for _, e := range w.queue {
		if e.receipt != nil && !e.receipt.failed {
			e.receipt.failed = true
			e.receipt.done <- ErrClosed
		}
	}
	w.queue = nil
	if lost > 0 {
		return errors.Join(fmt.Errorf("%d activity records could not be written", lost), w.failure)
	}
	return nil
}

// draining says that close still writes.
func (w *writer) draining() bool {
	select {
	case <-w.done:
		return false
	default:
		return true
	}
}
