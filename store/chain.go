package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// head is the sealed newest end of the chain: without it a truncation there would go unnoticed.
type head struct {
	Sequence uint64 `json:"sequence"` // of the newest record
	Hash     string `json:"hash"`     // of the newest record
	Records  int    `json:"records"`  // kept records
	Bytes    int64  `json:"bytes"`    // their size, with their index
}

// chain is the activity chain within a transaction.
type chain struct{ *sealed }

func (tx *Tx) chain() chain { return chain{&tx.sealed} }

func (ch chain) putHead(h head) error { return ch.put(bucketMeta, metaHead, h) }

func (ch chain) head() (head, error) {
	var h head
	err := ch.get(bucketMeta, metaHead, &h)
	return h, err
}

// A stored record is 8 bytes of arrival (Unix nanoseconds, never decreasing), 32 bytes of hash, then the record's JSON with prev but
// without hash. The hash is SHA-256 over the previous hash, in hex, and that JSON, so an exported record can be verified from its own
// fields.
const recordOverhead = 8 + sha256.Size

func encodeRecord(r Record, prev string, arrival int64) (stored []byte, hash string, err error) {
	r.Prev, r.Hash = prev, ""
	body, err := json.Marshal(r)
	if err != nil {
		return nil, "", fmt.Errorf("activity record: %w", err)
	}
	sum := chainHash(prev, body)
	stored = make([]byte, 0, recordOverhead+len(body))
	stored = binary.BigEndian.AppendUint64(stored, uint64(arrival))
	stored = append(stored, sum[:]...)
	return append(stored, body...), hex.EncodeToString(sum[:]), nil
}

func chainHash(prev string, body []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write([]byte(prev))
	h.Write(body)
	return [sha256.Size]byte(h.Sum(nil))
}

func decodeRecord(stored []byte) (r Record, arrival int64, err error) {
	if len(stored) < recordOverhead {
		return r, 0, fmt.Errorf("activity record: %w", ErrCorrupt)
	}
	if err := json.Unmarshal(stored[recordOverhead:], &r); err != nil {
		return r, 0, fmt.Errorf("activity record: %w", ErrCorrupt)
	}
	r.Hash = hex.EncodeToString(stored[8:recordOverhead])
	return r, arrivalOf(stored), nil
}

func arrivalOf(stored []byte) int64 { return int64(binary.BigEndian.Uint64(stored)) }

// footprint is roughly what a record takes in the file: its value, its keys, and bbolt's overhead for each.
func footprint(stored []byte, id string) int64 {
	return int64(len(stored)) + 2*int64(len(id)) + 48
}

// Append adds records to the chain inside this transaction, so that a decision and its record are stored together or not at all. It skips
// records whose id is stored already, and returns the stored ones with Prev and Hash.
func (tx *Tx) Append(records ...Record) ([]Record, error) {
	if len(records) == 0 {
		return nil, nil
	}
	defer marked()
	ch := tx.chain()
	h, err := ch.head()
	if err != nil {
		return nil, fmt.Errorf("head of the activity chain: %w", err)
	}
	activity, ids := ch.bucket(bucketActivity), ch.bucket(bucketIDs)
	// Keys only grow, so fill pages instead of splitting them in half, which would leave the file half empty for ever.
	activity.FillPercent = 0.9
	now := tx.now()
	arrival := now.UnixNano()
	if k, v := activity.Cursor().Last(); k != nil && len(v) >= recordOverhead {
		arrival = max(arrival, arrivalOf(v))
	}
	stored := make([]Record, 0, len(records))
	glances := glancing{ch: ch}
	for _, r := range records {
		settle(&r, now)
		if ch.sequenceOf(r.ID) != 0 {
			continue
		}
		value, hash, err := encodeRecord(r, h.Hash, arrival)
		if err != nil {
			return nil, err
		}
		h.Sequence++
		key := sequenceKey(h.Sequence)
		if err := errors.Join(activity.Put(key, value), ids.Put([]byte(r.ID), key), glances.add(h.Sequence, &r)); err != nil {
			return nil, fmt.Errorf("store activity: %w", err)
		}
		r.Prev, r.Hash = h.Hash, hash
		h.Hash = hash
		h.Records++
		h.Bytes += footprint(value, r.ID)
		stored = append(stored, r)
	}
	if len(stored) == 0 {
		return nil, nil
	}
	return stored, errors.Join(glances.flush(), ch.putHead(h))
}

