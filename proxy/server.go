package proxy

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// fromServer handles one line of the server. An error means that the client no longer reads.
func (s *Session) fromServer(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	m := &s.sm
	if err := frame.Scan(line, frame.FromServer, m); err != nil {
		if rest, cut := s.withoutDoubled(line, err, m); rest != nil {
			return s.serverResponse(rest, m, cut)
		}
		if framing := foreign(&s.strangers.serverSpoke, line); framing != "" {
			s.framedServer(framing, line)
			return nil
		}
		why := err.Error()
		var problem *frame.Problem
		if errors.As(err, &problem) {
			why = problem.Reason
		}
		id, _ := frame.FindID(line)
		s.unreadable(vocab.ModeAlways, id, line, why)
		if id == nil {
			s.behindText(line)
		}
		if batch := frame.Batch(line); len(batch) > 0 {
			s.strangers.notice(saysBatches)
			s.unansweredBatch(batch, why)
		}
		return nil
	}
	heard(&s.strangers.serverSpoke)
	switch m.Kind {
	case frame.Request:
		return s.serverRequest(line, m)
	case frame.Notification:
		return s.serverNotification(line, m)
	default:
		return s.serverResponse(line, m, nil)
	}
}

// unreadable records a line that is not a message; it is never delivered. If it answers a request, that request gets an error at once; if
// it looks like a request of the server, the server gets one.
func (s *Session) unreadable(mode string, id, line []byte, why string) {
	s.journal.refusedLine(mode, "server", why)
	if line != nil {
		s.cfg.Stray(line)
	}
	if id != nil {
		s.unanswered(id, bytes.Contains(line, []byte(`"method"`)), len(line), why)
	}
}

// textGrace is how long a response may take after a line that seems to quote it.
const textGrace = 500 * time.Millisecond

// behindText reports an error to the request whose response seems to come after a piece of text on one line, unless the response itself
// arrives: some servers log what they send.
func (s *Session) behindText(line []byte) {
	id, ok := frame.ResponseBehindText(line)
	if !ok {
		return
	}
	r, size := s.calls.peek(id), len(line)
	if r == nil || r.own != nil {
		return // our own listing requests are repeated anyway
	}
	time.AfterFunc(textGrace, func() {
		if s.calls.takeIf(r) {
			s.lost(r, size, "there is text before it")
		}
	})
}

// unansweredBatch is unanswered for every message in a batch.
func (s *Session) unansweredBatch(batch []frame.Found, why string) {
	for _, m := range batch {
		if m.ID != nil {
			s.unanswered(m.ID, m.HasMethod, 0, why)
		}
	}
}

// unanswered reports an error to the request that an unreadable line would have answered. asks: it may be a request of the server.
func (s *Session) unanswered(id []byte, asks bool, size int, why string) {
	if asks && s.calls.peek(id) == nil {
		s.answerServer(errorLine(id, -32600, "[Sallyport] the message was blocked: "+why, nil))
		return
	}
	if r := s.unansweredCall(id); r != nil {
		s.lost(r, size, why)
	}
}

// unansweredCall takes the request with an id that gets no response. One of ours is ended; one of the client's is returned.
func (s *Session) unansweredCall(id []byte) *request {
	r := s.calls.take(id)
	switch {
	case r == nil:
	case r.method == methodListen: // ours: the client's reach no server
		s.listens.ended(r.id, true)
	case r.own != nil:
		r.own <- nil
	default:
		return r
	}
	return nil
}

// undelivered ends a request that gets no response. One that was not run, because a remote server has forgotten the session, waits until what the
// server declares now has been judged, and is then sent again or refused.
func (s *Session) undelivered(u *frame.Undelivered) {
	if u.Line != nil && !u.SignIn { // whoever it is that learns of the new session
		s.entrance.shut()
	}
	r := s.unansweredCall(u.ID)
	switch {
	case r == nil:
	case u.SignIn:
		s.unsigned(r, u)
	case u.Line == nil:
		s.failed(r, -32000, 0, u.Why)
	default:
		if !s.entrance.hold(r, u.Line) {
			s.admit(r, u.Line, time.Now())
		}
	}
}

// lost tells the client that its request has no deliverable response.
func (s *Session) lost(r *request, size int, why string) {
	s.failed(r, -32603, size, "the server's response was blocked: "+why)
}

