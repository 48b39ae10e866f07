package remote

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/frame"
)

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 3

// mayHaveRun is added where a request may have reached the server.
const mayHaveRun = "; the request may have run"

// send posts a message and takes what comes back.
func (s *Server) send(m *message, kind Kind) {
	defer m.cancel()
	if kind == Events {
		s.sendByEvents(m)
		return
	}
	if r := s.post(m); r != nil {
		s.arrived(m, r)
	}
}

// first sends the first message of all, which shows how the server is spoken to (specification, "Backwards Compatibility").
func (s *Server) first(m *message) {
	r := s.post(m)
	if r == nil {
		m.cancel()
		return // the next message tries anew
	}
	switch r.StatusCode {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		body, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody))
		r.Body.Close()
		if m.version != "" || isError(body) {
			r.Body = io.NopCloser(bytes.NewReader(body))
			break
		}
		err := s.openEvents()
		if d, ok := errors.AsType[*demand](err); ok {
			s.unsigned(m, d)
			m.cancel()
			return
		}
		if err == nil {
			if !s.settle(m, Events) {
				return
			}
			go s.send(m, Events)
			return
		}
		s.o.Stray(body)
		s.fail(m, s.statusWords(r.Response))
		m.cancel()
		return
	}
	if r.StatusCode >= 500 || r.StatusCode == http.StatusUnauthorized || r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusTooManyRequests {
		s.arrived(m, r)
		m.cancel()
		return
	}
	if !s.settle(m, Streamable) {
		r.Body.Close()
		return
	}
	go func() {
		defer m.cancel()
		s.arrived(m, r)
	}()
}

// settle has all messages from now on sent in the way that was found, unless it may not be. Then m has failed, and the next message tries anew.
func (s *Server) settle(m *message, kind Kind) bool {
	if s.o.Speaks != nil {
		if err := s.o.Speaks(kind); err != nil {
			s.fail(m, err.Error())
			m.cancel()
			return false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kind = kind
	return true
}

// reply is a response of HTTP, whose body ends when nothing came for too long.
type reply struct {
	*http.Response
	session string // the session id that the request carried
}

// post sends a message. If there is no response, it has failed and the result is nil.
func (s *Server) post(m *message) *reply {
	defer m.wrote()
	limit := s.o.Idle()
	switch m.method {
	case "initialize":
		limit = startLimit
	case "subscriptions/listen":
		limit = 0 // it says nothing while nothing changes
	}
	ctx, cancel := context.WithCancelCause(m.ctx)
	idle := newIdle(limit, cancel, s.hears)
	to := s.o.Address
	for n := 0; ; n++ {
		req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { m.wrote() }}), http.MethodPost, to.String(), bytes.NewReader(m.line))
		if err != nil {
			idle.stop()
			s.fail(m, "the address can't be used")
			return nil
		}
		session, current := s.head(req, m)
		if !current {
			idle.stop()
			s.goesBack(m, " has forgotten the session")
			return nil
		}
		if m.version != "" {
			if why := s.mirror(req, m); why != "" {
				idle.stop()
				s.fail(m, why)
				return nil
			}
		}
		r, err := s.signed(req)
		if err != nil {
			idle.stop()
			s.broke(m, err, idle)
			return nil
		}
		idle.touch()
		if r.StatusCode != http.StatusTemporaryRedirect && r.StatusCode != http.StatusPermanentRedirect {
			r.Body = idle.body(r.Body)
			return &reply{r, session}
		}
		r.Body.Close()
		next, err := to.Parse(r.Header.Get("Location"))
		if err != nil || n == maxRedirects || !address.SameOrigin(next, s.o.Address) {
			idle.stop()
			s.fail(m, s.elsewhere(next))
			return nil
		}
		to = next
	}
}

// broke fails a message whose request got no response of HTTP.
func (s *Server) broke(m *message, err error, idle *idle) {
	if d, ok := errors.AsType[*demand](err); ok {
		s.unsigned(m, d)
		return
	}
	why, sent := whyOf(err, s.host())
	if idle.over() {
		why, sent = s.host()+" "+silence(idle.limit).Error(), true
	}
	if sent && m.method != "initialize" {
		why += mayHaveRun
	}
	s.fail(m, why)
}

// elsewhere says that a redirect was not followed.
func (s *Server) elsewhere(to *url.URL) string {
	if to == nil || to.Host == "" {
		return s.host() + " redirects to no address"
	}
	if address.SameOrigin(to, s.o.Address) {
		return s.host() + " redirects within itself in a way that can't be followed; use the last address of the way instead"
	}
	return fmt.Sprintf("%s redirects to %s, where nothing was sent; if you trust that address, use it instead", s.host(), address.Origin(to))
}

