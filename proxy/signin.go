package proxy

import (
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// newStandby is a park for a server that is there, and may want a sign-in.
func newStandby(h *handshake) *park {
	p := newPark(h, nil)
	p.parked, p.version = false, `"not signed in"`
	return p
}

// unsigned handles a request that the server refused for want of a sign-in. Before the server has said anything of itself, the session is parked
// until a person has signed in; later, the request is refused.
func (s *Session) unsigned(r *request, u *frame.Undelivered) {
	if s.parkUnsigned() && s.parkedAgain(r, u.Line) {
		return
	}
	if r.method == methodInitialize {
		s.handshake.notInitialized()
	}
	v := s.view()
	state := *v.State
	state.SignIn.Code = u.Code
	text, d := refusal.Of(refusal.SignIn, s.subjectIn(v, r), &state)
	s.client.Enqueue(refusalLine(r, text, d))
	s.journal.refused(r, refusal.SignIn, d, false)
}

// parkUnsigned parks a session whose server wants a sign-in before it says anything of itself, and reports whether it is parked.
func (s *Session) parkUnsigned() bool {
	if !s.cfg.Gate.State().SignIn.Wanted || s.life.answered.Load() || s.life.discovered.Load() {
		return s.park.holds()
	}
	if !s.view().State.SignIn.Wanted { // the hub's word came with the refusal, and is still to be taken in
		s.checks.Rebuild(nil, nil)
	}
	s.park.mu.Lock()
	was := s.park.parked
	s.park.parked = true
	s.park.mu.Unlock()
	if was {
		return true
	}
	for _, w := range s.entrance.takeAll() {
		if !s.parkedAgain(w.r, w.line) {
			s.refuse(w.r, refusal.SignIn)
		}
	}
	go s.park.meet(s.ctx)
	return true
}

// parkedAgain is parkedRequest for a request that was read before.
func (s *Session) parkedAgain(r *request, line []byte) bool {
	var m frame.Message
	return frame.Scan(line, frame.FromClient, &m) == nil && s.park.parkedRequest(r, line, &m)
}
