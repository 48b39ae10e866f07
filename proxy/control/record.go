package control

import (
	"fmt"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// maxRecord limits one stored or sent record; a longer one loses its detail and the ends of its texts.
const maxRecord = 1 << 20

// encodeRecord returns one line of at most maxRecord bytes for any record: one that can't be encoded would block all that come
// after it.
func encodeRecord(r Record) []byte {
	encoded, err := encode(r)
	if err == nil && len(encoded) <= maxRecord {
		return encoded
	}
	r = trimmed(r)
	if encoded, err = encode(r); err != nil {
		r.Time = time.Time{} // only a year beyond 9999 can still fail
		encoded, _ = encode(r)
	}
	return encoded
}

// trimmed returns r without anything that may be long or invalid JSON.
func trimmed(r Record) Record {
	if len(r.Detail) > 0 {
		r.Detail, _ = encodeRaw(map[string]int{"left_out_bytes": len(r.Detail)})
	}
	for _, text := range []*string{
		&r.ID, (*string)(&r.Kind), (*string)(&r.Status), &r.Server, &r.Tool, &r.Code, &r.Mode, &r.Client, &r.Session, &r.Request, &r.Prev, &r.Hash,
	} {
		*text = (*text)[:min(len(*text), 1024)]
	}
	r.Summary = r.Summary[:min(len(r.Summary), 4096)]
	return r
}

// queued is a waiting record and the calls that joined it.
type queued struct {
	Record
	joined  int       // number of further calls like it
	last    time.Time // when the last of them was answered
	slowest int64     // microseconds
}

// plain reports whether only numbers distinguish a record from the next one for the same tool, or for what a read names in its
// detail.
func plain(r *Record) bool {
	return vocab.IsTraffic(r.Kind) && r.Status == vocab.StatusOK && r.Code == "" && r.ID == "" && (len(r.Detail) == 0 || r.Kind != vocab.RecordCall) && r.Summary == ""
}

// same is the key under which records join.
func same(r *Record) string {
	if r.Kind == vocab.RecordCall {
		return r.Tool
	}
	return string(r.Kind) + "\n" + string(r.Detail) // no tool has a line break in its name
}

// join adds a plain call to the last one of its tool, if one is waiting. The caller holds mu.
func (o *outbox) join(r *Record) bool {
	if !plain(r) {
		return false
	}
	of := same(r)
	if at, ok := o.newest[of]; ok && at >= o.taken && at-o.taken < len(o.queue) {
		if q := &o.queue[at-o.taken]; plain(&q.Record) && same(&q.Record) == of {
			q.joined++
			q.last, q.Bytes, q.slowest = r.Time, q.Bytes+r.Bytes, max(q.slowest, r.DurationUS)
			return true
		}
	}
	if o.newest == nil || len(o.newest) > crowd {
		o.newest = map[string]int{}
	}
	o.newest[of] = o.taken + len(o.queue) // its index once it is added
	return false
}

// leaving returns records as they are sent: each with an id and the count of calls that joined it.
func leaving(queue []queued) []Record {
	records := make([]Record, len(queue))
	for i := range queue {
		q := &queue[i]
		r := q.Record
		if r.ID == "" {
			r.ID = vocab.NewRecordID(r.Time)
		}
		if vocab.IsTraffic(r.Kind) && r.Request == "" {
			r.Request = r.ID // the only record of its call so far
		}
		if q.joined > 0 {
			noun := "requests"
			if r.Kind == vocab.RecordCall {
				noun = "calls"
			}
			r.Summary = fmt.Sprintf("%d %s within %s, too many to keep one by one", q.joined+1, noun, q.last.Sub(r.Time).Round(time.Millisecond))
			r.Detail = joinedDetail(r.Detail, fmt.Appendf(nil, `{"check":"calls","calls":%d,"slowest_us":%d}`, q.joined+1, max(q.slowest, r.DurationUS)))
		}
		records[i] = r
	}
	return records
}

// joinedDetail puts what the records name before the counts.
func joinedDetail(named, counts []byte) []byte {
	if len(named) < len(`{"":0}`) || named[len(named)-1] != '}' {
		return counts
	}
	return append(append(append([]byte{}, named[:len(named)-1]...), ','), counts[1:]...)
}