// failed gives a request of the client an error in our words.
func (s *Session) failed(r *request, code, size int, why string) {
	if r.method == methodInitialize {
		s.handshake.notInitialized()
	}
	s.client.Enqueue(errorLine(r.id, code, "[Sallyport] "+why, nil))
	s.journal.answered(r, vocab.StatusError, size)
}

func (s *Session) serverRequest(line []byte, m *frame.Message) error {
	id := m.ID.Of(line)
	v := s.view()
	if s.inModern() { // servers ask by input_required there ("stdio", specification of 2026-07-28)
		s.journal.dropped("a request from the server, which the protocol's modern era has none of")
		return nil
	}
	if s.unspeakable(v, m) {
		s.answerServer(errorLine(id, -32600, "[Sallyport] the message was blocked: "+whyUnspeakable, nil))
		return nil
	}
	plain := string(m.Method) == "ping"
	bare := plain && (!v.Open() || (!m.Params.Empty() || s.saysMore(line, m)) && !s.harmless(line))
	if bare && sentence(id) {
		s.answerServer(append(appendHead(nil, id), ",\"result\":{}}\n"...))
		return nil
	}
	if !plain && !v.Open() {
		text, d := refusal.Of(v.Shut(), refusal.Subject{Noun: "request"}, v.State)
		s.answerServer(errorLine(id, CodeRefused, text, d.Append(nil)))
		s.journal.refusedAsk(string(m.Method), d)
		s.journal.asks.note(&s.journal, askedOf(m.Method, line), outcome{status: vocab.StatusBlocked, code: d.Code}, time.Now())
		return nil
	}
	if !plain && s.interactions.refusesAsk(v, line, m) {
		return nil
	}
	r := &request{id: bytes.Clone(id), asked: askedOf(m.Method, line), started: time.Now()}
	if plain {
		r.method = methodPlain
	}
	if s.asks.add(r) == 0 {
		s.journal.askEnded(r, outcome{status: vocab.StatusBlocked})
		s.answerServer(takenLine(r.id))
		return nil
	}
	if bare { // in the protocol's own words
		return s.client.Write(append(appendHead(nil, r.id), ",\"method\":\"ping\"}\n"...))
	}
	return s.toClient(s.withoutOurs(line, m))
}

// inModern reports whether the server is held to the words of the modern era: it was greeted in it, or the client has begun in it and the
// greeting is still to come.
func (s *Session) inModern() bool {
	now := s.era()
	return now == eraModern || now == eraNone && s.eras.meta.Load() != nil && !s.life.asked.Load()
}

// sentence reports whether an id chosen by the server could carry words: a string that is not a name, or a compound value. A ping with such
// an id is answered here if the words may not pass.
func sentence(id []byte) bool {
	return id[0] == '{' || id[0] == '[' || id[0] == '"' && legible.Name(string(id[1:len(id)-1]), "") == ""
}

func (s *Session) serverNotification(line []byte, m *frame.Message) error {
	if s.unspeakable(s.view(), m) {
		return nil
	}
	if s.inModern() {
		forward, done := s.listens.takes(line, m)
		if done {
			return nil
		}
		if len(forward) != len(line) || !bytes.Equal(forward, line) {
			line = forward
			if frame.Scan(line, frame.FromServer, m) != nil {
				return nil
			}
		}
	}
	switch string(m.Method) {
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		s.checks.Changed(string(m.Method))
		return nil
	case "notifications/cancelled":
		// It is no longer in flight: the server has said that it won't read the response.
		span, ok := frame.Find(line, m.Params, "requestId")
		var asked *request
		if ok {
			asked = s.asks.take(span.Of(line))
		}
		if asked == nil {
			s.journal.dropped("a cancellation from the server for a request that is not running")
			return nil
		}
		s.journal.askEnded(asked, outcome{status: vocab.StatusError, action: askWithdrawn})
		if !s.view().Open() || !s.interactions.passesNotification(line, m) { // without its reason, which is the server's own text
			only := append([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), span.Of(line)...)
			return s.client.Write(append(only, "}}\n"...))
		}
		return s.toClient(s.withoutOurs(line, m))
	}
	if !s.view().Open() {
		s.journal.dropped("a notification from a server you haven't reviewed")
		return nil
	}
	if bytes.HasPrefix(m.Method, []byte("notifications/events/")) {
		s.strangers.notice(saysEvents)
		s.journal.dropped("an event from the server; events are not supported yet (SP-225)")
		return nil
	}
	if isTaskNotice(m.Method) {
		return s.notices.tell(line, m, s.deliverNotice)
	}
	if !s.interactions.passesNotification(line, m) {
		return nil
	}
	return s.toClient(s.withoutOurs(line, m))
}

