package control

import (
	"fmt"
	"time"
)

// queued is a record that waits, and the calls that joined it.
type queued struct {
	Record
	joined  int       // further calls like it
	last    time.Time // when the last of them was answered
	slowest int64     // microseconds
}

// plain says that nothing but its numbers sets a call apart from the next one of the same tool.
func plain(r *Record) bool {
	return r.Kind == "tool_call" && r.Status == "ok" && r.Code == "" && r.ID == "" && len(r.Detail) == 0 && r.Summary == ""
}

// join adds a plain call to the last one of its tool, where one waits. The caller holds mu.
func (o *outbox) join(r *Record) bool {
	if !plain(r) {
		return false
	}
	if at, ok := o.newest[r.Tool]; ok && at >= o.taken && at-o.taken < len(o.queue) {
		if q := &o.queue[at-o.taken]; plain(&q.Record) && q.Tool == r.Tool {
			q.joined++
			q.last, q.Bytes, q.slowest = r.Time, q.Bytes+r.Bytes, max(q.slowest, r.DurationUS)
			return true
		}
	}
	if o.newest == nil || len(o.newest) > crowd {
		o.newest = map[string]int{}
	}
	o.newest[r.Tool] = o.taken + len(o.queue) // where it is about to stand
	return false
}

// leaving are records as they go out: each with an id, and with the count of what joined it.
func leaving(queue []queued) []Record {
	records := make([]Record, len(queue))
	for i := range queue {
		q := &queue[i]
		r := q.Record
		if r.ID == "" {
			r.ID = NewRecordID(r.Time)
		}
		if r.Kind == "tool_call" && r.Request == "" {
			r.Request = r.ID // the only record of its call so far
		}
		if q.joined > 0 {
			r.Summary = fmt.Sprintf("%d calls within %s, too many to keep one by one", q.joined+1, q.last.Sub(r.Time).Round(time.Millisecond))
			r.Detail = fmt.Appendf(nil, `{"check":"calls","calls":%d,"slowest_us":%d}`, q.joined+1, max(q.slowest, r.DurationUS))
		}
		records[i] = r
	}
	return records
}
