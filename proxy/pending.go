package proxy

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// request is one request in flight, from reading it to its one response.
type request struct {
	id     []byte // the id as its sender wrote it
	method method
	wish   wish // what the call's own argument says about spotlighting
	cut    bool // params are too large to be kept
	// failed: the response is a protocol error, or a result with isError. imitates: it held members that only we may write. They are cut.
	// interim: it is a result of the modern era that says that it is not complete. asks: it wants input from the client.
	failed, imitates, interim, asks bool
	granted                         bool // a person allowed this call
	reread                          bool // a check has read the page again, because this response is another one
	awaited                         bool // it waited for a check before it was judged

	used   uint8  // of room
	modern bool   // it said its protocol version itself, so the response is in the words of the modern era
	passed uint32 // when it passed the entrance, by how often that was shut before, from 1; 0: it did not have to
	naming
	started time.Time
	body    frame.Span // the result or error in the response's line; absent if the line was changed since it was scanned
	spelled string     // the method, if r.method is not specific
	params  []byte     // as the client wrote them
	texts   *texts     // what its record keeps of the texts, nil for nothing

	// need is the check that must be judged before the response goes to the client.
	need uint64
	// page is the page of a listing, from 1; cursor the one it was requested with.
	page   int
	cursor string
	// task is what the response names, for the hub; nil for none.
	task *control.Task
	// unread are definitions that were cut out of the page.
	unread [][]byte
	// asked is what the timeline says about a request of the server.
	asked asked
	// own receives the response to a request of ours. It has room for one.
	own chan []byte

	// room holds the id, its key and short params, so that a request is one allocation: of 512 bytes, since larger ones cost the collector a
	// quarter more (TestARequestIsSmall).
	room [216]byte
}

// texts is what the record of a request keeps of its texts: the secrets of a profile are masked. response is the result or error that the
// client got.
type texts struct {
	masks    string
	response []byte
}

// ID and Need are for the checker, when the response may wait.
func (r *request) ID() []byte   { return r.id }
func (r *request) Need() uint64 { return r.need }

// store copies the parts of one text for the lifetime of the request.
func (r *request) store(parts ...[]byte) []byte {
	at := r.room[r.used:r.used]
	for _, part := range parts {
		if len(part) > cap(at)-len(at) {
			return slices.Concat(parts...)
		}
		at = append(at, part...)
	}
	if len(at) == 0 {
		return nil
	}
	r.used += uint8(len(at))
	return at[:len(at):len(at)]
}

// status is the timeline's status of an answered request.
func (r *request) status() vocab.Status {
	if r.failed {
		return vocab.StatusError
	}
	return vocab.StatusOK
}

// inFlight holds the requests of one direction by the canonical form of their id, so that a response finds its request only by type and
// value: 1 and 1.0 are one id, "1" is another (T01 and T15 in docs/relay.md).
type inFlight struct {
	mu sync.Mutex
	m  map[string]*request
	// key is a buffer for lookups without allocating.
	key []byte
}

// add registers r under its id and returns how many are in flight with it; 0, without registering, if that id is in flight already: two
// responses to one id could be swapped between two tools.
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

// take removes and returns the request with this id, or nil.
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

// takeIf removes r if it is still in flight, and reports whether it was: another request may have its id by now.
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

func (f *inFlight) peek(id []byte) *request {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.key = frame.AppendIDKey(f.key[:0], id)
	return f.m[string(f.key)]
}

func (f *inFlight) takeAll() []*request {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Collect(maps.Values(f.m))
	f.m = nil
	return all
}

