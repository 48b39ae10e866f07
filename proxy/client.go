package proxy

import (
	"bytes"
	"errors"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// fromClient handles one line of the client. It keeps reading even if the server no longer takes lines: each request is still answered.
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
		s.clientResponse(line, m)
	}
}

// clientUnreadable answers a line that is ambiguous or not a message. A broken response to a request of the server ends that request.
func (s *Session) clientUnreadable(line []byte, err error) {
	code, why := -32600, err.Error()
	var problem *frame.Problem
	if errors.As(err, &problem) {
		code, why = problem.Code, problem.Reason
	}
	id, _ := frame.FindID(line)
	if id != nil && !bytes.Contains(line, []byte(`"method"`)) {
		if asked := s.asks.take(id); asked != nil {
			s.journal.askEnded(asked, outcome{status: vocab.StatusError, action: askUnreadable})
			s.server.Enqueue(errorLine(asked.id, -32603, "[Sallyport] the client's response can't be read: "+why, nil))
			return
		}
	}
	s.journal.refusedLine(vocab.ModeAlways, "client", why)
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
		s.checks.Shown.Ask(r.method.list())
	}
	if s.park.parkedRequest(r, line, m) {
		return
	}
	switch r.method {
	case methodInitialize:
		s.handshake.rememberClient(line, m, r.id)
		s.handshake.rememberVersion(line, m)
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
		s.handshake.refuseApart(r, line)
		return
	}
	if s.entrance.hold(r, line) {
		return
	}
	s.admit(r, line, r.started)
}

// admit forwards a request or refuses it, by the current view. now is the current time.
func (s *Session) admit(r *request, line []byte, now time.Time) {
	v := s.view()
	if r.early {
		kind := pin.Prompt
		if r.method == methodCall {
			kind = pin.Tool
		}
		r.means(v, kind, r.said)
	}
	if r.method == methodCall && isOwnTool(r.name) {
		s.tools.callOwn(r, line)
		return
	}
	if r.method == methodCall && maySaySanitize(line) {
		if line = s.takeWish(v, r, line); line == nil {
			return
		}
	}
	if r.method.listing() {
		s.listings.admitListing(v, r, line)
		return
	}
	r.keepPayload(v.PolicyOf(r.item))
	if why := judge(v, r); why != refusal.None {
		s.checks.Poke(v)
		s.refuse(r, why)
		return
	}
	if code := s.quarantine.releasedFor(r, now); code != "" {
		s.beside(r, func() { s.quarantine.deliverReleased(r, code, true) })
		return
	}
	if r.method == methodCall || r.method == methodTask {
		r.need = s.checks.Beside(v, now)
	}
	if r.alias {
		line = r.renamed(line, r.name, "params")
	}
	s.forward(r, line)
}

func (s *Session) clientNotification(line []byte, m *frame.Message) {
	switch string(m.Method) {
	case "notifications/initialized":
		if !s.park.parkedInitialized() {
			s.server.Write(line)
		}
		s.life.initialized.Store(true)
		s.checks.Begin()
	case "notifications/cancelled":
		s.cancel(line, m)
	case "notifications/progress", "notifications/roots/list_changed":
		// Progress belongs to a request of the server, which only an open server can send; roots are the person's own folders, which an
		// unreviewed server is not told.
		if s.view().Open() {
			s.server.Write(line)
		}
	default:
		if methodOf(m.Method) != methodOther || !s.view().Open() {
			s.journal.dropped("a notification from the client that needs a response, or for a server that is blocked")
			return
		}
		s.server.Write(line)
	}
}

// cancel forwards a cancellation at once if the request reached the server, and swallows it otherwise (T16 in docs/relay.md).
func (s *Session) cancel(line []byte, m *frame.Message) {
	span, ok := frame.Find(line, m.Params, "requestId")
	if !ok {
		return
	}
	id := span.Of(line)
	if s.entrance.drop(id) {
		return
	}
	if r := s.checks.DropHeld(id); r != nil {
		s.journal.answered(r.(*request), vocab.StatusError, 0) // it ran, and the timeline says so
		return
	}
	r := s.calls.peek(id)
	if r == nil || r.own != nil || r.method == methodInitialize {
		return
	}
	s.server.Write(line)
}

// clientResponse passes the client's response to the one request of the server that it answers.
func (s *Session) clientResponse(line []byte, m *frame.Message) {
	asked := s.asks.take(m.ID.Of(line))
	if asked == nil {
		s.journal.dropped("a response from the client that nothing asked for")
		return
	}
	if v := s.view(); asked.method != methodPlain && !v.Open() {
		// The server was blocked meanwhile: it no longer gets the person's or the model's words.
		text, d := refusal.Of(v.Shut(), refusal.Subject{Noun: "request"}, v.State)
		s.server.Enqueue(errorLine(asked.id, CodeRefused, text, d.Append(nil)))
		s.journal.askEnded(asked, outcome{status: vocab.StatusBlocked, code: d.Code})
		s.journal.dropped("a response from the client to a server that is now blocked")
		return
	}
	s.server.Write(line)
	s.journal.askEnded(asked, askOutcome(asked.asked.kind, line, m))
}
