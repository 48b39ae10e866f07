package proxy

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
)

// listens are the streams of notifications of the modern era (subscriptions/listen, specification of 2026-07-28). The client's are answered here:
// each gets what it asked for, after it was judged. The server's are ours: one for what its listings do, and one for each of the client's that
// wants to hear about single resources or tasks.
type listens struct {
	*exchange
	entrance *entrance

	mu     sync.Mutex
	open   []*listen        // the client's
	ours   map[string]*hark // by the key of its id
	begun  bool
	closed bool
}

// listen is a stream of the client's.
type listen struct {
	r     *request
	kinds map[string]bool // the list_changed notifications it asked for
	uris  []string        // the resources it hears about
	tasks []string
	hark  *hark // ours to the server for uris and tasks, nil for none
}

// hark is a stream of ours from the server.
type hark struct {
	r    *request
	of   *listen       // whose uris and tasks it is about, nil for listings
	wait time.Duration // before it is opened again
}

const (
	// grantLimit is how long a client waits for the acknowledgement of a stream that is about resources or tasks, which only a snapshot can
	// grant.
	grantLimit = 800 * time.Millisecond
	// maxListens limits the streams of a client, as the TypeScript SDK does.
	maxListens = 1024
	// A stream that the server ended is opened again after harkFirst, doubled each time up to harkMax.
	harkFirst = time.Second
	harkMax   = 30 * time.Second

	subscriptionKey = reservedMeta + "subscriptionId"
)

// listKinds are the members of a filter that are about listings, and the notification that each is about.
var listKinds = []struct{ member, notification string }{
	{"toolsListChanged", declared.Tools.Changed},
	{"promptsListChanged", declared.Prompts.Changed},
	{"resourcesListChanged", declared.Resources.Changed},
}

// asksForItems reports whether a client's stream is about resources or tasks: what it may hear depends on what is approved.
func asksForItems(line []byte, params frame.Span) bool {
	for _, member := range []string{"resourceSubscriptions", "taskIds"} {
		if span, ok := frame.Find(line, params, "notifications", member); ok && frame.Type(line, span) == '[' && string(span.Of(line)) != "[]" {
			return true
		}
	}
	return false
}

// add acknowledges a client's stream, with what it may hear now.
func (l *listens) add(v *declared.View, r *request, line []byte) {
	filter, _ := frame.Find(line, frame.Root(line), "params", "notifications")
	one := &listen{r: r, kinds: map[string]bool{}}
	for _, kind := range listKinds {
		if flag, ok := frame.Find(line, filter, kind.member); ok && string(flag.Of(line)) == "true" {
			one.kinds[kind.notification] = true
		}
	}
	one.uris = wanted(line, filter, "resourceSubscriptions", v.AllowsResource)
	one.tasks = wanted(line, filter, "taskIds", func(id string) bool { return v.Verified && v.Open() && v.Allows(l.tasks.of(id).item) })
	l.mu.Lock()
	taken := l.calls.peek(r.id) != nil || l.indexLocked(r.id) >= 0
	full := len(l.open) >= maxListens
	if !taken && !full {
		l.open = append(l.open, one)
		l.client.Enqueue(one.acknowledgement()) // before anything that the stream carries
	}
	l.mu.Unlock()
	switch {
	case taken:
		l.client.Enqueue(takenLine(r.id))
		return
	case full:
		l.client.Enqueue(errorLine(r.id, -32603, "[Sallyport] too many streams of notifications are open", nil))
		return
	}
	if l.life.discovered.Load() { // else the server may not speak the era
		l.eras.answered(r)
	}
	if len(one.uris) > 0 || len(one.tasks) > 0 {
		l.harken(&hark{of: one, wait: harkFirst})
	}
	l.checks.Begin() // what was judged before is told now
}

// wanted are the texts of a filter's list that may be heard.
func wanted(line []byte, filter frame.Span, member string, may func(string) bool) (texts []string) {
	list, ok := frame.Find(line, filter, member)
	if !ok {
		return nil
	}
	frame.Elements(line, list, func(_ int, value frame.Span) bool {
		if text, wellFormed := frame.String(line, value); wellFormed && may(text) && !slices.Contains(texts, text) {
			texts = append(texts, strings.Clone(text))
		}
		return len(texts) < maxListens
	})
	return texts
}

