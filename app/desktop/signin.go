package desktop

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// SignInPlan is where a person would sign in, and for what. The addresses and scopes are text of the server or of the issuer.
type SignInPlan struct {
	Issuer     string   `json:"issuer"`   // "" while there are several to choose from
	Host       string   `json:"host"`     // of the issuer
	Page       string   `json:"page"`     // origin of the page that opens in the browser
	PageHost   string   `json:"pageHost"` // of that page
	Scopes     []string `json:"scopes"`
	Registered string   `json:"registered" ts_type:"'own' | 'document' | 'dynamic' | ''"` // how Sallyport is known there; "" if a client id must be entered first
	Digest     string   `json:"digest"`                                                   // of one of several; "" for the only one, where the review's counts
	Nonce      string   `json:"nonce"`                                                    // likewise
}

// SignInChoice is one of several places to sign in.
type SignInChoice struct {
	Issuer string `json:"issuer"` // server text
	Host   string `json:"host"`   // server text
}

// WantedSignIn is what a review says of a sign-in that a server wants.
type WantedSignIn struct {
	Plan       SignInPlan     `json:"plan"`
	Choices    []SignInChoice `json:"choices"`
	BeforeHost string         `json:"beforeHost"` // of the issuer of the sign-in that there was, if it is another one
	Had        []string       `json:"had"`        // what the person allowed before, if that is not enough
	Under      *SignInBegun   `json:"under,omitempty"`
	Failed     *SignInEnd     `json:"failed,omitempty"` // how the last one from this window ended, if it failed
}

// SignInDecision begins a sign-in, as it was shown.
type SignInDecision struct {
	Code   string `json:"code"`
	Issuer string `json:"issuer"` // one of several, "" for the only one
	Digest string `json:"digest"` // of the item, or of the plan of one of several
	Nonce  string `json:"nonce"`
}

// SignInBegun is a sign-in under way. Its address stays here.
type SignInBegun struct {
	ID   string `json:"id"`
	Host string `json:"host"` // of the page in the browser
}

// SignInEnd is how a sign-in ended.
type SignInEnd struct {
	SignedIn bool   `json:"signedIn"`
	Stopped  bool   `json:"stopped"` // by the person
	Why      string `json:"why"`     // in our words
	Said     string `json:"said"`    // the issuer's words
}

// SignedIn is a person's sign-in at a server.
type SignedIn struct {
	SignedIn bool     `json:"signedIn"`
	Host     string   `json:"host"` // of the issuer
	Scopes   []string `json:"scopes"`
	Since    string   `json:"since"` // "" if there is none
	Kept     string   `json:"kept" ts_type:"'keychain' | 'file' | ''"`
	Code     string   `json:"code"`    // of the pending item about a sign-in that it wants
	Problem  string   `json:"problem"` // what failed last, in our words
	Said     string   `json:"said"`    // the issuer's words about that
}

// signIns are the sign-ins that were begun in this window, the newest last.
type signIns struct {
	browse func(address string) error

	mu    sync.Mutex
	begun []*begunSignIn
}

type begunSignIn struct {
	SignInBegun
	code, address string
	stopped       bool
	over          bool
	done          chan struct{} // closed once it is over
	end           SignInEnd
	err           error
}

// keptSignIns is how many of them are remembered.
const keptSignIns = 32