// appending are calls of AppendNow. Those that come while one commits share the next commit: it takes about half a millisecond for one
// record or for hundreds, and a decision must not wait behind one commit for every wrapper.
type appending struct {
	committing sync.Mutex
	mu         sync.Mutex
	waiting    []*appendCall
}

type appendCall struct {
	records, stored []Record
	over            bool
	err             error
}

// AppendNow stores records and returns when they are on disk. It skips ids that are stored already; stored has the others, with Prev and
// Hash. Records that may be retried need their own id.
func (s *Store) AppendNow(records ...Record) (stored []Record, err error) {
	call := &appendCall{records: records, err: errors.New("the records were not written")}
	s.appending.mu.Lock()
	s.appending.waiting = append(s.appending.waiting, call)
	s.appending.mu.Unlock()
	s.appending.committing.Lock()
	defer s.appending.committing.Unlock()
	for !call.over {
		s.appendWaiting()
	}
	return call.stored, call.err
}

// mostTogether is how many records of several calls share a commit, which takes 12 ms with so many: a decision has to wait for it.
const mostTogether = 1000

// appendWaiting writes the records of the calls that have waited longest. They succeed or fail together.
func (s *Store) appendWaiting() {
	s.appending.mu.Lock()
	waiting, take, records := s.appending.waiting, 0, 0
	for take < len(waiting) && (take == 0 || records+len(waiting[take].records) <= mostTogether) {
		records += len(waiting[take].records)
		take++
	}
	calls := waiting[:take]
	s.appending.waiting = waiting[take:]
	s.appending.mu.Unlock()
	for _, call := range calls {
		call.over = true // whatever happens to this commit: if it panics, their err stays
	}
	err := s.Update(func(tx *Tx) error {
		for _, call := range calls {
			var err error
			if call.stored, err = tx.Append(call.records...); err != nil {
				return err
			}
		}
		return nil
	})
	for _, call := range calls {
		call.err = nil
		if err != nil {
			call.stored, call.err = nil, fmt.Errorf("store activity: %w", err)
		}
	}
}

// sequenceOf is the position of the record with an id, 0 if there is none. The index only counts if the record agrees: a forged index entry
// must not keep a record out of the timeline.
func (ch chain) sequenceOf(id string) uint64 {
	if id == "" {
		return 0
	}
	defer marked()
	key := ch.bucket(bucketIDs).Get([]byte(id))
	if len(key) != 8 {
		return 0
	}
	value := ch.bucket(bucketActivity).Get(key)
	if value == nil {
		return 0
	}
	r, _, err := decodeRecord(value)
	if err != nil || r.ID != id {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}

// Mark is the head of the chain, to keep in a second place such as an export or a keychain.
type Mark struct {
	Sequence uint64    `json:"sequence"` // records ever stored
	Records  int       `json:"records"`  // records still kept
	Hash     string    `json:"hash"`
	Time     time.Time `json:"time"`
	ID       string    `json:"id,omitempty"` // of the newest record, "" if it is no longer kept
}

// Head is the current newest end of the chain.
func (s *Store) Head() (Mark, error) {
	var m Mark
	err := s.View(func(tx *Tx) error {
		defer marked()
		ch := tx.chain()
		h, err := ch.head()
		m = Mark{Sequence: h.Sequence, Records: h.Records, Hash: h.Hash, Time: tx.now().UTC()}
		if value := ch.bucket(bucketActivity).Get(sequenceKey(h.Sequence)); err == nil && value != nil {
			r, _, bad := decodeRecord(value)
			m.ID, err = r.ID, bad
		}
		return err
	})
	return m, err
}

// Holds reports whether the chain has the record of a head kept in a second place, or retention removed it. It looks at that record alone;
// Verify walks the whole chain.
func (s *Store) Holds(m Mark) (bool, error) {
	holds := false
	err := s.View(func(tx *Tx) error {
		defer marked()
		ch := tx.chain()
		h, err := ch.head()
		if err != nil || m.Sequence > h.Sequence {
			return err
		}
		if value := ch.bucket(bucketActivity).Get(sequenceKey(m.Sequence)); value != nil {
			r, _, err := decodeRecord(value)
			holds = r.Hash == m.Hash
			return err
		}
		anchors, bad := ch.anchors()
		if bad {
			return ErrSeal
		}
		for _, a := range anchors {
			holds = holds || a.covers(m)
		}
		return nil
	})
	return holds, err
}
