package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/transport/remote"
)

// signedIn is a person's sign-in at a remote server as its wrapper knows it: an access token in memory, which the hub gives and renews. It is a
// remote.SignIn.
type signedIn struct {
	link   *hubLink
	url    string // of the server, as registered
	asking sync.Mutex
	now    atomic.Pointer[access]
}

type access struct {
	token  string
	renew  time.Time // when to ask for another; zero: never by itself
	serial uint64    // of the sign-in that it was given for
}

// tokenPatience is how long a request waits for the hub to refresh a token.
const tokenPatience = 20 * time.Second

func newSignedIn(link *hubLink, url string) *signedIn {
	s := &signedIn{link: link, url: url}
	s.now.Store(new(access))
	return s
}

// Token implements remote.SignIn. With the hub away it is the last one.
func (s *signedIn) Token(ctx context.Context) string {
	serial := s.link.State().SignIn.Serial
	if a := s.now.Load(); a.serves(serial) {
		return a.token
	}
	s.asking.Lock()
	defer s.asking.Unlock()
	a := s.now.Load()
	if a.serves(serial) {
		return a.token
	}
	ctx, cancel := context.WithTimeout(ctx, tokenPatience)
	defer cancel()
	if got, err := s.link.SignIn(ctx, control.SignIn{URL: s.url}); err == nil {
		a = s.keep(got)
	}
	return a.token
}

func (a *access) serves(serial uint64) bool {
	return a.serial == serial && (a.renew.IsZero() || time.Now().Before(a.renew))
}

func (s *signedIn) keep(got control.SignedIn) *access {
	a := &access{token: got.Token, renew: got.Renew, serial: got.State.SignIn.Serial}
	s.now.Store(a)
	return a
}

// Refused implements remote.SignIn.
func (s *signedIn) Refused(ctx context.Context, r remote.Refusal) (token, code string, err error) {
	ctx, cancel := context.WithTimeout(ctx, tokenPatience)
	defer cancel()
	if err := s.link.WaitState(ctx); err != nil { // the hub is only starting
		return "", "", err
	}
	got, err := s.link.SignIn(ctx, control.SignIn{URL: s.url, Demanded: true, Challenge: r.Challenge, Refused: control.TokenHash(r.Token), Scope: r.Scope})
	if err != nil {
		return "", "", err
	}
	if got.Token != "" {
		s.keep(got)
	}
	return got.Token, got.Code, nil
}

// watch tells the server of each new token.
func (s *signedIn) watch(server *remote.Server) {
	known := s.link.State().SignIn.Serial
	s.link.Subscribe(func(bool) {
		if serial := s.link.State().SignIn.Serial; serial != known {
			known = serial
			server.SignedIn()
		}
	})
}
