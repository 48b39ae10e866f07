package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/frame"
)

// The older transport: one stream brings everything that the server says, and messages are posted to the address that it names first
// (specification of 2024-11-05, "HTTP with SSE").

// stream is an open stream of the older transport.
type stream struct {
	to    *url.URL
	fresh bool // it is a new session, whose handshake is not over
	over  bool // it has ended
}

// openEvents opens the stream, unless it is open.
func (s *Server) openEvents() error {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.mu.Lock()
	open := s.stream != nil
	s.mu.Unlock()
	if open {
		return nil
	}
	ctx, end := context.WithCancelCause(s.ctx)
	cancel := func() { end(nil) }
	limit := time.AfterFunc(address.ConnectLimit, func() { end(silence(address.ConnectLimit)) })
	r, err := s.get(ctx, &position{})
	if err != nil {
		cancel()
		if !limit.Stop() {
			err = context.DeadlineExceeded
		}
		if d, ok := errors.AsType[*demand](err); ok {
			return d
		}
		why, _ := whyOf(err, s.host())
		return address.Refused("%s", why)
	}
	if r.StatusCode != http.StatusOK {
		why := s.statusWords(r.Response)
		if r.StatusCode == http.StatusUnsupportedMediaType {
			kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
			why = s.host() + " sent " + kindWords(kind) + ", which is no stream of MCP; check the address"
		}
		limit.Stop()
		r.Body.Close()
		cancel()
		return address.Refused("%s", why)
	}
	named := make(chan *url.URL, 1)
	opened := new(stream)
	go s.readAllEvents(r, opened, named)
	to, ok := <-named
	limit.Stop()
	switch {
	case !ok || to == nil:
		cancel()
		return address.Refused("the stream of %s named no address for messages; check the address", s.host())
	case !address.SameOrigin(to, s.o.Address):
		cancel()
		return address.Refused("%s wants messages at %s, where nothing was sent", s.host(), address.Origin(to))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if opened.over {
		return address.Refused("the stream of %s ended at once", s.host())
	}
	opened.to, opened.fresh = to, s.now.version != ""
	s.stream = opened
	return nil
}

// readAllEvents reads a stream of the older transport to its end. The address that it names comes first.
func (s *Server) readAllEvents(r *reply, of *stream, named chan<- *url.URL) {
	defer r.Body.Close()
	first := true
	err := readEvents(r.Body, s.most, func(e event) bool {
		if first {
			first = false
			var to *url.URL
			if e.name == "endpoint" {
				to, _ = s.o.Address.Parse(string(bytes.TrimSpace(e.data)))
			}
			named <- to
			return to != nil
		}
		if !e.isMessage() {
			return true
		}
		line, ok := e.line()
		var got frame.Message
		if !ok || frame.Scan(line, frame.FromServer, &got) != nil || got.Kind < frame.Result { // the session says what is wrong with it
			s.put(item{line: append(line, '\n')})
			return true
		}
		s.mu.Lock()
		m := s.running[string(frame.AppendIDKey(nil, got.ID.Of(line)))]
		s.mu.Unlock()
		if m == nil {
			s.o.Stray([]byte("[dropped: a response to no request]"))
			return true
		}
		s.greeted(m, line)
		s.respond(m, append(line, '\n'))
		return true
	})
	if first {
		close(named)
	}
	s.mu.Lock()
	of.over = true
	if s.stream == of {
		s.stream = nil
	}
	var lost []*message
	for _, m := range s.running {
		if m.by == of {
			lost = append(lost, m)
		}
	}
	s.mu.Unlock()
	for _, m := range lost {
		if err == errTooLong {
			s.unread(m, err)
		} else {
			s.fail(m, "the stream of "+s.host()+" ended without a response"+mayHaveRun)
		}
	}
}

// sendByEvents posts a message; the stream brings its response.
func (s *Server) sendByEvents(m *message) {
	defer m.wrote()
	to, err := s.eventsFor(m)
	if d, ok := errors.AsType[*demand](err); ok {
		s.unsigned(m, d)
		return
	}
	switch {
	case err != nil:
		s.fail(m, err.Error())
		return
	case to == nil: // a new session has begun
		s.goesBack(m, " has forgotten the session")
		return
	}
	ctx, cancel := context.WithCancelCause(m.ctx)
	idle := newIdle(startLimit, cancel, s.hears)
	defer idle.stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(m.line))
	if err != nil {
		s.fail(m, "the address can't be used")
		return
	}
	if _, current := s.head(req, m); !current {
		s.goesBack(m, " has forgotten the session")
		return
	}
	r, err := s.signed(req)
	if err != nil {
		s.broke(m, err, idle)
		return
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody))
	if r.StatusCode < 200 || r.StatusCode >= 300 {
		s.o.Stray(body)
		s.fail(m, s.statusWords(r))
		return
	}
	if m.kind == frame.Request {
		limit := s.o.Idle()
		if m.method == "initialize" {
			limit = startLimit
		}
		timer := time.AfterFunc(limit, func() { s.fail(m, s.host()+" did not respond in time"+mayHaveRun) })
		s.mu.Lock()
		m.limit = timer
		if s.running[m.key] != m { // the stream was faster
			timer.Stop()
		}
		s.mu.Unlock()
	}
}

// eventsFor is the address for a message. If the stream has ended, a new one begins with the client's own handshake, and there is none: what the
// server declares is looked at before anything else is sent.
func (s *Server) eventsFor(m *message) (to *url.URL, err error) {
	begins := m.method == "initialize" || m.swallow != nil
	s.mu.Lock()
	generation := s.now.generation
	s.mu.Unlock()
	if err := s.openEvents(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	fresh := s.stream != nil && s.stream.fresh
	s.mu.Unlock()
	if fresh && !begins {
		if why := s.renew(generation); why != "" {
			return nil, errors.New(why)
		}
		if m.kind == frame.Request && !s.isRenewed(m) {
			return nil, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream == nil {
		return nil, errors.New("the stream of " + s.host() + " ended")
	}
	if m.kind == frame.Request {
		m.by = s.stream
	}
	return s.stream.to, nil
}
