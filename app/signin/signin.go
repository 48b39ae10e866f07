// Package signin has people's sign-ins at remote servers: which server wants one, the sign-in itself, which a person begins, and the tokens.
// Package oauth speaks with the servers that authorize; this one knows the store, the inbox and the wrappers.
//
// Tokens are kept in the keychain, or in the sealed file where there is none, and never in the store. A wrapper gets the access token of its own
// server; refresh tokens stay here. A refresh token is good for one use, so one refresh runs at a time for a server, and its result is kept
// before anyone gets it.
//
// The department has its own lock, which is taken inside the office's and never around it. Nothing is asked of a network or a keychain while
// either is held. What does that for one server takes its turn.
package signin

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/oauth"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Hub is what sign-ins need from the hub; it is called with the office's lock held.
type Hub struct {
	Wrapper  func(conn control.Wrapper, call string) (*office.Wrapper, error)
	State    func(conn control.Wrapper) (control.State, error) // of a wrapper now
	Settings func(store.Server) policy.Values
	PushAll  func()
	Home     control.Home
	Work     *sync.WaitGroup // an ending hub waits for it: a refresh that was sent must be kept
	Closing  chan struct{}
}

// Desk is the department. mu guards its fields and those of each server, except what belongs to the turn.
type Desk struct {
	office *office.Office
	hub    Hub
	kept   keychain.Store

	mu       sync.Mutex
	servers  map[string]*server // by id
	attempts map[string]*attempt
}

func New(o *office.Office, hub Hub) *Desk {
	return &Desk{office: o, hub: hub, kept: keychain.Tokens(hub.Home.Dir), servers: map[string]*server{}, attempts: map[string]*attempt{}}
}

// server is a remote server, as far as its sign-in goes.
type server struct {
	id   string
	turn chan struct{} // held by the one that speaks with issuer or keychain for it

	// Under mu.
	url     string // as written, "" if only the store's masked one is known
	access  access
	serial  uint64
	wanted  bool
	code    string // of the item about it
	problem string // what failed last, in our words
	said    string // what the issuer said of it
	attempt *attempt

	// Of the turn.
	loaded    bool
	sign      *kept // nil: not signed in
	challenge oauth.Challenge
	plan      *plan
	failed    time.Time            // when the issuer last did not respond
	more      map[string]time.Time // when a set of scopes was last asked for
}

// access is what wrappers get.
type access struct {
	token          string
	renew, expires time.Time // zero: unknown
}

// OpenSignIns reads from the store which servers wait for a sign-in.
func (s *Desk) OpenSignIns() error {
	s.office.Lock()
	defer s.office.Unlock()
	if !s.office.Works() {
		return nil
	}
	return s.office.Store.View(func(tx *store.Tx) error {
		for _, it := range tx.WaitingHeads() {
			if it.Kind != vocab.ItemLogin {
				continue
			}
			it, err := tx.Item(it.Code)
			if err != nil {
				return err
			}
			srv := s.server(it.ServerID)
			s.mu.Lock()
			srv.code, srv.wanted = it.Code, wantsAll(it)
			s.mu.Unlock()
		}
		return nil
	})
}

// server is the entry of one, made if there is none.
func (s *Desk) server(id string) *server {
	s.mu.Lock()
	defer s.mu.Unlock()
	srv := s.servers[id]
	if srv == nil {
		srv = &server{id: id, turn: make(chan struct{}, 1), more: map[string]time.Time{}}
		s.servers[id] = srv
	}
	return srv
}

// SignInState is what the wrappers of a server are told. It may be called with the office's lock held.
func (s *Desk) SignInState(id string) control.SignInState {
	s.mu.Lock()
	defer s.mu.Unlock()
	srv := s.servers[id]
	if srv == nil {
		return control.SignInState{}
	}
	state := control.SignInState{Wanted: srv.wanted, Serial: srv.serial}
	if srv.wanted {
		state.Code = srv.code
	}
	return state
}

