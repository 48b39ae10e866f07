package proxy

import (
	"bytes"
	"sync"
	"time"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// request is one request in flight, from the moment it was read until its one answer.
type request struct {
	id      []byte // the id's value as the asker wrote it
	method  method
	item    string // pin key the answer depends on ("tool:echo"), "" where nothing is named
	name    string // tool, prompt or URI as the client names it, unescaped
	started time.Time
	// body is the result or the error in the line of the answer; absent where the line was changed since it was scanned.
	body frame.Span
	// failed says of an answer that it is an error of the protocol, or a result that says isError.
	failed bool
	// imitates says of an answer that it held members that only we may write. They are cut.
	imitates bool

	spelled string // the method, where r.method does not tell
	params  []byte // as the client wrote them
	cut     bool   // they were too large to be kept

	// need is the check that must have been judged before the answer goes to the client.
	need uint64
	// page is which page of a listing this request asks for, from 1; cursor the one it was asked with.
	page   int
	cursor string
	// unread are definitions that were cut out of the page that answers it.
	unread [][]byte
	// asked is what the timeline says of a request of the server.
	asked asked
	// own takes the answer of a request of ours. It has room for one.
	own chan []byte

	// room holds the id, its key and short params: a request is one piece of memory.
	room [240]byte
	used int
}

// ID and Need are what the checker asks of a request whose response may wait.
func (r *request) ID() []byte   { return r.id }
func (r *request) Need() uint64 { return r.need }

// store is a copy of b that lives as long as the request and is not written to.
func (r *request) store(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	if len(b) > len(r.room)-r.used {
		return bytes.Clone(b)
	}
	at := r.room[r.used : r.used+len(b) : r.used+len(b)]
	r.used += copy(at, b)
	return at
}

// status is what the timeline says of an answered request.
func (r *request) status() vocab.Status {
	if r.failed {
		return vocab.StatusError
	}
	return vocab.StatusOK
}

// inFlight holds the requests of one direction by the canonical form of their id, so that an answer finds its request by
// type and value and no other way: "1", 1 and 1.0 are two ids, not three (T01 and T15 in docs/relay.md).
type inFlight struct {
	mu sync.Mutex
	m  map[string]*request
	// key is scratch for looking up without allocating.
	key []byte
}

// add registers r under its id and returns how many are in flight with it. It returns 0, and registers nothing, when that
// id is in flight already: two answers to one id could be swapped between two tools.
func (f *inFlight) add(r *request) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.key = frame.AppendIDKey(f.key[:0], r.id)
	if _, taken := f.m[string(f.key)]; taken {
		return 0
	}
	if f.m == nil {
		f.m = make(map[string]*request)
	}
	key := r.store(f.key)
	f.m[unsafe.String(unsafe.SliceData(key), len(key))] = r
	return len(f.m)
}

// take removes and returns the request with this id, nil when none is in flight.
func (f *inFlight) take(id []byte) *request {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.key = frame.AppendIDKey(f.key[:0], id)
	r := f.m[string(f.key)]
	if r != nil {
		delete(f.m, string(f.key))
	}
	return r
}

// takeIf removes a request that is still in flight, and says whether it was: another with its id may be by now.
func (f *inFlight) takeIf(r *request) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.key = frame.AppendIDKey(f.key[:0], r.id)
	if f.m[string(f.key)] != r {
		return false
	}
	delete(f.m, string(f.key))
	return true
}

// peek is take without removing.
func (f *inFlight) peek(id []byte) *request {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.key = frame.AppendIDKey(f.key[:0], id)
	return f.m[string(f.key)]
}

// takeAll empties the table.
func (f *inFlight) takeAll() []*request {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]*request, 0, len(f.m))
	for _, r := range f.m {
		all = append(all, r)
	}
	f.m = nil
	return all
}

// methodName is the method as the protocol spells it.
func (r *request) methodName() string {
	if r.spelled != "" {
		return r.spelled
	}
	switch r.method {
	case methodCall:
		return "tools/call"
	case methodGetPrompt:
		return "prompts/get"
	case methodComplete:
		return "completion/complete"
	case methodListTasks:
		return "tasks/list"
	}
	return ""
}

// keep has the request remember what it asked, to be shown if its answer is held and to know the same request again.
func (r *request) keep(line []byte, m *frame.Message) {
	if r.method.listing() {
		return
	}
	if r.methodName() == "" {
		r.spelled = string(m.Method)
	}
	params := m.Params.Of(line)
	if r.cut = len(params) > maxParams; !r.cut {
		r.params = r.store(params)
	}
}
