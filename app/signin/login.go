package signin

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/oauth"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// loginLimit is how long a person has for the issuer's page.
const loginLimit = 5 * time.Minute

// attempt is a sign-in under way.
type attempt struct {
	id    string
	srv   *server
	begun control.LoginBegun
	stop  context.CancelFunc
	done  chan struct{}
	err   error // after done
}

// Login begins a sign-in that a person wants, as it was shown, or says what there is to show. A second one joins the first.
func (s *Desk) Login(ctx context.Context, peer control.Peer, l control.Login) (out control.LoginBegun, err error) {
	if peer.Descends {
		return out, office.Answer(control.CodeDescends, "this command runs inside a guarded server and can't sign in: use your own terminal")
	}
	srv, of, err := s.find(l.Server)
	if err != nil {
		return out, err
	}
	if err := srv.enter(ctx); err != nil {
		return out, err
	}
	defer srv.leave()
	if err := s.loadNow(ctx, srv); err != nil {
		return out, told(err)
	}
	p, err := s.shown(ctx, srv, l)
	if err != nil {
		s.noteFailure(srv, err)
		return out, told(err)
	}
	out.Plan = review.LoginPlan(p.login)
	out.Plan.Server, out.Plan.Identity = of.Name, of.Identity
	if l.Issuer == "" {
		if err := s.renew(srv, p); err != nil {
			return control.LoginBegun{}, err
		}
	}
	if l.Digest == "" {
		return out, nil
	}
	s.office.Lock()
	err = s.office.Decides(peer, s.codeOf(srv))
	s.office.Unlock()
	switch {
	case err != nil:
		return control.LoginBegun{}, err
	case l.Digest != p.login.Digest:
		return control.LoginBegun{}, &control.Error{Code: control.CodeStale, Message: "where to sign in changed since it was shown: look at it again", See: s.codeOf(srv)}
	case p.login.Issuer == "":
		return control.LoginBegun{}, office.Answer(control.CodeBadRequest, "this server can be signed in to at several places: choose one of them")
	}
	switch under := s.underWay(srv); {
	case under == nil:
	case under.begun.Plan.Digest == l.Digest:
		return under.begun, nil
	default:
		return control.LoginBegun{}, office.Answer(control.CodeUnavailable, "a sign-in at %s is under way; finish it or wait until its 5 minutes are over", hostOf(under.begun.Plan.Issuer))
	}
	return s.begin(ctx, srv, p, out)
}

func notRemote(of store.Server) error {
	return office.Answer(control.CodeBadRequest, "%s is no remote server, so there is nothing to sign in to", of.Name)
}

// find is the server that a person named.
func (s *Desk) find(name string) (srv *server, of store.Server, err error) {
	err = s.office.Answering(func(tx *store.Tx) error {
		of, err = office.FindServer(tx, name)
		return err
	})
	if err != nil {
		return nil, of, err
	}
	if of.URL == "" {
		return nil, of, notRemote(of)
	}
	srv = s.server(of.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if srv.url == "" && store.ServerID(of.Transport, nil, of.URL) == of.ID { // nothing in it is masked
		srv.url, _ = address.SplitAccount(of.URL)
	}
	return srv, of, nil
}

// shown is the plan to decide on: the one that was shown, if it is not old and nothing was entered since.
func (s *Desk) shown(ctx context.Context, srv *server, l control.Login) (*plan, error) {
	if p := srv.plan; p != nil && s.office.Now().Sub(p.at) < planLasts && (l.Issuer == "" || l.Issuer == p.login.Issuer) && (l.Digest == "" || l.Digest == p.login.Digest) &&
		(p.login.Issuer == "" || p.login.Registered == s.registeredBy(srv, p.Plan)) {
		return p, nil
	}
	issuer, had, err := s.recall(srv)
	if err != nil {
		return nil, err
	}
	return s.planFor(ctx, srv, cmp.Or(l.Issuer, issuer), had)
}

// underWay is the sign-in that was begun and has not ended.
func (s *Desk) underWay(srv *server) *attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return srv.attempt
}

// begin prepares the issuer's page and waits for what comes back. The caller has the turn.
func (s *Desk) begin(ctx context.Context, srv *server, p *plan, out control.LoginBegun) (control.LoginBegun, error) {
	client, err := s.client(srv)
	if err != nil {
		return control.LoginBegun{}, err
	}
	setup, err := s.setup(ctx, srv)
	if err != nil {
		return control.LoginBegun{}, told(err)
	}
	begun, err := client.Begin(ctx, p.Plan, setup)
	if err != nil {
		s.noteFailure(srv, err)
		return control.LoginBegun{}, told(err)
	}
	waits, stop := s.whole(loginLimit)
	a := &attempt{id: vocab.NewRecordID(s.office.Now()), srv: srv, stop: stop, done: make(chan struct{})}
	out.ID, out.Address = a.id, begun.URL()
	a.begun = out
	s.mu.Lock()
	srv.attempt, s.attempts[a.id] = a, a
	srv.problem, srv.said = "", ""
	s.mu.Unlock()
	s.hub.Work.Go(func() {
		defer close(a.done)
		defer stop()
		a.err = s.finish(waits, srv, p, begun)
		s.mu.Lock()
		srv.attempt = nil
		s.mu.Unlock()
		time.AfterFunc(loginLimit, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.attempts, a.id)
		})
	})
	return out, nil
}

