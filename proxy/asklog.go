package proxy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// asked is what the timeline says about a server's request to the client: its kind, length and time. Kinds without a record of their own
// are "".
type asked struct {
	kind vocab.RecordKind
	size int
}

func askedOf(method []byte, line []byte) asked {
	switch vocab.AskOf(string(method)) {
	case vocab.AskSampling:
		return asked{vocab.RecordSampling, len(line)}
	case vocab.AskElicitation:
		return asked{vocab.RecordElicitation, len(line)}
	default:
		return asked{}
	}
}

// outcome is how the request ended.
type outcome struct {
	kind   vocab.RecordKind
	status vocab.Status
	action string // of the client's response, or why there is none
	code   string
}

const (
	// askBurst is how many records of one outcome are written individually, askPace how often another one is allowed: a server that asks
	// endlessly must not fill the timeline. Faster ones are joined.
	askBurst = 100
	askPace  = time.Second
)

// askLog writes one record for each request of a server to its client, and joins those that come too fast.
type askLog struct {
	mu     sync.Mutex
	joined map[outcome]*askTally
	timer  *time.Timer // set while counted requests are unreported
}

type askTally struct {
	room    int // records that can be written at once
	refill  time.Time
	n       int
	bytes   int64
	first   time.Time
	last    time.Time
	slowest time.Duration
}

// note records the outcome of a request that came at started.
func (l *askLog) note(j *journal, a asked, o outcome, started time.Time) {
	if a.kind == "" {
		return
	}
	now := time.Now()
	o.kind = a.kind
	l.mu.Lock()
	if l.joined == nil {
		l.joined = map[outcome]*askTally{}
	}
	t := l.joined[o]
	if t == nil {
		if len(l.joined) >= maxTallies { // each has a code of its own
			l.sayLocked(j)
			clear(l.joined)
		}
		t = &askTally{room: askBurst, refill: now}
		l.joined[o] = t
	}
	if more := int(now.Sub(t.refill) / askPace); more > 0 {
		t.room, t.refill = min(askBurst, t.room+more), now
	}
	if t.n == 0 {
		t.first, t.bytes, t.slowest = now, 0, 0
	}
	t.n, t.bytes, t.last, t.slowest = t.n+1, t.bytes+int64(a.size), now, max(t.slowest, now.Sub(started))
	if t.room == 0 {
		if l.timer == nil {
			l.timer = time.AfterFunc(askPace, func() { l.say(j) })
		}
		l.mu.Unlock()
		return
	}
	t.room--
	record := t.take(o)
	l.mu.Unlock()
	j.recordAt(now, o.kind, o.status, record)
}

// Why the client did not respond to a request, in addition to the protocol's own words.
const (
	askWithdrawn  = "withdrawn"  // the server took it back
	askUnanswered = "unanswered" // the session ended
	askUnreadable = "unreadable" // the client's response was unreadable
)

// askEnded records the outcome of a request that was in flight, or about to be.
func (j *journal) askEnded(r *request, o outcome) { j.asks.note(j, r.asked, o, r.started) }

// take builds the record of the counted requests.
func (t *askTally) take(o outcome) control.Record {
	r := control.Record{Code: o.code, DurationUS: t.slowest.Microseconds(), Bytes: t.bytes}
	detail := map[string]any{}
	if o.action != "" {
		detail["action"] = o.action
	}
	if t.n > 1 {
		r.Summary = fmt.Sprintf("%d requests within %s, too many to keep one by one", t.n, t.last.Sub(t.first).Round(time.Millisecond))
		detail["check"], detail["calls"], detail["slowest_us"] = "calls", t.n, t.slowest.Microseconds()
	}
	if len(detail) > 0 {
		r.Detail, _ = json.Marshal(detail)
	}
	t.n = 0
	return r
}

// say records counted requests soon after they came: there is no gap if the server falls silent or the wrapper is killed.
func (l *askLog) say(j *journal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = nil
	l.sayLocked(j)
}

// end records what is still unreported.
func (l *askLog) end(j *journal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.sayLocked(j)
	clear(l.joined)
}

func (l *askLog) sayLocked(j *journal) {
	now := time.Now()
	order := slices.SortedFunc(maps.Keys(l.joined), func(a, b outcome) int { return l.joined[a].first.Compare(l.joined[b].first) })
	for _, o := range order {
		if t := l.joined[o]; t.n > 0 {
			t.refill = now // this moment's record has been written
			j.recordAt(t.last, o.kind, o.status, t.take(o))
		}
	}
}

// askOutcome is the outcome of a request that the client responded to.
func askOutcome(kind vocab.RecordKind, line []byte, m *frame.Message) outcome {
	if m.Kind == frame.Error {
		return outcome{status: vocab.StatusError, action: "error"}
	}
	return answerOutcome(kind, line, m.Result)
}

// answerOutcome is askOutcome of the client's result.
func answerOutcome(kind vocab.RecordKind, line []byte, result frame.Span) outcome {
	if span, ok := frame.Find(line, result, "action"); ok && kind == vocab.RecordElicitation {
		switch action, _ := frame.String(line, span); action {
		case "decline", "cancel":
			return outcome{status: vocab.StatusError, action: action}
		}
	}
	return outcome{status: vocab.StatusOK}
}
