package control

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// linger is how long a record waits for others, so that they share one call and one transaction of the hub. It is also what a
	// killed wrapper can lose, unless records come faster than pace.
	linger = 25 * time.Millisecond
	// slowAck is when a batch that the hub has not acknowledged is spooled.
	slowAck = time.Second
	// retryAfter is the pause after a hub refused a batch.
	retryAfter = 500 * time.Millisecond
	// pace is the time allotted to each record before the next batch goes. That is 1,250 records a second, which cost a hub a
	// fortieth of a core (20 µs a record, measured) and leave the cores to the calls.
	pace = 800 * time.Microsecond
	// crowd is the number of waiting records from which further plain calls of one tool join the last one: a burst of that
	// size is kept call by call, and a million calls a minute become a readable number of records.
	crowd = 16_000
	// maxQueued bounds the bytes in memory that are in no file yet; it is reached when the disk doesn't respond.
	maxQueued = 16 << 20
)

// outbox keeps activity records until the hub has acknowledged them: in memory while it answers, in the spool while it doesn't.
// A session's goroutines call only add.
type outbox struct {
	dir      string
	register Register
	key      func() *SpoolKey // the current one
	max      int64
	slow     time.Duration
	log      *slog.Logger

	mu     sync.Mutex
	queue  []queued
	taken  int            // how many have left the front of queue; see newest
	newest map[string]int // by same: the index of its last plain record in queue, counted from the first record ever
	bytes  int
	limit  int // the size from which records are dropped: maxQueued, or more if what must stay is larger
	lost   int
	since  time.Time // when the oldest in queue arrived
	client *Client   // nil while the hub is away
	ending bool

	wake chan struct{}
	done chan struct{}

	// Used only by run's goroutine:
	spool    *spool // nil if nothing is spooled
	spoilt   bool   // the disk failed; logged once
	flight   *flight
	single   bool      // the hub can't read a batch: send records one by one to find the bad one
	earliest time.Time // send nothing before and spool instead, because the hub refused
	next     time.Time // send nothing before, to spare the hub
}

// flight is the batch that was sent and not acknowledged.
type flight struct {
	records []Record
	written bool // is in the spool too
	sent    time.Time
	landed  chan error
}

func newOutbox(dir string, register Register, key func() *SpoolKey, max int64, log *slog.Logger) *outbox {
	return &outbox{
		dir: dir, register: register, key: key, max: max, slow: slowAck, log: log, limit: maxQueued,
		wake: make(chan struct{}, 1),
		done: make(chan struct{}),
	}
}

func weight(r *Record) int {
	return 512 + len(r.Summary) + len(r.Detail) + len(r.Tool) + len(r.Request) + len(r.Client)
}

// add takes a record in nanoseconds.
func (o *outbox) add(r Record) {
	w := weight(&r)
	if w > maxRecord {
		r = trimmed(r)
		w = weight(&r)
	}
	o.mu.Lock()
	if len(o.queue) >= crowd && o.join(&r) {
		o.mu.Unlock()
		return
	}
	first := len(o.queue) == 0
	if first {
		o.since = time.Now()
		if o.queue == nil {
			o.queue = make([]queued, 0, 64)
		}
	}
	o.queue = append(o.queue, queued{Record: r})
	if o.bytes += w; o.bytes > o.limit {
		o.shed()
	}
	o.mu.Unlock()
	if first {
		o.nudge()
	}
}

// shed drops the older half of the calls, then of the rest, when memory is full. The caller holds mu.
func (o *outbox) shed() {
	defer func() { o.limit = max(maxQueued, o.bytes+maxQueued/4) }()
	for _, worth := range []worth{worthCall, worthOther} {
		if o.bytes <= maxQueued/2 {
			return
		}
		rest := o.queue[:0:0]
		for i := range o.queue {
			r := &o.queue[i]
			if w := weight(&r.Record); o.bytes > maxQueued/2 && worthOf(r.Kind) == worth {
				o.bytes, o.lost = o.bytes-w, o.lost+1+r.joined
				continue
			}
			rest = append(rest, *r)
		}
		clear(o.newest)
		o.queue = rest
	}
}