// acknowledgement says what the client will hear.
func (o *listen) acknowledgement() []byte {
	line := append([]byte(nil), `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"`+subscriptionKey+`":`...)
	line = append(append(line, o.r.id...), `},"notifications":{`...)
	first := len(line)
	for _, kind := range listKinds {
		if o.kinds[kind.notification] {
			line = append(append(append(line, '"'), kind.member...), `":true,`...)
		}
	}
	line = append(line, filterOf(o.uris, o.tasks)...)
	if len(line) > first && line[len(line)-1] == ',' {
		line = line[:len(line)-1]
	}
	return append(line, "}}}\n"...)
}

// filterOf are the members of a filter about single resources and tasks.
func filterOf(uris, tasks []string) []byte {
	var out []byte
	for _, list := range []struct {
		member string
		texts  []string
	}{{"resourceSubscriptions", uris}, {"taskIds", tasks}} {
		if len(list.texts) == 0 {
			continue
		}
		if out != nil {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), list.member...), `":[`...)
		for i, text := range list.texts {
			if i > 0 {
				out = append(out, ',')
			}
			out = frame.AppendString(out, text)
		}
		out = append(out, ']')
	}
	return out
}

// any reports whether the client hears about anything.
func (l *listens) any() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open) > 0
}

// tell sends a list_changed of ours to every stream that asked for it.
func (l *listens) tell(notification string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.open {
		if o.kinds[notification] {
			line := append([]byte(`{"jsonrpc":"2.0","method":"`), notification...)
			line = append(append(line, `","params":{"_meta":{"`+subscriptionKey+`":`...), o.r.id...)
			l.client.Enqueue(append(line, "}}}\n"...))
		}
	}
}

// takeAll forgets the client's streams and returns their requests.
func (l *listens) takeAll() (requests []*request) {
	l.mu.Lock()
	open := l.open
	l.open = nil
	var lines []byte
	for _, o := range open {
		requests = append(requests, o.r)
		lines = append(lines, l.endLocked(o)...)
	}
	l.mu.Unlock()
	l.server.Enqueue(lines)
	return requests
}

// drop ends a client's stream that it cancelled, and reports whether there was one.
func (l *listens) drop(id []byte) bool {
	l.mu.Lock()
	i := l.indexLocked(id)
	if i < 0 {
		l.mu.Unlock()
		return false
	}
	line := l.endLocked(l.open[i])
	l.open = slices.Delete(l.open, i, i+1)
	l.mu.Unlock()
	l.server.Enqueue(line)
	return true
}

// indexLocked is where the client's stream with this id is, -1 for none.
func (l *listens) indexLocked(id []byte) int {
	key := frame.AppendIDKey(nil, id)
	return slices.IndexFunc(l.open, func(o *listen) bool { return bytes.Equal(frame.AppendIDKey(nil, o.r.id), key) })
}

// endLocked ends our stream for one of the client's, and returns the line that tells the server, nil for none. It is sent without the lock: a
// server that reads nothing must not hold up what others send.
func (l *listens) endLocked(o *listen) []byte {
	h := o.hark
	if o.hark = nil; h == nil || h.r == nil {
		return nil
	}
	delete(l.ours, string(frame.AppendIDKey(nil, h.r.id)))
	l.calls.takeIf(h.r)
	line := append([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), h.r.id...)
	return append(line, "}}\n"...)
}

// start opens our stream for what the server's listings do, once.
func (l *listens) start() {
	l.mu.Lock()
	first := !l.begun
	l.begun = true
	l.mu.Unlock()
	if first {
		l.harken(&hark{wait: harkFirst})
	}
}

// harken opens a stream of ours.
func (l *listens) harken(h *hark) {
	r := l.ownRequest(methodListen)
	r.modern = true
	filter := `"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true`
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	if h.of != nil {
		if !slices.Contains(l.open, h.of) {
			l.mu.Unlock()
			return // the client ended it meanwhile
		}
		h.of.hark = h
		filter = string(filterOf(h.of.uris, h.of.tasks))
	}
	if l.ours == nil {
		l.ours = map[string]*hark{}
	}
	h.r = r
	l.ours[string(frame.AppendIDKey(nil, r.id))] = h
	l.mu.Unlock()
	if l.calls.add(r) == 0 {
		return
	}
	l.server.Enqueue(l.ownLine(r, "subscriptions/listen", `"notifications":{`+filter+`}`))
}

