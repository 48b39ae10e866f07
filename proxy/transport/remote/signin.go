package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/frame"
)

// SignIn has the access tokens of a person's sign-in at the server. It never asks a person by itself.
type SignIn interface {
	// Token is the token to send, "" for none. It may take as long as a refresh.
	Token(ctx context.Context) string
	// Refused tells that the server refused a request with this token. It returns another one, which is tried once, or the code of the item of the
	// inbox that a person can sign in by. An error is one sentence in our words.
	Refused(ctx context.Context, r Refusal) (token, code string, err error)
}

// Refusal is a server's demand for a sign-in (RFC 6750, 3; RFC 9728, 5.1).
type Refusal struct {
	Token     string   // that was sent, "" for none
	Challenge []string // the values of WWW-Authenticate
	Scope     bool     // status 403: the token is good, but not for this
}

// maxChallenge is how much of WWW-Authenticate is read, in bytes.
const maxChallenge = 8 << 10

// signs reports whether requests carry the token of a sign-in: never beside a person's own, and never in the clear to another computer.
func (s *Server) signs() bool {
	return s.o.SignIn != nil && s.o.Headers.Get("Authorization") == "" && (s.o.Address.Scheme == "https" || !s.o.Plaintext())
}

// refusedFor reports whether a response says that the token, or its absence, is the reason.
func refusedFor(r *http.Response) bool {
	return r.StatusCode == http.StatusUnauthorized || r.StatusCode == http.StatusForbidden && wantsScope(r.Header.Values("Www-Authenticate"))
}

// wantsScope reports whether a challenge says that the token is good for less than this (RFC 6750, 3.1).
func wantsScope(challenge []string) bool {
	return slices.ContainsFunc(challenge, func(value string) bool { return strings.Contains(strings.ToLower(value), "insufficient_scope") })
}

// demand is a refusal that no other token helps against.
type demand struct {
	code string // of the item of the inbox that a person can sign in by; "" if there is none
	why  string // in our words
}

func (d *demand) Error() string { return d.why }

// signed sends a request with the token of the sign-in, and once more with another one if the server refused it. The error is a *demand if there is
// none.
func (s *Server) signed(req *http.Request) (*http.Response, error) {
	if !s.signs() {
		return s.do(req)
	}
	token := s.o.SignIn.Token(req.Context())
	for again := false; ; again = true {
		bear(req, token)
		r, err := s.do(req)
		if err != nil || !refusedFor(r) {
			return r, err
		}
		other, code, err := s.another(r, token)
		switch {
		case err != nil:
			return nil, &demand{why: s.host() + " wants a sign-in: " + err.Error()}
		case code != "":
			return nil, &demand{code: code, why: s.host() + " wants a sign-in"}
		case again || other == "" || other == token:
			return nil, &demand{why: s.host() + " refuses the token of the sign-in; sign out and in again"}
		}
		token, req = other, req.Clone(req.Context())
		if req.GetBody != nil {
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// do sends a request, and notes whether the server can be reached.
func (s *Server) do(req *http.Request) (*http.Response, error) {
	before := s.heard.Load()
	r, err := s.http.Do(req)
	if s.o.Away == nil {
		return r, err
	}
	if err == nil {
		s.heard.Add(1)
	}
	why := ""
	silent, isSilent := errors.AsType[silence](context.Cause(req.Context()))
	_, refused := errors.AsType[*address.Refusal](err)
	switch {
	case err != nil && isSilent && s.heard.Load() == before: // no other request, and no stream, got anything either
		why = s.host() + " " + silent.Error()
	case refused || err != nil && req.Context().Err() != nil: // by us
		return r, err
	case err != nil:
		why, _ = whyOf(err, s.host())
	case r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests:
		why = s.statusWords(r)
	}
	s.silent.Store(err != nil && isSilent)
	s.o.Away(why)
	return r, err
}

// hears notes a byte of the server's. One that sent nothing for too long is there again with it, and one that responded with 5xx is not.
func (s *Server) hears() {
	s.heard.Add(1)
	if s.silent.CompareAndSwap(true, false) {
		s.o.Away("")
	}
}

// bear gives a request a token, if there is one (RFC 6750, 2.1).
func bear(req *http.Request, token string) {
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
}

// another asks for another token in place of one that a server refused.
func (s *Server) another(r *http.Response, token string) (other, code string, err error) {
	_, _ = io.CopyN(io.Discard, r.Body, maxErrorBody)
	r.Body.Close()
	said, size := r.Header.Values("Www-Authenticate"), 0
	for i, value := range said {
		if size += len(value); size > maxChallenge {
			said = said[:i]
			break
		}
	}
	return s.o.SignIn.Refused(r.Request.Context(), Refusal{Token: token, Challenge: said, Scope: r.StatusCode == http.StatusForbidden})
}

// unsigned ends a message that the server refused for want of a sign-in.
func (s *Server) unsigned(m *message, d *demand) {
	if d.code == "" || m.kind != frame.Request || m.swallow != nil {
		s.fail(m, d.why)
		return
	}
	if s.finish(m) {
		s.put(item{err: &frame.Undelivered{ID: m.id, Why: d.why, Line: append(m.line, '\n'), SignIn: true, Code: d.code}})
	}
}

// SignedIn tells that there is a new token: a stream that ended for want of one is opened again.
func (s *Server) SignedIn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.signedIn)
	s.signedIn = make(chan struct{})
}

// nextSignIn is closed by the next SignedIn.
func (s *Server) nextSignIn() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.signedIn
}
