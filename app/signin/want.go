package signin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/oauth"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// plan is what a sign-in would bind, as it was found out.
type plan struct {
	oauth.Plan
	challenge oauth.Challenge // that it was found out for
	login     store.Login     // as people are shown it
	at        time.Time
}

// planLasts is how long what was found out is used again. The person decides on its digest.
const planLasts = 10 * time.Minute

// moreEvery is how long a set of scopes is not asked for again.
const moreEvery = time.Hour

// maxMore is how many sets of scopes are remembered for that.
const maxMore = 64

// wantsAll reports whether an item is about a server that can't be used without a sign-in, not about more scopes.
func wantsAll(it store.Item) bool { return len(review.LoginOf(it).Had) == 0 }

// want makes the item about a server that wants a sign-in, and returns its code. The caller has the turn.
func (s *Desk) want(ctx context.Context, srv *server) (code string, err error) {
	if code := s.wanted(srv); code != "" {
		return code, nil
	}
	p, err := s.planFor(ctx, srv, "", nil)
	if err != nil {
		s.noteFailure(srv, err)
		return "", err
	}
	return s.ask(srv, p, true)
}

// wanted is the code of the item about a server whose wrappers wait already, "" if it is to be found out anew: ten that start at once ask for one.
func (s *Desk) wanted(srv *server) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := srv.plan
	if !srv.wanted || p == nil || s.office.Now().Sub(p.at) >= planLasts || !reflect.DeepEqual(p.challenge, srv.challenge) {
		return ""
	}
	return srv.code
}

// wantMore is want for a token that is not good for everything.
func (s *Desk) wantMore(ctx context.Context, srv *server) (code string, err error) {
	var had []string
	if srv.sign != nil {
		had = slices.Concat([]string{}, srv.sign.Scopes)
	}
	if had == nil {
		return s.want(ctx, srv)
	}
	asked := strings.Join(slices.Sorted(slices.Values(srv.challenge.Scopes)), " ")
	now := s.office.Now()
	if last, again := srv.more[asked]; again && now.Sub(last) < moreEvery && !now.Before(last) {
		if code := s.codeOf(srv); code != "" {
			return code, nil
		}
	}
	p, err := s.planFor(ctx, srv, srv.sign.Issuer, had)
	if err != nil {
		s.noteFailure(srv, err)
		return "", err
	}
	if len(srv.more) >= maxMore {
		clear(srv.more)
	}
	srv.more[asked] = now
	return s.ask(srv, p, false)
}

// planFor finds out where a person would sign in. had are the scopes of a sign-in that is not enough, nil if there is none.
func (s *Desk) planFor(ctx context.Context, srv *server, issuer string, had []string) (*plan, error) {
	client, err := s.client(srv)
	if err != nil {
		return nil, err
	}
	found, err := client.Discover(ctx, srv.challenge, issuer)
	if err != nil && !errors.Is(err, oauth.ErrSeveral) {
		return nil, err
	}
	p := &plan{Plan: found, challenge: srv.challenge, at: s.office.Now()}
	if had != nil {
		p.Scopes = oauth.Union(had, found.Scopes)
	}
	login := store.Login{Issuer: found.Issuer, Page: found.Origin(), Scopes: p.Scopes, Had: had, Registered: s.registeredBy(srv, found)}
	if errors.Is(err, oauth.ErrSeveral) {
		login = store.Login{Issuers: found.Issuers}
	}
	before, err := s.before(srv)
	if err != nil {
		return nil, err
	}
	if login.Issuer != "" && before != login.Issuer {
		login.Before = before
	}
	bound, err := json.Marshal([]any{srv.id, found.Resource, login})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(bound)
	login.Digest = hex.EncodeToString(sum[:])
	p.login, srv.plan = login, p
	return p, nil
}

// before is the issuer of the sign-in that there is, else of the last one, "" if there was none.
func (s *Desk) before(srv *server) (issuer string, err error) {
	if srv.sign != nil {
		return srv.sign.Issuer, nil
	}
	err = s.office.Answering(func(tx *store.Tx) error {
		of, err := tx.Server(srv.id)
		issuer = of.Issuer
		return err
	})
	return issuer, err
}

// registeredBy says how Sallyport would be known to an issuer, "" if a person must enter a client id first.
func (s *Desk) registeredBy(srv *server, p oauth.Plan) string {
	known := s.registration(srv)
	how, err := p.How(oauth.Setup{ClientID: known.ClientID, Document: known.ClientMetadataURL})
	if err != nil {
		return ""
	}
	return string(how)
}

// setup is what the person has entered for a server, with the secret in place of where it is.
func (s *Desk) setup(ctx context.Context, srv *server) (oauth.Setup, error) {
	known := s.registration(srv)
	setup := oauth.Setup{ClientID: known.ClientID, Document: known.ClientMetadataURL}
	if known.ClientID == "" || known.ClientSecret == "" {
		return setup, nil
	}
	ref, err := keychain.ParseRef(known.ClientSecret)
	if err == nil {
		setup.ClientSecret, err = ref.Resolve(ctx, keychain.Secrets(s.hub.Home.Dir), os.Getenv)
	}
	if err != nil {
		return setup, fmt.Errorf("auth.client_secret: %w", err)
	}
	return setup, nil
}

