package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

const (
	// One commit takes about half a millisecond for one record or hundreds, and 7 ms for a thousand. batchDelay is what a kill can cost of
	// the records without a receipt.
	batchSize  = 1000
	batchDelay = 50 * time.Millisecond
	// retryDelay is the pause after a disk failed.
	retryDelay = time.Second
)

// writer is the goroutine that writes queued records.
type writer struct {
	store *Store

	mu      sync.Mutex
	queue   queue
	urgent  int // entries with a receipt in queue
	dropped int // calls dropped since the last guard_problem
	closing bool
	failure error // of the last batch, nil if it was written

	wake chan struct{} // buffered 1: there is work
	full chan struct{} // buffered 1: no reason to wait for more

	batch []entry // reused by the writer's goroutine
	done  chan struct{}
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

// Append queues one record and returns at once, without waiting for a disk. It is on disk within about 50 ms. If the disk can't keep up,
// the oldest tool_call records are dropped, and a guard_problem record says how many.
func (s *Store) Append(r Record) {
	if r.Time.IsZero() {
		r.Time = s.now()
	}
	s.writer.addOne(r)
}

// AppendNow stores records and returns when they are on disk, after everything queued before. It skips ids that are stored already; stored
// has the others, with Prev and Hash. Records that may be retried need their own id.
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

// Flush returns when everything queued before is on disk, or with the reason why not.
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
	for i := range entries {
		w.queue.push(&entries[i])
	}
	w.urgent += len(entries)
	w.mu.Unlock()
	signal(w.full)
	signal(w.wake)
	return nil
}

// addOne queues a record without a receipt. It allocates nothing.
func (w *writer) addOne(r Record) {
	w.mu.Lock()
	if w.closing {
		w.mu.Unlock()
		return
	}
	w.queue.push(&entry{record: r})
	w.dropped += w.queue.relieve()
	length, failing := w.queue.len(), w.failure != nil
	w.mu.Unlock()
	if length == batchSize && !failing {
		signal(w.full)
	}
	if length == 1 {
		signal(w.wake)
	}
}

func (w *writer) run() {
	defer close(w.done)
	for {
		<-w.wake
		for {
			w.mu.Lock()
			length, hurry := w.queue.len(), w.urgent > 0 || w.queue.len() >= batchSize || w.closing
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

// write takes one batch off the queue and commits it. If the disk fails, records without a receipt go back to the front; those with one get
// the reason.
func (w *writer) write() bool {
	w.mu.Lock()
	batch := w.queue.take(w.batch[:0], batchSize)
	w.batch = batch
	for i := range batch {
		if batch[i].receipt != nil {
			w.urgent--
		}
	}
	dropped := w.dropped
	w.dropped = 0
	w.mu.Unlock()
	defer clear(batch) // don't keep written records until the next batch

	records := make([]Record, 0, len(batch)+1)
	if dropped > 0 {
		records = append(records, droppedRecord(dropped, w.store.now()))
	}
	for i := range batch {
		if e := &batch[i]; !e.flush && (e.receipt == nil || !e.receipt.failed) {
			settle(&e.record, w.store.now()) // so that a retry has the same id
			records = append(records, e.record)
		}
	}
	var stored []Record
	err := w.store.Update(func(tx *Tx) error {
		var err error
		stored, err = tx.chain().append(records)
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

// giveBack fails the receipts of a failed batch, including their entries still in the queue, and puts the rest back.
func (w *writer) giveBack(batch []entry, err error) {
	var back queue
	for i := range batch {
		switch e := &batch[i]; {
		case e.receipt == nil:
			back.push(e)
		case !e.receipt.failed:
			e.receipt.failed = true
			e.receipt.done <- fmt.Errorf("store activity: %w", err)
		}
	}
	rest := w.queue.waiting()
	for i := range rest {
		if e := &rest[i]; e.receipt != nil && e.receipt.failed {
			w.urgent--
		} else {
			back.push(e)
		}
	}
	w.queue = back
}

func droppedRecord(n int, now time.Time) Record {
	detail, _ := json.Marshal(map[string]any{"check": "activity_queue", "dropped": n})
	return Record{
		ID: vocab.NewRecordID(now), Time: now, Kind: vocab.RecordProblem, Status: vocab.StatusError,
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
	lost := w.queue.len() + w.dropped
	for _, e := range w.queue.waiting() {
		if e.receipt != nil && !e.receipt.failed {
			e.receipt.failed = true
			e.receipt.done <- ErrClosed
		}
	}
	w.queue = queue{}
	if lost > 0 {
		return errors.Join(fmt.Errorf("%d activity records could not be written", lost), w.failure)
	}
	return nil
}

// draining reports whether close is still writing.
func (w *writer) draining() bool {
	select {
	case <-w.done:
		return false
	default:
		return true
	}
}