// enter takes a server's turn.
func (srv *server) enter(ctx context.Context) error {
	select {
	case srv.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (srv *server) leave() { <-srv.turn }

// of is the server of a wrapper, with its address, and the label of its account, as the wrapper has them.
func (s *Desk) of(conn control.Wrapper, spelled string) (*server, error) {
	s.office.Lock()
	defer s.office.Unlock()
	w, err := s.hub.Wrapper(conn, "sign_in")
	if err != nil {
		return nil, err
	}
	if store.ServerID(identity.TransportURL, nil, spelled) != w.Server {
		return nil, office.Answer(control.CodeBadRequest, "the address is not that of this wrapper's server")
	}
	srv := s.server(w.Server)
	s.mu.Lock()
	srv.url, _ = address.SplitAccount(spelled)
	s.mu.Unlock()
	return srv, nil
}

// client speaks for a server. Its address must be known.
func (s *Desk) client(srv *server) (*oauth.Client, error) {
	s.mu.Lock()
	spelled := srv.url
	s.mu.Unlock()
	if spelled == "" {
		return nil, office.Answer(control.CodeUnavailable, "the address of this server is not known yet: start the client that uses it, then try again")
	}
	u, err := url.Parse(spelled)
	if err != nil {
		return nil, office.Answer(control.CodeBadRequest, "the address of this server can't be read")
	}
	o := oauth.Options{Server: u, Now: s.office.Now}
	if class := s.allowedClass(srv.id); class != "" {
		o.Class = func() address.Class { return class }
	}
	return oauth.New(o), nil
}

// allowedClass is the class of address at which a person allowed the server, the outermost of several; "" if nothing was allowed yet. A name that leads
// further inwards meanwhile does not open the way there to its issuer.
func (s *Desk) allowedClass(id string) (class address.Class) {
	s.office.Lock()
	defer s.office.Unlock()
	if !s.office.Works() {
		return ""
	}
	_ = s.office.Store.View(func(tx *store.Tx) error {
		l, err := ledger.Read(tx, id)
		if err != nil {
			return err
		}
		for _, form := range l.LaunchForms() {
			if a := form.Address; a != nil && class.InnerTo(a.Class) {
				class = a.Class
			}
		}
		return nil
	})
	return class
}

const (
	// refreshLimit is how long an issuer may take for a token.
	refreshLimit = 15 * time.Second
	// quiet is how long an issuer that did not respond is left alone, unless a server refuses the token that there is.
	quiet = 15 * time.Second
	// briefly is how long a wrapper with a token that still counts waits for a new one.
	briefly = 2 * time.Second
)

// SignIn answers a wrapper that needs a token, or whose token was refused.
func (s *Desk) SignIn(ctx context.Context, conn control.Wrapper, in control.SignIn) (out control.SignedIn, err error) {
	size := 0
	for _, value := range in.Challenge {
		size += len(value)
	}
	if size > control.MaxChallenge {
		return out, office.Answer(control.CodeBadRequest, "a challenge of more than 8 KiB")
	}
	srv, err := s.of(conn, in.URL)
	if err != nil {
		return out, err
	}
	if in.Demanded {
		out, err = s.demanded(ctx, srv, in)
	} else {
		out, err = s.current(ctx, srv)
	}
	if err != nil {
		return out, told(err)
	}
	s.office.Lock()
	defer s.office.Unlock()
	if w, err := s.hub.Wrapper(conn, "sign_in"); err == nil && out.Token != "" && !slices.Contains(w.Secrets, out.Token) {
		w.Secrets = slices.Concat([]string{out.Token}, w.Secrets[:min(len(w.Secrets), maxMasked)]) // a server can send it back
	}
	out.State, err = s.hub.State(conn)
	return out, err
}

// maxMasked is how many secrets of a wrapper are masked besides its newest token: what it registered, and the tokens before.
const maxMasked = 128

// told is an error that a wrapper may see: the words of oauth and keychain are ours.
func told(err error) error {
	if _, ok := errors.AsType[*control.Error](err); ok || errors.Is(err, context.Canceled) {
		return err
	}
	return office.Answer(control.CodeUnavailable, "%s", office.OneLine(err.Error()))
}

// current is the token that there is, renewed if that is due.
func (s *Desk) current(ctx context.Context, srv *server) (control.SignedIn, error) {
	now := s.office.Now()
	a, known := s.accessOf(srv)
	if !known {
		if err := s.load(ctx, srv); err != nil {
			return control.SignedIn{}, err
		}
		a, _ = s.accessOf(srv)
	}
	if a.token == "" || a.renew.IsZero() || now.Before(a.renew) {
		return a.given(), nil
	}
	done := make(chan error, 1)
	s.hub.Work.Go(func() { done <- s.renewDue(srv) })
	wait := refreshLimit + time.Second
	if a.expires.IsZero() || now.Before(a.expires) {
		wait = briefly // the old one still counts
	}
	select {
	case <-done:
	case <-time.After(wait):
	case <-ctx.Done():
	}
	a, _ = s.accessOf(srv)
	return a.given(), nil
}

func (a access) given() control.SignedIn { return control.SignedIn{Token: a.token, Renew: a.renew} }

func (s *Desk) accessOf(srv *server) (a access, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return srv.access, srv.serial > 0
}

// demanded answers a wrapper whose server refused a request.
func (s *Desk) demanded(ctx context.Context, srv *server, in control.SignIn) (out control.SignedIn, err error) {
	// What is begun is ended: a refresh token that was sent is used up, whoever still listens.
	done := make(chan struct{})
	s.hub.Work.Go(func() {
		defer close(done)
		ctx, cancel := s.whole(wholeLimit)
		defer cancel()
		out, err = s.demandedNow(ctx, srv, in)
	})
	select {
	case <-done:
		return out, err
	case <-ctx.Done():
		return control.SignedIn{}, ctx.Err()
	}
}

// wholeLimit is how long work lasts that is ended whoever still listens: some requests, each with a limit of its own.
const wholeLimit = 2 * time.Minute

// whole is a context for work that ends with the hub or after so long, not with whoever asked for it.
func (s *Desk) whole(limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, leave := office.Until(context.Background(), s.hub.Closing)
	ctx, cancel := context.WithTimeout(ctx, limit)
	return ctx, func() {
		cancel()
		leave()
	}
}

func (s *Desk) demandedNow(ctx context.Context, srv *server, in control.SignIn) (control.SignedIn, error) {
	if err := srv.enter(ctx); err != nil {
		return control.SignedIn{}, err
	}
	defer srv.leave()
	if err := s.loadNow(ctx, srv); err != nil {
		return control.SignedIn{}, err
	}
	srv.challenge = oauth.ParseChallenge(in.Challenge)
	if in.Scope {
		code, err := s.wantMore(ctx, srv)
		return control.SignedIn{Code: code}, err
	}
	if srv.sign != nil {
		if a, _ := s.accessOf(srv); control.TokenHash(a.token) != in.Refused {
			return a.given(), nil // somebody else's refusal was answered meanwhile
		}
		err := s.refresh(ctx, srv)
		if err == nil {
			a, _ := s.accessOf(srv)
			return a.given(), nil
		}
		if !errors.Is(err, errOver) {
			return control.SignedIn{}, err
		}
	}
	code, err := s.want(ctx, srv)
	return control.SignedIn{Code: code}, err
}
