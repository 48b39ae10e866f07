package proxy

import (
	"bytes"
	"errors"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// fromClient handles one line of the client. A server that no longer takes lines is no reason to stop reading: each
// request is still answered.
func (s *Session) fromClient(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	m := &s.cm
	if err := frame.Scan(line, frame.FromClient, m); err != nil {
		s.clientUnreadable(line, err)
		return
	}
	switch m.Kind {
	case frame.Request:
		s.clientRequest(line, m)
	case frame.Notification:
		s.clientNotification(line, m)
	default:
		s.clientAnswer(line, m)
	}
}

// clientUnreadable answers a line that two parsers could read differently, or none. A broken answer to a request of the
// server ends that request.
func (s *Session) clientUnreadable(line []byte, err error) {
	code, why := -32600, err.Error()
	var problem *frame.Problem
	if errors.As(err, &problem) {
		code, why = problem.Code, problem.Reason
	}
	id, _ := frame.FindID(line)
	if id != nil && !bytes.Contains(line, []byte(`"method"`)) {
		if asked := s.asks.take(id); asked != nil {
			s.journal.askEnded(asked, outcome{status: "error", action: askUnreadable})
			s.server.Enqueue(errorLine(asked.id, -32603, "[Sallyport] the client's response can't be read: "+why, nil))
			return
		}
	}
	s.journal.refusedLine("client", why)
	s.client.Enqueue(errorLine(id, code, "[Sallyport] the message was blocked: "+why, nil))
}

func (s *Session) clientRequest(line []byte, m *frame.Message) {
	r := &request{method: methodOf(m.Method), started: time.Now()}
	r.id = r.store(m.ID.Of(line))
	switch r.method {
	case methodModern:
		s.client.Enqueue(errorLine(r.id, -32601, "Method not found", nil))
		return
	}
	if r.method.listing() {
		s.shown.ask(r.method)
	}
	if s.parkedRequest(r, line, m) {
		return
	}
	switch r.method {
	case methodInitialize:
		s.rememberClient(line, m, r.id)
		s.rememberVersion(line, m)
		s.life.asked.Store(true)
		s.forward(r, line)
		return
	case methodPlain:
		s.forward(r, line)
		return
	}
	s.subjectOf(r, line, m)
	r.keep(line, m)
	if !s.life.asked.Load() {
		s.refuse(r, refusal.Uninitialized)
		return
	}
	if !s.life.wentOn.Load() {
		s.life.wentOn.Store(true)
	}
	if s.life.apart.Load() {
		s.refuseApart(r, line)
		return
	}
	if s.gate.hold(s, r, line) {
		return
	}
	s.admit(r, line, r.started)
}

// subjectOf reads what a request names, unescaped, into r.
func (s *Session) subjectOf(r *request, line []byte, m *frame.Message) {
	text := func(path ...string) string {
		span, ok := frame.Find(line, m.Params, path...)
		if !ok {
			return ""
		}
		name, wellFormed := frame.String(line, span)
		if !wellFormed {
			return ""
		}
		return name
	}
	switch r.method {
	case methodCall:
		if !m.Name.Empty() {
			name, wellFormed := frame.StringBytes(line, m.Name)
			if t, known := s.view.Load().tools[string(name)]; known && wellFormed {
				r.name, r.item = t.name, t.key
				return
			}
		}
		r.name = text("name")
		r.item = pin.Key(pin.Tool, r.name)
	case methodGetPrompt:
		r.name = text("name")
		r.item = pin.Key(pin.Prompt, r.name)
	case methodComplete:
		if text("ref", "type") == "ref/prompt" {
			r.name = text("ref", "name")
			r.item = pin.Key(pin.Prompt, r.name)
		} else {
			r.name = text("ref", "uri")
			r.item = pin.Key(pin.ResourceTemplate, r.name)
		}
	case methodResource:
		r.name = text("uri")
		r.item = pin.Key(pin.Resource, r.name)
	case methodTask:
		r.name = text("taskId")
		r.item = s.tasks.of(r.name)
	case methodListTools, methodListPrompts, methodListResources, methodListTemplates:
		r.cursor = text("cursor")
	}
}

// admit lets a request out or refuses it, by the view of this moment, which is now.
func (s *Session) admit(r *request, line []byte, now time.Time) {
	v := s.view.Load()
	if r.method == methodCall && isOwnTool(r.name) {
		s.callOwn(r, line)
		return
	}
	if r.method.listing() {
		s.admitListing(v, r, line)
		return
	}
	if why := s.judge(v, r); why != refusal.None {
		s.checks.poke(v)
		s.refuse(r, why)
		return
	}
	if code := s.releasedFor(r, now); code != "" {
		s.beside(r, func() { s.handOver(r, code, true) })
		return
	}
	if r.method == methodCall || r.method == methodTask {
		r.need = s.checks.beside(v, now)
	}
	s.forward(r, line)
}

// judge decides about a client's request that is neither a listing nor plain: docs/relay.md, "What a client may ask for".
func (s *Session) judge(v *view, r *request) refusal.Reason {
	switch {
	case v.state.Revision == 0:
		return refusal.NoHub
	case v.state.Blocked:
		return refusal.Blocked
	case !v.open():
		return v.shut()
	case !v.verified:
		return refusal.Unverified
	}
	switch r.method {
	case methodCall, methodGetPrompt, methodComplete:
		if v.allows(r.item) {
			return refusal.None
		}
		return v.whyNot(r.item)
	case methodResource:
		if v.allowsResource(r.name) {
			return refusal.None
		}
		return v.whyNot(r.item)
	case methodTask:
		if r.item == "" {
			return refusal.Unknown
		}
		if v.allows(r.item) {
			return refusal.None
		}
		return v.whyNot(r.item)
	case methodListTasks, methodOther:
		return refusal.None
	}
	return refusal.Unknown
}

// whyNot names the reason for which an item of an open server is not served.
func (v *view) whyNot(key string) refusal.Reason {
	item, known := v.state.Items[key]
	if v.seen == nil {
		return refusal.Unverified
	}
	_, declared := v.seen.digests[key]
	switch {
	case !known:
		return refusal.Unknown
	case v.seen.unread[key]:
		return refusal.Unread
	case v.seen.withheld[key]:
		return refusal.Withheld
	case item.State == "rejected":
		return refusal.Rejected
	case item.State == "removed" || !declared && item.State != "new":
		return refusal.Removed
	case item.State == "new":
		return refusal.New
	default:
		return refusal.Changed
	}
}

// forward sends a request on its way, registered first so that its answer finds it.
func (s *Session) forward(r *request, line []byte) {
	inFlight := s.calls.add(r)
	if inFlight == 0 {
		s.client.Enqueue(errorLine(r.id, -32600, "[Sallyport] a request with this id is still in flight", nil))
		return
	}
	s.crowd.see(inFlight, r.started)
	if err := s.server.Write(line); err != nil {
		time.AfterFunc(endsSoon, func() { s.untaken(r) })
	}
}

// endsSoon is how long a server that takes no lines may take to end: then its requests are told how it ended (AnswerAll).
const endsSoon = time.Second

// untaken answers a request that the server did not take and lives on.
func (s *Session) untaken(r *request) {
	if s.calls.take(r.id) != nil {
		s.client.Enqueue(errorLine(r.id, -32000, "[Sallyport] the server takes no more requests", nil))
		s.journal.answered(r, "error", 0)
	}
}

// refuse answers a request that did not reach the server in our words, and records it.
func (s *Session) refuse(r *request, why refusal.Reason) { s.refuseIn(r, why, false) }

// refuseAnswer is refuse for a request whose answer came: the words do not say that nothing was run.
func (s *Session) refuseAnswer(r *request, why refusal.Reason) { s.refuseIn(r, why, true) }

func (s *Session) refuseIn(r *request, why refusal.Reason, ran bool) {
	v := s.view.Load()
	sub := s.subjectIn(v, r)
	sub.Ran = ran
	text, d := refusal.Of(why, sub, v.state)
	s.client.Enqueue(refusalLine(r.id, r.method, text, d))
	s.journal.refused(r, why, d, ran)
}

func (s *Session) subjectIn(v *view, r *request) refusal.Subject {
	sub := refusal.Subject{Item: r.item, Name: r.name, Noun: "request"}
	switch r.method {
	case methodCall:
		sub.Noun = "tool"
		if v.seen != nil {
			sub.Ordinal = v.seen.ordinal[r.item]
		}
	case methodGetPrompt:
		sub.Noun = "prompt"
	case methodResource:
		sub.Noun = "resource"
	case methodComplete:
		sub.Noun = "resource"
		if hasKind(r.item, pin.Prompt) {
			sub.Noun = "prompt"
		}
	case methodTask:
		sub.Noun = "task"
	}
	return sub
}

func (s *Session) clientNotification(line []byte, m *frame.Message) {
	switch string(m.Method) {
	case "notifications/initialized":
		if !s.parkedInitialized() {
			s.server.Write(line)
		}
		s.life.initialized.Store(true)
		s.checks.begin()
	case "notifications/cancelled":
		s.cancel(line, m)
	case "notifications/progress", "notifications/roots/list_changed":
		// Progress belongs to a request of the server, which only an open server gets through; roots are the person's own
		// folders, which a server that nobody has reviewed is not told.
		if s.view.Load().open() {
			s.server.Write(line)
		}
	default:
		if methodOf(m.Method) != methodOther || !s.view.Load().open() {
			s.journal.dropped("a notification from the client that needs a response, or for a server that is blocked")
			return
		}
		s.server.Write(line)
	}
}

// cancel passes a cancellation on for a request that reached the server, at once; one that never got there is swallowed
// (T16 in docs/relay.md).
func (s *Session) cancel(line []byte, m *frame.Message) {
	span, ok := frame.Find(line, m.Params, "requestId")
	if !ok {
		return
	}
	id := span.Of(line)
	if s.gate.drop(id) {
		return
	}
	if r := s.checks.dropHeld(id); r != nil {
		s.journal.answered(r, "error", 0) // it ran, and the timeline says so
		return
	}
	r := s.calls.peek(id)
	if r == nil || r.own != nil || r.method == methodInitialize {
		return
	}
	s.server.Write(line)
}

// clientAnswer passes the client's answer to the one request of the server it answers.
func (s *Session) clientAnswer(line []byte, m *frame.Message) {
	asked := s.asks.take(m.ID.Of(line))
	if asked == nil {
		s.journal.dropped("a response from the client that nothing asked for")
		return
	}
	if v := s.view.Load(); asked.method != methodPlain && !v.open() {
		// It was blocked while the client thought about it: what the person or the model said is no longer for this server.
		text, d := refusal.Of(v.shut(), refusal.Subject{Noun: "request"}, v.state)
		s.server.Enqueue(errorLine(asked.id, CodeRefused, text, d.Append(nil)))
		s.journal.askEnded(asked, outcome{status: "blocked", code: d.Code})
		s.journal.dropped("a response from the client to a server that is now blocked")
		return
	}
	s.server.Write(line)
	s.journal.askEnded(asked, answeredAsk(asked.asked.kind, line, m))
}