// hostIn is the host of an address, with its port if it names one; the address itself if it has none.
func hostIn(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

func signInPlan(p control.LoginPlan) SignInPlan {
	return SignInPlan{Issuer: p.Issuer, Host: hostIn(p.Issuer), Page: p.Page, PageHost: hostIn(p.Page), Scopes: some(p.Scopes), Registered: p.Registered}
}

func wantedSignIn(it control.ItemDetail) *WantedSignIn {
	if it.Kind != vocab.ItemLogin || it.Login == nil {
		return nil
	}
	out := &WantedSignIn{Plan: signInPlan(it.Login.Plan), Choices: []SignInChoice{}, Had: some(it.Login.Had)}
	for _, issuer := range it.Login.Plan.Issuers {
		out.Choices = append(out.Choices, SignInChoice{Issuer: issuer, Host: hostIn(issuer)})
	}
	if before := it.Login.Before; before != "" && before != it.Login.Plan.Issuer {
		out.BeforeHost = hostIn(before)
	}
	return out
}

// signInLimit is how long finding out and preparing may take: some requests, each with a limit of its own.
const signInLimit = time.Minute

// wantedBy is a pending item about a sign-in.
func wantedBy(h *app.Hub, code string) (control.ItemDetail, error) {
	it, err := h.Item(code)
	if err != nil {
		return it, err
	}
	if it.Kind != vocab.ItemLogin || it.Login == nil {
		return it, &control.Error{Code: control.CodeBadRequest, Message: "this item is not about a sign-in"}
	}
	return it, nil
}

// SignInPlan finds out what a sign-in would be now: at one of several issuers, with a nonce of its own, or with "" at the only one, after a client id was
// entered. If that is not what the item says, another item takes its place.
func (p *Page) SignInPlan(code, issuer string) (SignInPlan, error) {
	h, err := p.engine()
	if err != nil {
		return SignInPlan{}, err
	}
	it, err := wantedBy(h, code)
	if err != nil {
		return SignInPlan{}, err
	}
	if issuer != "" && !slices.Contains(it.Login.Plan.Issuers, issuer) {
		return SignInPlan{}, &control.Error{Code: control.CodeBadRequest, Message: "the server doesn't name this place to sign in"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), signInLimit)
	defer cancel()
	found, err := h.Login(ctx, here, control.Login{Server: it.Identity, Issuer: issuer})
	if err != nil {
		return SignInPlan{}, err
	}
	out := signInPlan(found.Plan)
	if issuer != "" {
		out.Nonce = p.nonces.mint(signInSubject(code, issuer), found.Plan.Digest, "")
		out.Digest = found.Plan.Digest
	}
	return out, nil
}

func signInSubject(code, issuer string) string { return "sign-in\x00" + code + "\x00" + issuer }

// BeginSignIn begins the sign-in that was shown. OpenSignIn opens its page.
func (p *Page) BeginSignIn(d SignInDecision) (SignInBegun, error) {
	h, err := p.engine()
	if err != nil {
		return SignInBegun{}, err
	}
	it, err := wantedBy(h, d.Code)
	if err != nil {
		return SignInBegun{}, err // names the item that replaced it
	}
	subject, plan := itemSubject(it.Code), it.Login.Plan.Digest
	if d.Issuer != "" {
		subject, plan = signInSubject(it.Code, d.Issuer), d.Digest
	}
	if d.Issuer == "" && it.Digest != d.Digest || undecidable(it) {
		return SignInBegun{}, &control.Error{Code: control.CodeStale, Message: "it changed since it was shown: review it again", See: it.Code}
	}
	if err := p.nonces.spend(d.Nonce, subject, d.Digest, "", false); err != nil {
		return SignInBegun{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), signInLimit)
	defer cancel()
	begun, err := h.Login(ctx, here, control.Login{Server: it.Identity, Issuer: d.Issuer, Digest: plan})
	if answer, ok := errors.AsType[*control.Error](err); ok && answer.Code == control.CodeUnavailable {
		end := SignInEnd{Why: answer.Message}
		if all, err := h.SignIns(control.SignInQuery{Server: it.Identity}); err == nil && len(all) == 1 {
			end.Said = all[0].Said
		}
		p.signIns.keep(&begunSignIn{code: it.Code, over: true, end: end})
		return SignInBegun{}, nil // the review says why
	}
	if err != nil {
		return SignInBegun{}, err
	}
	return p.signIns.follow(h, it.Code, begun), nil
}

// keep remembers a sign-in.
func (s *signIns) keep(b *begunSignIn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = append(s.begun, b)
	if i := slices.IndexFunc(s.begun, func(b *begunSignIn) bool { return b.over }); len(s.begun) > keptSignIns && i >= 0 {
		s.begun = slices.Delete(s.begun, i, i+1)
	}
}

// follow remembers a sign-in that was begun, and how it ends. One that was joined is remembered already.
func (s *signIns) follow(h *app.Hub, code string, begun control.LoginBegun) SignInBegun {
	if b, err := s.of(begun.ID); err == nil {
		return b.SignInBegun
	}
	b := &begunSignIn{SignInBegun: SignInBegun{ID: begun.ID, Host: hostIn(begun.Address)}, code: code, address: begun.Address, done: make(chan struct{})}
	s.keep(b)
	go func() {
		defer close(b.done)
		status, err := h.LoginEnded(context.Background(), b.ID) // at the latest when its time is up
		s.mu.Lock()
		defer s.mu.Unlock()
		b.over, b.end, b.err = true, SignInEnd{SignedIn: status.SignedIn, Why: status.Problem, Said: status.Said}, err
		if b.stopped && !b.end.SignedIn {
			b.end = SignInEnd{Stopped: true}
		}
	}()
	return b.SignInBegun
}

func (s *signIns) of(id string) (*begunSignIn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.begun {
		if b.ID == id && id != "" {
			return b, nil
		}
	}
	return nil, errSignInOver
}

var errSignInOver = &control.Error{Code: control.CodeNotFound, Message: "this sign-in is over"}

// tell fills in what became of the last sign-in that an item is about.
func (s *signIns) tell(out *WantedSignIn, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range slices.Backward(s.begun) {
		if b.code != code {
			continue
		}
		if begun, end := b.SignInBegun, b.end; !b.over {
			out.Under = &begun
		} else if end.Why != "" {
			out.Failed = &end
		}
		return
	}
}

// OpenSignIn opens the page of a sign-in that was begun, in the browser. It returns "", or the address if no browser could be started.
func (p *Page) OpenSignIn(id string) (string, error) {
	b, err := p.signIns.of(id)
	if err != nil {
		return "", err
	}
	p.signIns.mu.Lock()
	over := b.over
	p.signIns.mu.Unlock()
	if over {
		return "", errSignInOver
	}
	if p.signIns.browse(b.address) != nil {
		return b.address, nil
	}
	return "", nil
}

// WaitSignIn waits for the end of a sign-in.
func (p *Page) WaitSignIn(id string) (SignInEnd, error) {
	b, err := p.signIns.of(id)
	if err != nil {
		return SignInEnd{}, err
	}
	<-b.done
	return b.end, b.err
}

// StopSignIn ends a sign-in: what the browser sends from now on does not count.
func (p *Page) StopSignIn(id string) error {
	h, err := p.engine()
	if err != nil {
		return err
	}
	b, err := p.signIns.of(id)
	if err != nil {
		return err
	}
	p.signIns.mu.Lock()
	b.stopped = true
	p.signIns.mu.Unlock()
	h.StopLogin(id)
	return nil
}

// SignInOf is a person's sign-in at a remote server.
func (p *Page) SignInOf(identity string) (SignedIn, error) {
	return told(p.hubLink, func(h *app.Hub) (status control.SignInStatus, err error) {
		all, err := h.SignIns(control.SignInQuery{Server: identity})
		if len(all) > 0 {
			status = all[0]
		}
		return status, err
	}, signedIn)
}

// SignOut ends it. It only tightens, so it needs no nonce.
func (p *Page) SignOut(identity string) (SignedIn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), signInLimit)
	defer cancel()
	return told(p.hubLink, func(h *app.Hub) (control.SignInStatus, error) { return h.Logout(ctx, here, identity) }, signedIn)
}

func signedIn(s control.SignInStatus) SignedIn {
	return SignedIn{SignedIn: s.SignedIn, Host: hostIn(s.Issuer), Scopes: some(s.Scopes), Since: stamp(s.Since), Kept: s.Kept, Code: s.Code, Problem: s.Problem, Said: s.Said}
}
