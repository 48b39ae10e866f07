package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sallyport/sallyport/app/oauth"
	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// kept is a sign-in as the keychain has it, whole: a crash leaves the one before or the one after.
type kept struct {
	Issuer       string             `json:"issuer"` // what it is bound to
	Resource     string             `json:"resource"`
	Plan         oauth.Plan         `json:"plan"`
	Registration oauth.Registration `json:"registration"`
	Access       string             `json:"access"`
	Refresh      string             `json:"refresh,omitempty"`
	Scopes       []string           `json:"scopes,omitempty"`
	Since        time.Time          `json:"since"`
	Got          time.Time          `json:"got"`              // the access token
	Expires      time.Time          `json:"expires,omitzero"` // zero: unknown
}

// renewBefore is how long before its end a token is renewed, at most: a tenth of its lifetime if that is less.
const renewBefore = time.Minute

func (k *kept) access() access {
	a := access{token: k.Access, expires: k.Expires}
	if k.Refresh != "" && !k.Expires.IsZero() {
		a.renew = k.Expires.Add(-min(renewBefore, k.Expires.Sub(k.Got)/10))
	}
	return a
}

// load reads a server's sign-in, if that was not done.
func (s *Desk) load(ctx context.Context, srv *server) error {
	if err := srv.enter(ctx); err != nil {
		return err
	}
	defer srv.leave()
	return s.loadNow(ctx, srv)
}

// loadNow is load in the server's turn.
func (s *Desk) loadNow(ctx context.Context, srv *server) error {
	if srv.loaded {
		return nil
	}
	raw, err := s.kept.Get(ctx, srv.id)
	switch {
	case errors.Is(err, keychain.ErrNotFound):
		srv.loaded = !errors.Is(err, keychain.ErrAbsent) // one that this session can't see may have it
		return nil
	case err != nil:
		return fmt.Errorf("its sign-in can't be read: %w", err)
	}
	sign := new(kept)
	if json.Unmarshal([]byte(raw), sign) != nil || sign.Issuer == "" {
		srv.loaded = true // written by something else, or by a later version: a person signs in again
		return nil
	}
	srv.loaded = true
	s.use(srv, sign)
	return s.found(srv)
}

// found takes back that a person must sign in, for a sign-in that could not be read when a server wanted one.
func (s *Desk) found(srv *server) error {
	s.mu.Lock()
	wanted := srv.wanted
	srv.wanted = false
	s.mu.Unlock()
	if !wanted {
		return nil
	}
	s.office.Lock()
	defer s.office.Unlock()
	err := s.office.Update(func(tx *store.Tx) (bool, error) {
		_, gone, err := s.office.Settle(tx, nil, vocab.ItemLogin, srv.id, s.office.Now())
		return gone, err
	})
	s.hub.PushAll()
	return s.office.Failed(err)
}

// use makes a sign-in the one in force, nil for none. The caller has the turn.
func (s *Desk) use(srv *server, sign *kept) {
	srv.sign = sign
	s.mu.Lock()
	defer s.mu.Unlock()
	srv.serial++
	srv.access = access{}
	if sign != nil {
		srv.access = sign.access()
	}
}

// keep makes a sign-in durable, then the one in force. The caller has the turn.
func (s *Desk) keep(ctx context.Context, srv *server, sign *kept) error {
	raw, err := json.Marshal(sign)
	if err != nil {
		return err
	}
	if err := s.kept.Set(ctx, srv.id, string(raw)); err != nil {
		return fmt.Errorf("the sign-in can't be kept: %w", err)
	}
	s.use(srv, sign)
	return nil
}

// drop deletes a sign-in. The caller has the turn.
func (s *Desk) drop(ctx context.Context, srv *server) error {
	err := s.kept.Delete(ctx, srv.id)
	if errors.Is(err, keychain.ErrNotFound) || errors.Is(err, keychain.ErrLater) { // later: it is no longer read, and goes once the keychain can be used
		err = nil
	}
	s.use(srv, nil)
	if err != nil {
		return fmt.Errorf("the sign-in can't be deleted: %w", err)
	}
	return nil
}
