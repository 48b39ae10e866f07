package remote

import (
	"context"
	"net/http"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
)

// maxSessionID is the longest session id that is taken.
const maxSessionID = 4 << 10

// begins takes the session id of a response to initialize. Its characters are those of the specification ("Session Management"): visible ASCII.
func (s *Server) begins(m *message, id string) bool {
	for _, c := range []byte(id) {
		if c < 0x21 || c > 0x7e {
			s.fail(m, s.host()+" gave a session id with characters that none may have")
			return false
		}
	}
	if len(id) > maxSessionID {
		s.fail(m, s.host()+" gave a session id of more than 4 KiB")
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.swallow != nil { // it counts once the handshake is over
		s.next = id
	} else {
		s.now.id = id
	}
	return true
}

// greeted takes the version that was negotiated out of the response to initialize.
func (s *Server) greeted(m *message, line []byte) {
	if m.method != "initialize" {
		return
	}
	if version := versionIn(line); version != "" && m.swallow == nil {
		s.mu.Lock()
		s.now.version = version
		s.mu.Unlock()
	}
}

func versionIn(line []byte) string {
	var got frame.Message
	if frame.Scan(line, frame.FromServer, &got) != nil || got.Result.Empty() {
		return ""
	}
	if span, ok := frame.Find(line, got.Result, "protocolVersion"); ok && frame.Type(line, span) == '"' {
		version, _ := frame.String(line, span)
		return version
	}
	return ""
}

// forgotten handles a server that no longer knows the session: a new one is begun with the client's own words, and the request goes back to the
// caller, who looks at what the server declares before sending it again, once.
func (s *Server) forgotten(m *message) {
	if m.kind != frame.Request || m.swallow != nil {
		s.fail(m, s.host()+" has forgotten the session")
		return
	}
	why := s.renew(m.generation)
	if why == "" && s.isRenewed(m) {
		why = s.host() + " forgets each session"
	}
	if why != "" {
		s.fail(m, why+"; the request was not run")
		return
	}
	s.goesBack(m, " has forgotten the session")
}

// isRenewed reports whether a request came back before, and notes that it does now.
func (s *Server) isRenewed(m *message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.renewed[m.key]
	s.renewed[m.key] = true
	return was
}

// goesBack returns a request that was not run.
func (s *Server) goesBack(m *message, why string) {
	if s.take(m) {
		s.put(item{err: &frame.Undelivered{ID: m.id, Why: s.host() + why + "; the request was not run", Line: append(m.line, '\n')}})
	}
}

// renew begins a new session in place of one, unless that was done already. It says why it could not.
func (s *Server) renew(generation int) (why string) {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	s.mu.Lock()
	if s.now.generation != generation {
		s.mu.Unlock()
		return ""
	}
	was, kind := s.now, s.kind
	s.mu.Unlock()
	if was.initialize == nil {
		return s.host() + " has forgotten the session"
	}
	line, why := s.ask(was.initialize, kind)
	if why != "" {
		return why
	}
	if versionIn(line) != was.version {
		return s.host() + " speaks another version of the protocol now; restart the client"
	}
	s.inbox.renew()
	s.mu.Lock()
	s.now.id = s.next
	s.now.generation++
	if s.stream != nil {
		s.stream.fresh = false
	}
	s.mu.Unlock()
	if was.initialized != nil {
		m := messageOf(was.initialized)
		m.ctx, m.cancel = context.WithCancel(s.ctx)
		m.swallow = func([]byte, string) {} // it is ours
		s.send(m, kind)
	}
	for _, m := range was.restore {
		_, _ = s.ask(m.line, kind)
	}
	if kind == Streamable {
		s.listen()
	}
	return ""
}

// ask sends a message of ours and waits for the response to it.
func (s *Server) ask(line []byte, kind Kind) (response []byte, why string) {
	m := messageOf(line)
	m.ctx, m.cancel = context.WithCancel(s.ctx)
	defer m.cancel()
	got := make(chan struct{})
	m.swallow = func(line []byte, no string) {
		response, why = line, no
		close(got)
	}
	if why := s.register(m); why != "" {
		return nil, why
	}
	go s.send(m, kind)
	select {
	case <-got:
		return response, why
	case <-time.After(startLimit):
	case <-s.ctx.Done():
	}
	if s.take(m) {
		return nil, s.host() + " did not begin a new session in time"
	}
	<-got
	return response, why
}

// leave tells the server that the session has ended (specification, "Session Management"). The result does not matter.
func (s *Server) leave() {
	s.mu.Lock()
	id := s.now.id
	s.mu.Unlock()
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastCalls)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, s.o.Address.String(), nil)
	if err != nil {
		return
	}
	s.head(req, nil)
	if s.signs() {
		bear(req, s.o.SignIn.Token(ctx))
	}
	if r, err := s.http.Do(req); err == nil {
		r.Body.Close()
	}
}