// finish waits for a person at the issuer's page, and keeps the tokens.
func (s *Desk) finish(ctx context.Context, srv *server, p *plan, begun *oauth.Attempt) error {
	defer begun.Close()
	tokens, err := begun.Wait(ctx)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) { // a person stopped it, or the hub ends: nothing failed
		return err
	}
	if err != nil {
		s.noteFailure(srv, err)
		return err
	}
	ctx, cancel := s.whole(wholeLimit)
	defer cancel()
	if err := srv.enter(ctx); err != nil {
		return err
	}
	defer srv.leave()
	now := s.office.Now()
	sign := &kept{
		Issuer: p.Issuer, Resource: p.Resource, Plan: p.Plan, Registration: begun.Registration(), Access: tokens.Access, Refresh: tokens.Refresh,
		Scopes: tokens.Scopes, Since: now, Got: now, Expires: tokens.Expires,
	}
	if sign.Scopes == nil { // it is what was asked for (RFC 6749, 5.1)
		sign.Scopes = slices.Clone(p.Scopes)
	}
	if err := s.keep(ctx, srv, sign); err != nil {
		s.noteFailure(srv, err)
		return err
	}
	return s.signed(srv, p)
}

// signed ends the item about a sign-in, and tells the wrappers.
func (s *Desk) signed(srv *server, p *plan) error {
	s.office.Lock()
	defer s.office.Unlock()
	err := s.office.Update(func(tx *store.Tx) (bool, error) {
		of, err := tx.Server(srv.id)
		if err != nil {
			return false, err
		}
		code := ""
		it, err := tx.WaitingFor(srv.id, vocab.ItemLogin)
		if office.Absent(err) { // it can be one that the person refused before
			it, err = tx.Item(s.codeOf(srv))
		}
		if err != nil && !office.Absent(err) {
			return false, err
		}
		if err == nil && (it.Decided == "" || it.Decided == vocab.DecidedRejected) {
			code = it.Code
			it.Decided, it.DecidedAt = vocab.DecidedApproved, s.office.Now()
			if err := tx.PutItem(it); err != nil {
				return false, err
			}
		}
		of.Issuer = p.Issuer
		if err := tx.PutServer(of); err != nil {
			return false, err
		}
		_, err = tx.Append(s.office.Record(vocab.RecordApproval, vocab.StatusOK, store.Record{
			Server: of.Name, ServerID: of.ID, Code: code, Summary: "a person signed in at " + hostOf(p.Issuer),
			Detail: office.Detail(map[string]any{"issuer": p.Issuer, "scopes": p.Scopes, "registered": p.login.Registered}),
		}))
		return true, err
	})
	s.mu.Lock()
	srv.wanted, srv.code, srv.problem, srv.said = false, "", "", ""
	s.mu.Unlock()
	s.hub.PushAll()
	s.office.Changed()
	return s.office.Failed(err)
}

// LoginEnd waits for the end of a sign-in that was begun.
func (s *Desk) LoginEnd(ctx context.Context, peer control.Peer, id string) (control.SignInStatus, error) {
	status, err := s.LoginEnded(ctx, id)
	switch {
	case err != nil:
		return control.SignInStatus{}, err
	case status.Problem != "" && status.Said != "":
		return control.SignInStatus{}, office.Answer(control.CodeUnavailable, "%s; it says: %q", status.Problem, status.Said)
	case !status.SignedIn && status.Problem != "":
		return control.SignInStatus{}, office.Answer(control.CodeUnavailable, "%s", status.Problem)
	}
	return status, nil
}

// LoginEnded is LoginEnd for the window: why a sign-in failed is its Problem, and what the issuer says of it is kept apart.
func (s *Desk) LoginEnded(ctx context.Context, id string) (control.SignInStatus, error) {
	s.mu.Lock()
	a := s.attempts[id]
	s.mu.Unlock()
	if a == nil {
		return control.SignInStatus{}, office.Answer(control.CodeNotFound, "no such sign-in is under way")
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return control.SignInStatus{}, ctx.Err()
	}
	if a.err != nil {
		status := control.SignInStatus{Server: a.begun.Plan.Server, Identity: a.begun.Plan.Identity, Problem: office.OneLine(a.err.Error())}
		if f, ok := errors.AsType[*oauth.Failure](a.err); ok {
			status.Said = f.Words
		}
		return status, nil
	}
	all, err := s.SignIns(control.SignInQuery{Server: a.srv.id})
	if err != nil {
		return control.SignInStatus{}, err
	}
	return all[0], nil
}

// StopLogin ends a sign-in that was begun: what the page sends from now on does not count.
func (s *Desk) StopLogin(id string) {
	s.mu.Lock()
	a := s.attempts[id]
	s.mu.Unlock()
	if a != nil {
		a.stop()
		<-a.done
	}
}
