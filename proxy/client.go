package proxy

import (
	"bytes"
	"errors"
	"time"

	"github.com/sallyport/sallyport/proxy/declared"
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
		if framing := foreign(&s.strangers.clientSpoke, line); framing != "" {
			s.strangers.framedClient(framing)
			return
		}
		s.clientUnreadable(line, err)
		return
	}
	heard(&s.strangers.clientSpoke)
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
	if id != nil && !bytes.Contains(line, []byte(`"method"`)) && s.badResponse(id, why) {
		return
	}
	s.journal.refusedLine(vocab.ModeAlways, "client", why)
	if !s.refusesBatch(frame.Batch(line), code, why) {
		s.client.Enqueue(errorLine(id, code, "[Sallyport] the message was blocked: "+why, nil))
	}
}

// badResponse ends the request of the server that an unreadable line would have answered, if there is one.
func (s *Session) badResponse(id []byte, why string) bool {
	asked := s.asks.take(id)
	if asked == nil {
		return false
	}
	s.journal.askEnded(asked, outcome{status: vocab.StatusError, action: askUnreadable})
	s.server.Enqueue(errorLine(asked.id, -32603, "[Sallyport] the client's response can't be read: "+why, nil))
	return true
}

// refusesBatch answers every request in a batch of the client, and ends those of the server that it answers. It reports whether there were any of either.
func (s *Session) refusesBatch(batch []frame.Found, code int, why string) (answered bool) {
	for _, m := range batch {
		switch {
		case m.ID == nil:
		case m.HasMethod:
			s.client.Enqueue(errorLine(m.ID, code, "[Sallyport] the message was blocked: "+why, nil))
			answered = true
		default:
			answered = s.badResponse(m.ID, why) || answered
		}
	}
	return answered
}

func (s *Session) clientRequest(line []byte, m *frame.Message) {
	r := &request{method: methodOf(m.Method), started: time.Now()}
	r.id = r.store(m.ID.Of(line))
	if s.inOtherEra(r, line, m) {
		return
	}
	if r.method.listing() {
		s.checks.Shown.Ask(r.method.list())
	}
	if s.park.parkedRequest(r, line, m) {
		return
	}
	switch r.method {
	case methodDiscover:
		s.discovery.discover(r, line)
		return
	case methodInitialize:
		s.handshake.rememberClient(line, m, r.id)
		s.handshake.rememberVersion(line, m)
		s.life.asked.Store(true)
		s.forward(r, line)
		return
	case methodPlain:
		if r.modern && s.era() != eraModern { // no request reaches a server that may speak the legacy era alone
			held := s.entrance.hold(r, line)
			s.discovery.begin()
			if held {
				return
			}
		}
		s.forward(r, line)
		return
	}
	s.subjectOf(r, line, m)
	r.keep(line, m, s.eras.rest)
	if !r.modern && !s.life.asked.Load() {
		s.refuse(r, refusal.Uninitialized)
		return
	}
	if !s.life.wentOn.Load() {
		s.life.wentOn.Store(true)
	}
	if !r.modern && s.life.apart.Load() {
		s.handshake.refuseApart(r, line)
		return
	}
	if r.modern && r.method == methodListen && !asksForItems(line, m.Params) {
		s.listens.add(s.view(), r, line)
		s.discovery.begin()
		return
	}
	held := s.entrance.hold(r, line)
	if r.modern {
		s.discovery.begin()
	}
	if held {
		s.listens.hasten(r)
		return
	}
	s.admit(r, line, r.started)
}

// admit forwards a request or refuses it, by the current view. now is the current time.
func (s *Session) admit(r *request, line []byte, now time.Time) { s.admitBy(s.view(), r, line, now) }

// admitBy is admit by one view.
func (s *Session) admitBy(v *declared.View, r *request, line []byte, now time.Time) {
	if r.modern && s.eras.settled() == eraLegacy { // it waited, and initialize was answered first
		s.discovery.refuseEra(r)
		return
	}
	if r.method == methodPlain {
		s.forward(r, line)
		return
	}
	if r.method == methodListen {
		s.tasks.listed(r, line, func(line []byte) { s.listens.add(s.view(), r, line) })
		return
	}
	if r.early {
		kind := pin.Prompt
		if r.method == methodCall {
			kind = pin.Tool
		}
		r.means(v, kind, r.said)
	}
	if r.method == methodCall && isOwnTool(r.name) {
		s.eras.answered(r)
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
	concernsSkill(v, r)
	r.keepPayload(v.PolicyOf(r.item))
	switch why := judge(v, r); why {
	case refusal.None:
	case refusal.NoTask:
		s.tasks.seek(r, line, s.admit)
		return
	default:
		check := s.skillReads.named(v, r, why)
		s.checks.Poke(v)
		if r.method == methodResource {
			check = max(check, s.checks.AskedForPage(r.name))
		}
		if why == refusal.Unknown && !r.awaited && s.checks.Await(r, line, check) {
			return // until there is an item, which the refusal then names
		}
		s.refuse(r, why)
		return
	}
	if code := s.quarantine.releasedFor(r, now); code != "" {
		s.beside(r, func() { s.quarantine.deliverReleased(r, code, true) })
		return
	}
	call, asks := s.asked.asks(v, r, line)
	if asks {
		s.asked.ask(v, r, line, call, s.admitBy)
		return
	}
	switch {
	case r.method == methodCall:
		s.came.say(r.item, call.said)
	case s.came.on(v.PolicyOf(r.item)):
		s.came.saying(r.item, line)
	}
	if r.method == methodCall || r.method == methodTask {
		r.need = s.checks.Beside(v, now)
	}
	s.interactions.answered(r, line)
	if r.alias {
		line = r.renamed(line, r.name, "params")
	}
	s.forward(r, line)
}

func (s *Session) clientNotification(line []byte, m *frame.Message) {
	switch string(m.Method) {
	case "notifications/initialized":
		if s.eras.settled() == eraModern {
			s.journal.dropped("a notification that the client has initialized, in the era that has no initialize")
			return
		}
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
	if s.entrance.drop(id) || s.listens.drop(id) || s.tasks.sought.take(id) != nil || s.asked.sought.take(id) != nil {
		return
	}
	if r, sent := s.checks.DropHeld(id); r != nil {
		if sent {
			s.journal.answered(r.(*request), vocab.StatusError, 0) // it ran, and the timeline says so
		}
		return
	}
	r := s.calls.peek(id)
	if r == nil || r.own != nil || r.method == methodInitialize {
		return
	}
	if r.modern && s.calls.takeIf(r) { // its response, which the specification forbids, is dropped
		s.late.expect(r)
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