// registration is what the settings of a server say of it.
func (s *Desk) registration(srv *server) policy.Registration {
	s.office.Lock()
	defer s.office.Unlock()
	var of store.Server
	if s.office.Works() {
		_ = s.office.Store.View(func(tx *store.Tx) (err error) {
			of, err = tx.Server(srv.id)
			return err
		})
	}
	return policy.ForSignIn(s.hub.Settings(of))
}

// ask puts a plan into the inbox. all: nothing of the server passes before a person has signed in.
func (s *Desk) ask(srv *server, p *plan, all bool) (code string, err error) {
	s.office.Lock()
	defer s.office.Unlock()
	if err := s.office.Usable(); err != nil {
		return "", err
	}
	var notices []review.Notice
	err = s.office.Update(func(tx *store.Tx) (bool, error) {
		notices = nil
		of, err := tx.Server(srv.id)
		if err != nil {
			return false, err
		}
		want := review.LoginContent(of, p.login)
		if refused := refusedBefore(tx, srv.id, want.Digest()); refused != "" {
			code = refused // a person can still sign in by it
			return false, nil
		}
		item, fresh, err := s.office.Settle(tx, want, vocab.ItemLogin, srv.id, s.office.Now())
		if err != nil {
			return false, err
		}
		code = item.Code
		if fresh {
			notices = append(notices, review.NoticeOf(*item, of.Name))
		}
		return fresh, nil
	})
	if err != nil {
		return "", s.office.Failed(err)
	}
	s.mu.Lock()
	srv.code, srv.problem, srv.said = code, "", ""
	srv.wanted = srv.wanted || all
	s.mu.Unlock()
	s.hub.PushAll()
	s.office.Tell(notices...)
	return code, nil
}

// renew has the item about a sign-in say what was found out now. A server without such an item gets none.
func (s *Desk) renew(srv *server, p *plan) error {
	old := false
	err := s.office.Answering(func(tx *store.Tx) error {
		it, err := tx.WaitingFor(srv.id, vocab.ItemLogin)
		old = err == nil && review.LoginOf(it).Digest != p.login.Digest
		if office.Absent(err) {
			return nil
		}
		return err
	})
	if err != nil || !old {
		return err
	}
	_, err = s.ask(srv, p, false)
	return err
}

// recall is what a plan has to be made from that was made before: from the item about it, since a hub that was started again has seen no challenge.
func (s *Desk) recall(srv *server) (issuer string, had []string, err error) {
	var login store.Login
	err = s.office.Answering(func(tx *store.Tx) error {
		it, err := tx.WaitingFor(srv.id, vocab.ItemLogin)
		if office.Absent(err) {
			return nil
		}
		login = review.LoginOf(it)
		return err
	})
	if len(srv.challenge.Scopes) == 0 && !srv.challenge.Bearer {
		srv.challenge.Scopes = login.Scopes
	}
	if len(login.Had) > 0 && srv.sign != nil {
		return srv.sign.Issuer, slices.Concat([]string{}, srv.sign.Scopes), err
	}
	return "", nil, err
}

// refusedBefore is the code of the item with this content that a person refused, "" for none.
func refusedBefore(tx *store.Tx, server, digest string) string {
	if _, err := tx.WaitingFor(server, vocab.ItemLogin); err == nil {
		return ""
	}
	for _, it := range tx.DecidedHeads() {
		if it.Kind == vocab.ItemLogin && it.ServerID == server && it.Digest == digest && it.Decided == vocab.DecidedRejected {
			return it.Code
		}
	}
	return ""
}

// noteFailure keeps why a sign-in can't be begun.
func (s *Desk) noteFailure(srv *server, err error) {
	said := ""
	if f, ok := errors.AsType[*oauth.Failure](err); ok {
		said = f.Words
	}
	s.note(srv, office.OneLine(err.Error()), said)
}

// hostOf is how an issuer is called.
func hostOf(issuer string) string {
	if u, err := url.Parse(issuer); err == nil {
		return cmp.Or(address.Host(u), "the issuer")
	}
	return "the issuer"
}

// DecideLogin refuses: a person signs in on the issuer's page, which a yes alone does not open. A no keeps the server as it is.
func (s *Desk) DecideLogin(tx *store.Tx, it store.Item, d control.Decide, out *control.Decided) (wrote bool, apply func(), err error) {
	of, err := tx.Server(it.ServerID)
	if err != nil {
		return false, nil, err
	}
	out.Server = of.Name
	if !d.Reject {
		return false, nil, office.Answer(control.CodeBadRequest, "%s is about a sign-in: sign in with `sallyport auth login %s`, or in the window", it.Code, fmt.Sprintf("%q", cmp.Or(office.ShownIn(tx, of), of.Name)))
	}
	it.Decided, it.DecidedAt = vocab.DecidedRejected, s.office.Now()
	out.Rejected = append(out.Rejected, "login")
	if err := tx.PutItem(it); err != nil {
		return false, nil, err
	}
	return true, nil, s.office.NoteDecision(tx, of, vocab.RecordRejection, it.Code, []string{"login"}, "refused", map[string]any{})
}