// head sets the headers of a request, and returns the session id among them. current is false for a request that was written for a session which
// the server has forgotten since, or before the caller knows of the new one.
func (s *Server) head(req *http.Request, m *message) (session string, current bool) {
	for name, values := range s.o.Headers {
		req.Header[name] = values
	}
	req.Header.Set("Accept-Encoding", "identity, gzip")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if req.Method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Header.Set("Accept", "text/event-stream")
	}
	if m != nil && m.version != "" {
		req.Header.Set("Mcp-Protocol-Version", m.version)
		if m.method != "" {
			req.Header.Set("Mcp-Method", m.method)
		}
		if m.name != "" {
			req.Header.Set("Mcp-Name", headerValue(m.name))
		}
		return "", true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m == nil:
	case m.method == "initialize":
		return "", true
	case m.kind == frame.Request && m.swallow == nil && (m.generation != s.now.generation || !s.inbox.heard() || s.o.Judged != nil && !s.o.Judged(m.id)):
		return "", false // what the server declares in the new session must be looked at before
	}
	if s.now.version != "" {
		req.Header.Set("Mcp-Protocol-Version", s.now.version)
	}
	if s.now.id != "" {
		req.Header.Set("Mcp-Session-Id", s.now.id)
	}
	return s.now.id, true
}

// maxErrorBody is how much of the body of an error is read, for the log.
const maxErrorBody = 64 << 10

// arrived takes the response of HTTP to a message.
func (s *Server) arrived(m *message, r *reply) {
	defer r.Body.Close()
	if !s.unpack(m, r.Response) {
		return
	}
	switch {
	case r.StatusCode >= 200 && r.StatusCode < 300:
		s.accepted(m, r)
	case r.StatusCode == http.StatusNotFound && r.session != "" && m.version == "":
		body, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody))
		if isError(body) && bytes.Contains(body, []byte("-32601")) {
			s.whole(m, body)
			return
		}
		s.forgotten(m)
	default:
		body, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody))
		if m.kind == frame.Request && m.swallow == nil && m.version != "" && r.StatusCode == http.StatusBadRequest && isMismatch(body) && !s.isRenewed(m) {
			s.goesBack(m, " wants other headers")
			return
		}
		if m.kind == frame.Request && isError(body) && s.answers(m, body) {
			s.whole(m, body)
			return
		}
		if len(body) > 0 {
			s.o.Stray(body)
		}
		s.fail(m, s.statusWords(r.Response))
	}
}

// unpack undoes gzip, the only encoding that is asked for.
func (s *Server) unpack(m *message, r *http.Response) bool {
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			s.fail(m, s.host()+" sent a body that is not the gzip it says it is"+mayHaveRun)
			return false
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{unpacked, r.Body}
	default:
		s.fail(m, s.host()+" sent a body in an encoding that it was not asked for"+mayHaveRun)
		return false
	}
	return true
}

func (s *Server) accepted(m *message, r *reply) {
	if m.kind != frame.Request {
		_, _ = io.CopyN(io.Discard, r.Body, maxErrorBody)
		return
	}
	if m.method == "initialize" && !s.begins(m, r.Header.Get("Mcp-Session-Id")) {
		return
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.StatusCode == http.StatusAccepted || r.StatusCode == http.StatusNoContent:
		s.fail(m, fmt.Sprintf("%s took the request with status %d, which promises no response", s.host(), r.StatusCode))
	case kind == "application/json":
		body, err := readAll(r.Body, s.most())
		if err != nil {
			s.unread(m, err)
			return
		}
		s.whole(m, body)
	case kind == "text/event-stream":
		s.follow(m, r)
	default:
		s.fail(m, fmt.Sprintf("%s sent %s, which is no message of MCP; check the address", s.host(), kindWords(kind)))
	}
}

// kindWords names the type of a body. Only those that people meet are named as they are: a type is the server's words.
func kindWords(kind string) string {
	switch kind {
	case "text/html", "text/plain", "application/json", "application/xml", "text/xml":
		return kind
	case "":
		return "a body of no type"
	}
	return "a body of another type"
}

// whole takes a body that is one message.
func (s *Server) whole(m *message, body []byte) {
	line, ok := oneLine(body)
	if !ok || !s.answers(m, line) {
		s.o.Stray(body[:min(len(body), maxErrorBody)])
		s.fail(m, s.host()+" sent a body that is not the response to this request")
		return
	}
	s.greeted(m, line)
	s.respond(m, append(line, '\n'))
}

