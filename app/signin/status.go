package signin

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/oauth"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// SignIns says who is signed in where, for one server or all remote ones. No token is in it.
func (s *Desk) SignIns(q control.SignInQuery) ([]control.SignInStatus, error) {
	out := []control.SignInStatus{}
	var all []store.Server
	err := s.office.Answering(func(tx *store.Tx) error {
		if q.Server != "" {
			of, err := office.FindServer(tx, q.Server)
			if err == nil && !of.Remote() {
				err = notRemote(of)
			}
			all = append(all, of)
			return err
		}
		all = slices.DeleteFunc(tx.Servers(), func(of store.Server) bool { return !of.Remote() })
		return nil
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for _, of := range all {
		out = append(out, s.statusOf(ctx, of))
	}
	return out, nil
}

func (s *Desk) statusOf(ctx context.Context, of store.Server) control.SignInStatus {
	srv := s.server(of.ID)
	status := control.SignInStatus{Server: of.Name, Identity: of.Identity}
	if err := srv.enter(ctx); err != nil {
		status.Problem = "a sign-in is being renewed; try again in a moment"
		return status
	}
	defer srv.leave()
	if err := s.loadNow(ctx, srv); err != nil {
		status.Problem = office.OneLine(err.Error())
	}
	if sign := srv.sign; sign != nil {
		status.SignedIn, status.Issuer, status.Scopes, status.Since, status.Expires = true, sign.Issuer, slices.Concat([]string{}, sign.Scopes), sign.Since.UTC(), sign.Expires.UTC()
		if place, err := s.kept.Place(ctx, srv.id); err == nil {
			status.Kept = string(place)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	status.Wanted, status.Code = srv.wanted, srv.code
	if status.Problem == "" {
		status.Problem, status.Said = srv.problem, srv.said
	}
	return status
}

// Logout ends a sign-in: at the issuer, where it offers that, and here. It only tightens, so it may come from anywhere outside a guarded server.
func (s *Desk) Logout(ctx context.Context, peer control.Peer, name string) (out control.SignInStatus, err error) {
	if peer.Descends {
		return out, office.Answer(control.CodeDescends, "this command runs inside a guarded server and can't sign out: use your own terminal")
	}
	srv, of, err := s.find(name)
	if err != nil {
		return out, err
	}
	if err := srv.enter(ctx); err != nil {
		return out, err
	}
	sign, problem, err := s.signOut(ctx, srv)
	srv.leave()
	switch {
	case err != nil:
		return out, told(err)
	case sign == nil:
		return out, office.Answer(control.CodeNotFound, "you are not signed in to %s", of.Name)
	}
	s.record(srv, vocab.RecordRejection, vocab.StatusOK, "a person signed out at "+hostOf(sign.Issuer))
	s.pushed(srv)
	out = s.statusOf(ctx, of)
	out.Problem = problem
	return out, nil
}

// signOut is Logout in the server's turn. problem says what the issuer still counts.
func (s *Desk) signOut(ctx context.Context, srv *server) (sign *kept, problem string, err error) {
	if err := s.loadNow(ctx, srv); err != nil {
		return nil, "", err
	}
	if sign = srv.sign; sign == nil {
		return nil, "", nil
	}
	if err := s.drop(ctx, srv); err != nil {
		return sign, "", err
	}
	client, err := s.client(srv)
	if err == nil {
		var offered bool
		offered, err = client.Revoke(ctx, sign.Plan, sign.Registration, oauth.Tokens{Access: sign.Access, Refresh: sign.Refresh})
		if !offered {
			return sign, "the token was deleted here; " + hostOf(sign.Issuer) + " can't be told, and may count it until it runs out", nil
		}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		problem = "the token was deleted here, but " + hostOf(sign.Issuer) + " may count it until it runs out"
	}
	return sign, problem, nil
}
