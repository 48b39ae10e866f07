package remote

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
)

// How a stream that broke is taken up again.
const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
	maxResumes = 5
)

// follow reads the stream of a request to its response, and takes it up again where it broke if the server numbers its events.
func (s *Server) follow(m *message, r *reply) {
	at := position{retry: firstRetry}
	done, err := s.read(r.Body, &at, m)
	for n := 0; !done && at.id != "" && n < maxResumes && err != errTooLong && s.waits(m); n++ {
		if !s.pause(at.retry) {
			return
		}
		again, failed := s.get(s.ctx, &at)
		if failed != nil {
			continue
		}
		if again.StatusCode != http.StatusOK {
			again.Body.Close()
			break
		}
		done, err = s.read(again.Body, &at, m)
		again.Body.Close()
	}
	if !done {
		if err == nil || err == io.EOF {
			s.fail(m, "the stream of "+s.host()+" ended without a response"+mayHaveRun)
			return
		}
		s.unread(m, err)
	}
}

// pause waits, and reports whether the session still lasts.
func (s *Server) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-s.ctx.Done():
		return false
	}
}

// position is how far a stream was read.
type position struct {
	id    string // of the last event
	retry time.Duration
}

// read passes on what a stream brings: of responses only the one to m, which ends it. m is nil for a stream that answers no request.
func (s *Server) read(body io.Reader, at *position, m *message) (done bool, err error) {
	err = readEvents(body, s.most, func(e event) bool {
		at.id = e.id
		if e.retry > 0 {
			at.retry = min(e.retry, lastRetry)
		}
		if !e.isMessage() {
			return true
		}
		line, ok := e.line()
		var got frame.Message
		if !ok || frame.Scan(line, frame.FromServer, &got) != nil {
			s.o.Stray(line)
			if m == nil {
				return true
			}
			s.fail(m, s.host()+" sent an event that is no message"+mayHaveRun)
			done = true
			return false
		}
		if got.Kind < frame.Result {
			s.put(item{line: append(line, '\n')})
			return true
		}
		if m == nil || string(frame.AppendIDKey(nil, got.ID.Of(line))) != m.key {
			s.o.Stray([]byte("[dropped: a response to another request]"))
			return true
		}
		s.greeted(m, line)
		s.respond(m, append(line, '\n'))
		done = true
		return false
	})
	return done, err
}

// get asks for a stream, from a position on. Closing its body ends it.
func (s *Server) get(ctx context.Context, at *position) (*reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.o.Address.String(), nil)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	session, _ := s.head(req, nil)
	if at.id != "" {
		req.Header.Set("Last-Event-Id", at.id)
	}
	r, err := s.signed(req)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	r.Body = newIdle(0, cancel, s.hears).body(r.Body)
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); r.StatusCode == http.StatusOK && kind != "text/event-stream" {
		r.StatusCode = http.StatusUnsupportedMediaType
	}
	return &reply{r, session}, nil
}

// listen opens the stream on which a server sends what no request asked for (specification of 2025-11-25, "Listening for Messages from the
// Server"), and keeps it open. A server may have none.
func (s *Server) listen() {
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	if s.stopListen != nil {
		s.stopListen()
	}
	s.stopListen = cancel
	s.mu.Unlock()
	go func() {
		defer cancel()
		at, wait := position{retry: firstRetry}, time.Duration(0)
		for {
			signedIn := s.nextSignIn()
			r, err := s.get(ctx, &at)
			if err == nil && r.StatusCode == http.StatusOK {
				began := time.Now()
				_, _ = s.read(r.Body, &at, nil)
				if time.Since(began) > firstRetry { // else a server that closes it at once would be asked without end
					wait = 0
				}
			}
			if _, wanted := errors.AsType[*demand](err); wanted {
				select {
				case <-signedIn:
					continue
				case <-ctx.Done():
					return
				}
			}
			if err == nil {
				r.Body.Close()
				if r.StatusCode >= 400 && r.StatusCode < 500 && r.StatusCode != http.StatusTooManyRequests {
					return // it has none, or has forgotten the session, which the next request finds out
				}
			}
			wait = min(max(at.retry, wait*2), lastRetry)
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
		}
	}()
}