// answers reports whether a line is the response to a request.
func (s *Server) answers(m *message, line []byte) bool {
	var got frame.Message
	return frame.Scan(line, frame.FromServer, &got) == nil && got.Kind >= frame.Result && string(frame.AppendIDKey(nil, got.ID.Of(line))) == m.key
}

// unread fails a request whose response broke off.
func (s *Server) unread(m *message, err error) {
	why, _ := whyOf(err, s.host())
	s.fail(m, why+mayHaveRun)
}

// statusWords says what a status means.
func (s *Server) statusWords(r *http.Response) string {
	switch {
	case r.StatusCode == http.StatusUnauthorized && s.o.Headers.Get("Authorization") != "":
		return s.host() + " refused the token in the header Authorization; check where its value comes from"
	case r.StatusCode == http.StatusUnauthorized:
		return s.host() + " wants a sign-in; pass a token as a header: --header 'Authorization: Bearer env:VAR'"
	case r.StatusCode == http.StatusForbidden:
		return s.host() + " does not allow this (status 403)"
	case r.StatusCode >= 300 && r.StatusCode < 400:
		to, _ := s.o.Address.Parse(r.Header.Get("Location"))
		return s.elsewhere(to)
	}
	why := fmt.Sprintf("%s responded with status %d", s.host(), r.StatusCode)
	if text := http.StatusText(r.StatusCode); text != "" {
		why += " (" + text + ")"
	}
	if wait, err := time.ParseDuration(r.Header.Get("Retry-After") + "s"); err == nil && wait > 0 {
		why += fmt.Sprintf("; try again in %d seconds", int(wait.Seconds()))
	}
	return why
}

// isError reports whether a body is an error of JSON-RPC.
func isError(body []byte) bool {
	line, ok := oneLine(body)
	var got frame.Message
	return ok && frame.Scan(line, frame.FromServer, &got) == nil && got.Kind == frame.Error
}

// oneLine makes line breaks between the tokens of a message blanks: no token changes. ok is false if a string has one in it, which JSON does not
// allow. The result shares the memory of body.
func oneLine(body []byte) (line []byte, ok bool) {
	body = bytes.Trim(body, " \t\r\n")
	if bytes.IndexByte(body, '\n') < 0 && bytes.IndexByte(body, '\r') < 0 {
		return body, true
	}
	inside := false
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '\\':
			if inside && i+1 < len(body) && (body[i+1] == '"' || body[i+1] == '\\') {
				i++
			}
		case '"':
			inside = !inside
		case '\n', '\r':
			if inside {
				return body, false
			}
			body[i] = ' '
		}
	}
	return body, true
}

// readAll reads a body of at most so many bytes.
func readAll(r io.Reader, most int) ([]byte, error) {
	r = io.LimitReader(r, int64(most)+1)
	head := make([]byte, readBuffer/2) // nearly all bodies end in here; io.ReadAll takes larger ones, and the least memory for the largest
	n, err := io.ReadFull(r, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return head[:n], nil
	}
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.MultiReader(bytes.NewReader(head), r))
	if err == nil && len(body) > most {
		return nil, errTooLong
	}
	return body, err
}

// idle ends a request for which nothing came for too long.
type idle struct {
	limit time.Duration
	timer *time.Timer // nil: it may take as long as it likes
	end   context.CancelCauseFunc
	hears func() // is told of each byte
	late  chan struct{}
}

// silence is the cause of the end of a request for which nothing came that long.
type silence time.Duration

func (s silence) Error() string { return "sent nothing for " + time.Duration(s).String() }

func newIdle(limit time.Duration, end context.CancelCauseFunc, hears func()) *idle {
	i := &idle{limit: limit, end: end, hears: hears, late: make(chan struct{})}
	if limit > 0 {
		i.timer = time.AfterFunc(limit, func() {
			close(i.late)
			end(silence(limit))
		})
	}
	return i
}

func (i *idle) touch() {
	i.hears()
	if i.timer != nil && !i.over() {
		i.timer.Reset(i.limit)
	}
}

func (i *idle) over() bool {
	select {
	case <-i.late:
		return true
	default:
		return false
	}
}

func (i *idle) stop() {
	if i.timer != nil {
		i.timer.Stop()
	}
	i.end(nil)
}

// body is a body whose every byte shows that the server is there.
func (i *idle) body(of io.ReadCloser) io.ReadCloser { return &watched{of, i} }

type watched struct {
	io.ReadCloser
	idle *idle
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if n > 0 {
		w.idle.touch()
	}
	return n, err
}

func (w *watched) Close() error {
	w.idle.stop()
	return w.ReadCloser.Close()
}