// deliverNotice gives the client what was told of a task. In the modern era only its streams are told.
func (s *Session) deliverNotice(id string, line []byte) error {
	if values := s.saidBeside(line); values != nil {
		s.came.tell([]control.Values{*values})
	}
	if s.inModern() {
		return s.listens.tellTask(id, line)
	}
	return s.client.Write(line)
}

// serverResponse passes a response to the one request with the same id by type and value, once. unread are definitions that were cut out of
// it as ambiguous.
func (s *Session) serverResponse(line []byte, m *frame.Message, unread [][]byte) error {
	r := s.calls.take(m.ID.Of(line))
	if r == nil {
		s.journal.dropped("a response from the server that nothing asked for")
		return nil
	}
	s.serving, r.unread = r, unread
	switch {
	case r.own != nil && r.method == methodListen:
		s.listens.ended(r.id, m.Kind == frame.Result)
		return nil
	case r.own != nil:
		r.own <- bytes.Clone(line)
		return nil
	case r.modern && r.method.asksNothing() && (isInterim(line, m.ResultType) || !m.InputRequests.Empty()):
		s.lost(r, len(line), "it asks for input, which only responses to calls, prompts and reads can")
		return nil
	}
	if m.Kind == frame.Result {
		s.eras.answered(r)
	}
	switch {
	case r.method == methodDiscover:
		return s.discovery.answer(r, line, m)
	case r.method == methodInitialize:
		return s.handshake.answerInitialize(r, line, m)
	case r.method == methodPlain:
		return s.answerPlain(r, line, m)
	case r.method.listing():
		return s.listings.answerListing(r, line)
	case r.method.skill():
		return s.skills.answer(r, line)
	}
	r.failed = isFailure(line, m)
	if id, lasts := taskIn(r, line, m); id != "" {
		s.tasks.made(r, id, lasts)
	}
	if m.Kind == frame.Result {
		r.body = m.Result
		r.interim = r.modern && isInterim(line, m.ResultType)
		r.asks = r.modern && !m.InputRequests.Empty()
	}
	if len(m.Ours) > 0 {
		r.body, r.imitates = frame.Span{}, true
		line = s.withoutOurs(line, m)
	}
	if r.method == methodListTasks {
		r.body = frame.Span{} // without some of the tasks it will be another
	}
	s.skillReads.arrived(r, line)
	if s.checks.Keep(r, line) {
		return nil
	}
	return s.deliver(r, line)
}

// deliver passes a response on that waits for no check.
func (s *Session) deliver(r *request, line []byte) error {
	switch {
	case r.task != nil:
		return s.tasks.keep(r, line, s.responses.deliver)
	case r.method == methodListTasks:
		return s.tasks.cutList(r, line, s.responses.deliver)
	default:
		return s.responses.deliver(r, line)
	}
}

// answerPlain passes the acknowledgement of a ping or of logging/setLevel. From an unreviewed server, neither the words of an error nor the
// content of an acknowledgement pass.
func (s *Session) answerPlain(r *request, line []byte, m *frame.Message) error {
	if s.view().Open() && s.harmlessError(line) {
		return s.toClient(s.withoutOurs(line, m))
	}
	if m.Kind == frame.Result {
		return s.client.Write(resultLine(r, []byte("{}")))
	}
	return s.client.Write(blandError(r, line, m))
}

// isInterim reports whether a result's type says that it is not complete. A parser that ignores case reads "Complete" as complete.
func isInterim(line []byte, resultType frame.Span) bool {
	if resultType.Empty() || frame.Type(line, resultType) != '"' {
		return false
	}
	text, _ := frame.String(line, resultType)
	return !strings.EqualFold(text, "complete")
}

// isFailure reports whether a response is a protocol error or a result with isError.
func isFailure(line []byte, m *frame.Message) bool {
	if m.Kind == frame.Error {
		return true
	}
	if m.Keys&frame.KeyIsError == 0 {
		return false
	}
	span, ok := frame.Find(line, m.Result, "isError")
	return ok && string(span.Of(line)) == "true"
}