// ended handles the response to a stream of ours: after a result, or the server's own cancellation, it is opened again. A server that answers
// with an error has no such streams; its listings are checked by pins.recheck alone.
func (l *listens) ended(id []byte, again bool) {
	key := string(frame.AppendIDKey(nil, id))
	l.mu.Lock()
	h := l.ours[key]
	delete(l.ours, key)
	if h == nil || l.closed {
		l.mu.Unlock()
		return
	}
	if time.Since(h.r.started) > harkMax { // it was there for a while
		h.wait = harkFirst
	}
	wait := h.wait
	h.wait, h.r = min(2*h.wait, harkMax), nil
	l.mu.Unlock()
	if again {
		time.AfterFunc(wait, func() { l.harken(h) })
	}
}

// end stops opening streams again.
func (l *listens) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// of is the stream of ours that a notification came on. known is false if it names one that we did not open.
func (l *listens) of(line []byte, params frame.Span) (h *hark, known bool) {
	span, ok := frame.Find(line, params, "_meta", subscriptionKey)
	if !ok {
		return nil, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	h = l.ours[string(frame.AppendIDKey(nil, span.Of(line)))]
	return h, h != nil
}

// takes handles what the modern era says about notifications of the server. done: the line goes no further. Otherwise forward is the line to
// judge and deliver, with the id of the client's stream in place of ours.
func (l *listens) takes(line []byte, m *frame.Message) (forward []byte, done bool) {
	method := string(m.Method)
	h, known := l.of(line, m.Params)
	if method == "notifications/cancelled" { // a server ends a stream with it, and nothing else
		if id, ok := frame.Find(line, m.Params, "requestId"); ok {
			if r := l.calls.peek(id.Of(line)); r != nil && r.own != nil && r.method == methodListen && l.calls.takeIf(r) {
				l.ended(r.id, true)
				return nil, true
			}
		}
		l.journal.dropped("a cancellation from the server for a request that is not running")
		return nil, true
	}
	switch {
	case !known:
		l.journal.dropped("a notification for a stream that is not open")
		return nil, true
	case method == "notifications/subscriptions/acknowledged":
		if h == nil {
			l.journal.dropped("an acknowledgement of a stream that is not open")
		}
		return nil, true
	case h == nil || slices.ContainsFunc(listKinds, func(k struct{ member, notification string }) bool { return k.notification == method }):
		return line, false
	case h.of == nil:
		l.journal.dropped("a notification for a stream that did not ask for it")
		return nil, true
	}
	if !l.hears(h.of, line, m) {
		l.journal.dropped("a notification about something that may not be read")
		return nil, true
	}
	id, _ := frame.Find(line, m.Params, "_meta", subscriptionKey)
	return frame.Splice(nil, line, []frame.Edit{{Start: id.Start, End: id.End, With: h.of.r.id}}), false
}

// hears reports whether a client's stream may hear about what a notification names, now.
func (l *listens) hears(o *listen, line []byte, m *frame.Message) bool {
	v := l.view()
	if uri, ok := frame.Find(line, m.Params, "uri"); ok {
		text, wellFormed := frame.String(line, uri)
		return wellFormed && v.AllowsResource(text) && slices.ContainsFunc(o.uris, func(root string) bool { return isUnder(text, root) })
	}
	if id, ok := frame.Find(line, m.Params, "taskId"); ok {
		text, wellFormed := frame.String(line, id)
		return wellFormed && slices.Contains(o.tasks, text) && v.Allows(l.tasks.of(text).item)
	}
	return false
}

// isUnder reports whether a resource is another or a part of it: a stream about a resource may name its parts (specification of 2026-07-28,
// "Resources").
func isUnder(uri, root string) bool {
	rest, ok := strings.CutPrefix(uri, root)
	return ok && (rest == "" || strings.HasSuffix(root, "/") || strings.ContainsRune("/?#", rune(rest[0])))
}

// hasten grants a stream that waits for the first snapshot what may be heard without it, if that takes too long.
func (l *listens) hasten(r *request) {
	if r.method == methodListen {
		time.AfterFunc(grantLimit, func() {
			for _, w := range l.entrance.takeIf(func(waiting *request) bool { return waiting == r }) {
				l.add(l.view(), w.r, w.line)
			}
		})
	}
}
