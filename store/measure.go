package store

import (
	"encoding/json"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Measured is what a summary needs of a record. Decoding it takes two thirds of the time that the whole record takes.
type Measured struct {
	Time       time.Time        `json:"time"`
	Kind       vocab.RecordKind `json:"kind"`
	Status     vocab.Status     `json:"status"`
	Server     string           `json:"server"`
	ServerID   string           `json:"server_id"`
	Tool       string           `json:"tool"`
	DurationUS int64            `json:"duration_us"`
	Bytes      int64            `json:"bytes"`
}

// measureStep is how many records one transaction reads: the file cannot grow while one is open, and a decision would wait.
const measureStep = 10_000

// Measure calls f for every match, oldest first. The query's Text, Limit and places count for nothing. Records that come or go meanwhile
// may or may not be among them.
func (s *Store) Measure(q Query, f func(Measured)) error {
	for from := uint64(1); from != 0; {
		var found []Measured
		err := s.View(func(tx *Tx) error {
			defer marked()
			from, found = tx.chain().measure(q, from)
			return nil
		})
		if err != nil {
			return err
		}
		for _, m := range found {
			f(m)
		}
	}
	return nil
}

// measure reads one step from a sequence on. next is where to continue, 0 at the end.
func (ch chain) measure(q Query, from uint64) (next uint64, found []Measured) {
	looked := 0
	for n := range ch.candidates(q, from, true) {
		if looked++; looked > measureStep {
			return n, found
		}
		value := ch.bucket(bucketActivity).Get(sequenceKey(n))
		var m Measured
		if len(value) < recordOverhead || json.Unmarshal(value[recordOverhead:], &m) != nil {
			continue // Verify reports it
		}
		if q.Matches(&Record{Time: m.Time, Kind: m.Kind, Status: m.Status, Server: m.Server, ServerID: m.ServerID, Tool: m.Tool}) {
			found = append(found, m)
		}
	}
	return 0, found
}
