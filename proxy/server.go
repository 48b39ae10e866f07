package proxy

import (
	"bytes"
	"errors"
	"time"

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
		s.unansweredBatch(frame.Batch(line), why)
		return nil
	}
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
	r := s.calls.take(id)
	switch {
	case r == nil:
	case r.own != nil:
		r.own <- nil
	default:
		s.lost(r, size, why)
	}
}

// lost tells the client that its request has no deliverable response.
func (s *Session) lost(r *request, size int, why string) {
	if r.method == methodInitialize {
		s.handshake.notInitialized()
	}
	s.client.Enqueue(errorLine(r.id, -32603, "[Sallyport] the server's response was blocked: "+why, nil))
	s.journal.answered(r, vocab.StatusError, size)
}

func (s *Session) serverRequest(line []byte, m *frame.Message) error {
	id := m.ID.Of(line)
	v := s.view()
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
		s.answerServer(errorLine(r.id, -32600, "[Sallyport] a request with this id is still in flight", nil))
		return nil
	}
	if bare { // in the protocol's own words
		return s.client.Write(append(appendHead(nil, r.id), ",\"method\":\"ping\"}\n"...))
	}
	return s.toClient(s.withoutOurs(line, m))
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
	if !s.interactions.passesNotification(line, m) {
		return nil
	}
	return s.toClient(s.withoutOurs(line, m))
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
	case r.own != nil:
		r.own <- bytes.Clone(line)
		return nil
	case r.method == methodInitialize:
		return s.handshake.answerInitialize(r, line, m)
	case r.method == methodPlain:
		return s.answerPlain(r, line, m)
	case r.method.listing():
		return s.listings.answerListing(r, line)
	}
	r.failed = isFailure(line, m)
	s.tasks.remember(r, line, m)
	if m.Kind == frame.Result {
		r.body = m.Result
	}
	if len(m.Ours) > 0 {
		r.body, r.imitates = frame.Span{}, true
		line = s.withoutOurs(line, m)
	}
	if r.method == methodListTasks {
		r.body = frame.Span{}
		line = s.tasks.withoutForeignTasks(line)
	}
	if s.checks.Keep(r, line) {
		return nil
	}
	return s.responses.deliver(r, line)
}

// answerPlain passes the acknowledgement of a ping or of logging/setLevel. From an unreviewed server, neither the words of an error nor the
// content of an acknowledgement pass.
func (s *Session) answerPlain(r *request, line []byte, m *frame.Message) error {
	if s.view().Open() && s.harmlessError(line) {
		return s.toClient(s.withoutOurs(line, m))
	}
	if m.Kind == frame.Result {
		return s.client.Write(resultLine(r.id, []byte("{}")))
	}
	return s.client.Write(blandError(r, line, m))
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