func (o *outbox) nudge() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// connected sets the client to send records through; nil means that the hub is away.
func (o *outbox) connected(c *Client) {
	o.mu.Lock()
	o.client = c
	o.mu.Unlock()
	o.nudge()
}

// end delivers everything, or spools it if that takes longer than ctx. left is the number of records that were lost.
func (o *outbox) end(ctx context.Context) (left int) {
	o.mu.Lock()
	o.ending = true
	o.mu.Unlock()
	o.nudge()
	select {
	case <-o.done:
	case <-ctx.Done():
		o.mu.Lock()
		client := o.client
		o.mu.Unlock()
		if client != nil {
			client.Close()
		}
		o.connected(nil)
		<-o.done
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue) + o.lost
}

// run is the only goroutine that sends and writes.
func (o *outbox) run() {
	defer close(o.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wait, over := o.step(time.Now())
		if over {
			return
		}
		timer.Reset(wait)
		var landed chan error
		if o.flight != nil {
			landed = o.flight.landed
		}
		select {
		case <-o.wake:
		case <-timer.C:
		case err := <-landed:
			o.land(err)
		}
	}
}

// step does what can be done now and returns how long nothing else will be due.
func (o *outbox) step(now time.Time) (wait time.Duration, over bool) {
	o.mu.Lock()
	client, ending, queued, due := o.client, o.ending, len(o.queue) > 0, o.since.Add(linger)
	lost := o.lost > 0
	o.mu.Unlock()
	if lost && (o.flight == nil || o.flight.written) {
		o.write(nil) // the count of dropped records goes through the spool
	}
	if ending {
		due = now
	}
	wait = time.Hour
	until := func(t time.Time) { wait = min(wait, max(t.Sub(now), time.Millisecond)) }

	slow := o.flight != nil && now.Sub(o.flight.sent) >= o.slow
	if slow && !o.flight.written {
		o.writeFlight()
	}
	// Nothing is written behind a flight that is in no file, or the file would be out of order.
	inOrder := o.flight == nil || o.flight.written
	if queued && inOrder && (o.spool != nil || client == nil || slow || now.Before(o.earliest)) {
		switch {
		case due.After(now):
			until(due)
		case o.writeQueue():
			queued = false
		case ending && client == nil:
			return 0, true // the disk fails, the hub is away, and no time is left
		default:
			until(now.Add(retryAfter))
		}
	}
	if client != nil && o.flight == nil {
		switch {
		case o.earliest.After(now):
			until(o.earliest)
		case !ending && o.next.After(now):
			until(o.next)
		case o.spool != nil:
			o.sendSpooled(client, now)
		case queued && due.After(now):
			until(due)
		case queued:
			o.send(client, o.take(), now)
		}
	}
	if o.flight != nil && !o.flight.written { // including one that this step sent
		until(o.flight.sent.Add(o.slow))
	}
	if ending && o.flight == nil {
		o.mu.Lock()
		left := len(o.queue) > 0
		o.mu.Unlock()
		if !left && (o.spool == nil || client == nil) {
			if o.spool != nil {
				o.spool.f.Close() // this releases its lock, and the hub finds it
			}
			return 0, true
		}
	}
	return wait, false
}

// take takes the next batch out of memory.
func (o *outbox) take() []Record {
	o.mu.Lock()
	defer o.mu.Unlock()
	most, bytes, n := maxBatchRecords, 0, 0
	if o.single {
		most = 1
	}
	for n < len(o.queue) && n < most && (n == 0 || bytes+weight(&o.queue[n].Record) <= maxBatchBytes) {
		bytes += weight(&o.queue[n].Record)
		n++
	}
	batch := leaving(o.queue[:n])
	o.queue, o.taken = o.queue[n:], o.taken+n
	if o.bytes -= bytes; len(o.queue) == 0 {
		o.queue, o.bytes = nil, 0
	}
	return batch
}

func (o *outbox) send(client *Client, records []Record, now time.Time) {
	o.flight = &flight{records: records, sent: now, landed: make(chan error, 1)}
	o.fly(client)
}