// of returns the requests of a method.
func (f *inFlight) of(m method) (found []*request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.m {
		if r.method == m {
			found = append(found, r)
		}
	}
	return found
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

// renamed is a line of the request, or its params, with another name of what it is about; path leads to the params.
func (r *request) renamed(raw []byte, name string, path ...string) []byte {
	if r.method == methodComplete {
		path = append(path, "ref")
	}
	return withName(raw, name, append(path, "name")...)
}

// same is equal for requests that ask for the same, by whichever of its names the client calls the item.
func (r *request) same() (pin.Digest, error) {
	params := r.params
	if r.alias || r.delivered != "" {
		params = r.renamed(params, r.known())
	}
	return pin.RequestDigest(r.methodName(), params)
}

// keep records the request's parameters, to show them if the response is held and to recognise the same request. What the protocol has each
// request of the modern era say about its client is left out: it is the same in all, and as long as a request has room. rest are the other
// members of `_meta`.
func (r *request) keep(line []byte, m *frame.Message, rest []byte) {
	if r.method.listing() {
		return
	}
	if r.methodName() == "" {
		r.spelled = string(m.Method)
	}
	switch {
	case !r.modern:
		r.keepParams(m.Params.Of(line))
	case len(rest) == 0:
		r.keepParams(besideMeta(line, m))
	default:
		r.keepParams(line[m.Params.Start:m.Meta.Start], []byte("{"), rest, []byte("}"), line[m.Meta.End:m.Params.End])
	}
}

func (r *request) keepParams(parts ...[]byte) {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	if r.cut = length > maxParams; !r.cut {
		r.params = r.store(parts...)
	}
}

// besideMeta is what a request's params hold before and behind their `_meta`: both together are the params without it.
func besideMeta(line []byte, m *frame.Message) (before, behind []byte) {
	const space = " \t\r\n"
	before = bytes.TrimRight(line[m.Params.Start:m.Meta.Start], space)
	behind = bytes.TrimLeft(line[m.Meta.End:m.Params.End], space)
	key := bytes.TrimRight(before[:len(before)-len(":")], space)
	before = bytes.TrimRight(key[:bytes.LastIndexByte(key[:len(key)-1], '"')], space) // however it is escaped, there is no quote in it
	if rest, more := bytes.CutPrefix(behind, []byte(",")); more {
		return before, rest
	}
	return bytes.TrimSuffix(before, []byte(",")), behind
}

// retries reports whether the request answers what an earlier response asked for ("input_required", specification of 2026-07-28): a new request,
// whatever an earlier one got.
func (r *request) retries() bool {
	if len(r.params) == 0 {
		return false
	}
	_, responds := frame.Find(r.params, frame.Root(r.params), "inputResponses")
	_, goesOn := frame.Find(r.params, frame.Root(r.params), "requestState")
	return responds || goesOn
}

// returns reports whether the response is a tool's result, or may hold one: of a call, or of a task that a call created.
func (r *request) returns() bool { return r.method == methodCall || r.method == methodTask }

// holdsState reports whether the response is the state of a task, which holds the tool's result once the task has ended.
func (r *request) holdsState() bool { return r.method == methodTask && r.spelled != "tasks/result" }

// readsPage reports whether the request reads a page (ui://): its client draws the response.
func (r *request) readsPage() bool {
	return r.method == methodResource && r.spelled == "resources/read" && pin.IsPage(r.name)
}

// tool is the name of the tool that a response counts as.
func (r *request) tool() string { return strings.TrimPrefix(r.item, pin.Key(pin.Tool, "")) }

// subjectItem is the pin key of what the response is from, or the method.
func (r *request) subjectItem() string {
	if r.item != "" {
		return r.item
	}
	return r.methodName()
}

// subject is what the response is from. A task counts as its tool: its id is kept nowhere, since whoever has it may ask for the result.
func (r *request) subject() string {
	if r.method == methodTask {
		return r.tool()
	}
	return r.name
}

// wantsTask reports whether a call may be answered with a task, whose result comes later.
func (r *request) wantsTask() bool {
	if r.cut || len(r.params) == 0 {
		return false
	}
	_, ok := frame.Find(r.params, frame.Root(r.params), "task")
	return ok
}

// Records of what a client reads: one per request, with the name but never the text. They are written once the client has its response.

const (
	// maxNamed is how many characters of a URI or prompt name a record keeps.
	maxNamed = 512
	// maxLookedAt is how much of one is searched for secrets: nothing beyond is kept.
	maxLookedAt = 8 << 10
)

// recordKind is the kind of the record about a request: a call, a read, or our own decision.
func (r *request) recordKind() vocab.RecordKind {
	switch {
	case r.method == methodCall:
		return vocab.RecordCall
	case r.method == methodGetPrompt:
		return vocab.RecordPrompt
	case r.method == methodResource && r.spelled == "resources/read":
		return vocab.RecordRead
	}
	return vocab.RecordPolicyDecision
}

// counts reports whether each request of this kind gets a record, whatever its outcome.
func (r *request) counts() bool { return r.recordKind() != vocab.RecordPolicyDecision }

// called is the tool that a record names, by the server's own name for it. A read names its subject in the detail.
func (r *request) called() string {
	if r.method != methodCall && r.method != methodTask {
		return ""
	}
	return recorded(r.subject())
}

// recorded is a tool's name as a record keeps it, without secrets: what was called may be anything that a model wrote.
func recorded(tool string) string {
	if plain := legible.Name(tool, ""); plain != "" {
		return plain
	}
	return legible.Recorded(masked(tool))
}

// detail is the JSON detail of the record about this request: more, and the subject of a read.
func (r *request) detail(more facts) json.RawMessage {
	kind := r.recordKind()
	if more == nil && kind != vocab.RecordRead && kind != vocab.RecordPrompt && r.delivered == "" {
		return nil
	}
	if more == nil {
		more = facts{}
	}
	if r.delivered != "" {
		more["delivered_as"] = namedIn(r.delivered)
	}
	switch kind {
	case vocab.RecordRead:
		more["uri"] = namedIn(r.name)
	case vocab.RecordPrompt:
		more["prompt"] = namedIn(r.name)
	default: // it names nothing
	}
	return more.detail()
}

// namedIn is a URI or name as a record keeps it: cleaned, without secrets, and short.
func namedIn(name string) string { return legible.Text(masked(name), maxNamed) }

// shownIn is a text with foreign parts as a record keeps it: escaped on one line, without secrets, and short.
func shownIn(text string, most int) string {
	return cut.Runes(oneLine.Replace(legible.Escape(masked(text))), most)
}

var oneLine = strings.NewReplacer("\r", `\r`, "\n", `\n`, "\t", `\t`)

// masked is the beginning of a text without secrets.
func masked(name string) string {
	name = cut.Bytes(name, maxLookedAt)
	found, whole := inspect.SecretsInText(name, secrets.Precise)
	if !whole {
		return "not stored: it may contain secrets"
	}
	masked, at := "", 0
	for _, f := range inOrder(found) {
		if f.Start < at || f.End > len(name) {
			continue // inside the one before
		}
		masked, at = masked+name[at:f.Start]+"***", f.End
	}
	return masked + name[at:]
}

func inOrder(found []inspect.Finding) []inspect.Finding {
	slices.SortStableFunc(found, func(a, b inspect.Finding) int { return a.Start - b.Start })
	return found
}

// keepPayload decides, when a request is admitted, whether its record will have its texts, and which secrets are masked in them.
func (r *request) keepPayload(p *policy.Wrapper) {
	if !p.Payloads || !r.counts() {
		return
	}
	r.texts = &texts{}
	if p.RedactStrict {
		r.texts.masks = secrets.Strict
	}
}

// withPayload adds the texts to the detail of the request's own record.
func (r *request) withPayload(more facts) facts {
	if r.texts == nil {
		return more
	}
	if more == nil {
		more = facts{}
	}
	kept := keeping{profile: r.texts.masks}
	if r.cut {
		kept.leaveOut("arguments", maxParams)
	} else if len(r.params) > 0 {
		kept.Arguments = kept.masked("arguments", r.params)
	}
	if len(r.texts.response) > 0 {
		kept.Response = kept.masked("response", r.texts.response)
	}
	more["payload"] = kept.Payload
	return more
}
