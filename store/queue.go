package store

import "github.com/sallyport/sallyport/proxy/vocab"

const (
	// queueLimit limits the calls waiting for a slow disk; beyond it the oldest are dropped and counted.
	queueLimit = 8192
	// queueHardLimit limits the queue even if it holds only decisions and problems.
	queueHardLimit = 4 * queueLimit
)

// entry is one queued record. The entries of one AppendNow share a receipt.
type entry struct {
	record  Record
	receipt *receipt
	last    bool // the last of its receipt
	flush   bool // not a record: signals that everything before it is written
}

type receipt struct {
	done   chan error // buffered, receives one result
	failed bool
	stored []Record
}

// queue holds entries in order. Taken entries leave room at the front that is reused, so that a queue in steady use allocates nothing.
type queue struct {
	entries []entry
	head    int
	calls   int // calls without a receipt
	free    int // entries without a receipt
}

func (q *queue) len() int         { return len(q.entries) - q.head }
func (q *queue) waiting() []entry { return q.entries[q.head:] }

func (q *queue) push(e *entry) {
	if q.head > 0 && len(q.entries) == cap(q.entries) {
		n := copy(q.entries, q.entries[q.head:])
		clear(q.entries[n:])
		q.entries, q.head = q.entries[:n], 0
	}
	q.entries = append(q.entries, *e)
	q.count(e, 1)
}

func (q *queue) count(e *entry, by int) {
	if e.receipt != nil {
		return
	}
	q.free += by
	if vocab.IsTraffic(e.record.Kind) {
		q.calls += by
	}
}

// take moves at most n entries from the front to the end of into.
func (q *queue) take(into []entry, n int) []entry {
	n = min(n, q.len())
	taken := q.entries[q.head : q.head+n]
	for i := range taken {
		q.count(&taken[i], -1)
	}
	into = append(into, taken...)
	clear(taken)
	if q.head += n; q.head == len(q.entries) {
		q.entries, q.head = q.entries[:0], 0
		if cap(q.entries) > 2*queueLimit { // a burst is over: free its memory
			q.entries = nil
		}
	}
	return into
}

// relieve drops the older half of the calls without a receipt if there are too many, and of everything without a receipt at the hard limit.
// It returns how many it dropped. One sweep makes room for thousands of records.
func (q *queue) relieve() int {
	drop, everything := 0, false
	switch {
	case q.calls > queueLimit, q.free > queueHardLimit && q.calls > queueLimit/8:
		drop = q.calls / 2
	case q.free > queueHardLimit:
		drop, everything = q.free/2, true
	}
	if drop == 0 {
		return 0
	}
	dropped := 0
	kept := q.entries[:0]
	for i := range q.waiting() {
		e := q.entries[q.head+i]
		if dropped < drop && e.receipt == nil && (everything || vocab.IsTraffic(e.record.Kind)) {
			q.count(&e, -1)
			dropped++
			continue
		}
		kept = append(kept, e)
	}
	clear(q.entries[len(kept):])
	q.entries, q.head = kept, 0
	return dropped
}