func (o *outbox) fly(client *Client) {
	flight := o.flight
	go func() {
		batch := append(make([]byte, 0, 512*len(flight.records)), `{"records":[`...)
		for i, r := range flight.records {
			if i > 0 {
				batch = append(batch, ',')
			}
			batch = append(batch, bytes.TrimSuffix(encodeRecord(r), []byte("\n"))...)
		}
		var acked Acked
		err := client.callRaw(context.Background(), "records", append(batch, "]}"...), &acked) // it ends with the connection
		flight.landed <- err
	}()
}

func (o *outbox) sendSpooled(client *Client, now time.Time) {
	most := maxBatchRecords
	if o.single {
		most = 1
	}
	records, err := o.spool.next(most)
	switch {
	case err != nil:
		// Unreadable now, perhaps not later; a hub finds the file when this wrapper is gone.
		o.log.Error("spool", "error", err)
		o.earliest = now.Add(retryAfter)
	case records != nil:
		o.send(client, records, now)
		o.flight.written = true
	case o.spool.empty():
		if err := o.spool.remove(); err != nil {
			o.log.Error("spool", "error", err)
		}
		o.spool = nil
		o.nudge()
	default:
		_ = o.spool.compact() // the count of lost records must still be delivered
		o.earliest = now.Add(linger)
		o.nudge()
	}
}

// land handles the result of the flight.
func (o *outbox) land(err error) {
	flight := o.flight
	o.flight = nil
	var refusal *Error
	switch {
	case err == nil:
		o.single = false
		o.next = flight.sent.Add(pace * time.Duration(len(flight.records)))
	case errors.As(err, &refusal) && refusal.Code == CodeBadRequest && len(flight.records) > 1:
		o.single = true // one of them is bad
	case errors.As(err, &refusal) && refusal.Code == CodeBadRequest:
		o.log.Error("the hub refuses a record", "id", flight.records[0].ID, "kind", flight.records[0].Kind)
		err = nil // it would block the rest forever
	case refusal != nil:
		o.earliest = time.Now().Add(retryAfter)
	}
	if flight.written {
		o.spool.landed(err == nil)
		return
	}
	if err != nil {
		o.putBack(flight.records)
	}
}

// putBack returns a batch to the front of the queue; if the hub is away, the next step spools it.
func (o *outbox) putBack(records []Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	front := make([]queued, len(records), len(records)+len(o.queue))
	for i, r := range records {
		front[i].Record = r
		o.bytes += weight(&r)
	}
	o.queue, o.taken = append(front, o.queue...), o.taken-len(records)
	o.since = time.Time{} // it has waited long enough
}

// writeFlight spools a batch that the hub is slow to acknowledge; the hub still has it. The count of records dropped meanwhile is
// written behind it, by the next write, because the first lines of the file are the batch's.
func (o *outbox) writeFlight() {
	if o.spool == nil && o.append(o.flight.records) {
		o.spool.fly(len(o.flight.records))
		o.flight.written = true
	}
}

// writeQueue moves everything in memory to the spool.
func (o *outbox) writeQueue() bool {
	o.mu.Lock()
	records := leaving(o.queue)
	o.taken += len(o.queue)
	o.queue, o.bytes = nil, 0
	o.mu.Unlock()
	if o.write(records) {
		return true
	}
	o.putBack(records)
	return false
}

// write spools records, and the number of dropped ones.
func (o *outbox) write(records []Record) bool {
	if o.spool == nil && !o.append(nil) {
		return false
	}
	o.mu.Lock()
	o.spool.unwritten, o.lost = o.spool.unwritten+o.lost, 0
	o.mu.Unlock()
	return o.append(records)
}

func (o *outbox) append(records []Record) bool {
	err := error(nil)
	if o.spool == nil {
		o.spool, err = openSpool(o.dir, o.register, o.key(), o.max)
	}
	if err == nil {
		err = o.spool.append(records)
	}
	if err != nil && !o.spoilt {
		o.log.Error("spool", "error", err)
	}
	o.spoilt = err != nil
	return err == nil
}
