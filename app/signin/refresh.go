package signin

import (
	"context"
	"errors"
	"fmt"

	"github.com/sallyport/sallyport/app/oauth"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// errOver says that a sign-in does not count any more: a person must sign in again.
var errOver = errors.New("the sign-in has ended")

// renewDue renews the token of a server if that is still due. An issuer that does not respond changes nothing.
func (s *Desk) renewDue(srv *server) error {
	ctx, cancel := s.whole(wholeLimit)
	defer cancel()
	if err := srv.enter(ctx); err != nil {
		return err
	}
	defer srv.leave()
	now := s.office.Now()
	a, _ := s.accessOf(srv)
	if srv.sign == nil || a.renew.IsZero() || now.Before(a.renew) || now.Sub(srv.failed) < quiet && now.After(srv.failed) {
		return nil
	}
	err := s.refresh(ctx, srv)
	if errors.Is(err, errOver) {
		_, err = s.want(ctx, srv)
	}
	return err
}

// refresh gets a new token for one that has run out or was refused. The new refresh token is durable before anyone gets the new access token. The
// caller has the turn.
func (s *Desk) refresh(ctx context.Context, srv *server) error {
	was := *srv.sign
	if was.Refresh == "" {
		return s.over(ctx, srv, "the sign-in at "+hostOf(was.Issuer)+" has run out")
	}
	client, err := s.client(srv)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshLimit) // what was sent is used up: even an ending hub waits for it
	defer cancel()
	tokens, err := client.Refresh(ctx, was.Plan, was.Registration, was.Refresh)
	switch {
	case errors.Is(err, oauth.ErrInvalidGrant), errors.Is(err, oauth.ErrInvalidClient):
		return s.over(context.WithoutCancel(ctx), srv, hostOf(was.Issuer)+" has ended the sign-in")
	case err != nil:
		srv.failed = s.office.Now()
		s.note(srv, err.Error(), "")
		return fmt.Errorf("the sign-in can't be renewed: %w", err)
	}
	sign := was
	sign.Access, sign.Got, sign.Expires = tokens.Access, s.office.Now(), tokens.Expires
	if tokens.Refresh != "" {
		sign.Refresh = tokens.Refresh
	}
	if tokens.Scopes != nil {
		sign.Scopes = tokens.Scopes
	}
	if err := s.keep(context.WithoutCancel(ctx), srv, &sign); err != nil {
		srv.sign = &sign // the old refresh token is used up: the next attempt to keep it begins from here
		return err
	}
	s.note(srv, "", "")
	s.pushed(srv)
	return nil
}

// over ends a sign-in that counts no more: nothing of it is kept.
func (s *Desk) over(ctx context.Context, srv *server, why string) error {
	err := s.drop(ctx, srv)
	s.record(srv, vocab.RecordProblem, vocab.StatusBlocked, why+"; sign in again")
	s.note(srv, why, "")
	return errors.Join(errOver, err)
}

// note keeps what failed last, for status.
func (s *Desk) note(srv *server, problem, said string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	srv.problem, srv.said = problem, said
}

// pushed tells the wrappers what changed.
func (s *Desk) pushed(srv *server) {
	s.office.Lock()
	defer s.office.Unlock()
	s.hub.PushAll()
	s.office.Changed()
}

// record appends to the timeline.
func (s *Desk) record(srv *server, kind vocab.RecordKind, status vocab.Status, summary string) {
	s.office.Lock()
	defer s.office.Unlock()
	if s.office.Usable() != nil {
		return
	}
	_ = s.office.Failed(s.office.Update(func(tx *store.Tx) (bool, error) {
		of, err := tx.Server(srv.id)
		if err != nil {
			return false, err
		}
		_, err = tx.Append(s.office.Record(kind, status, store.Record{Server: of.Name, ServerID: of.ID, Code: s.codeOf(srv), Summary: summary}))
		return true, err
	}))
}

func (s *Desk) codeOf(srv *server) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return srv.code
}
