package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"
)

// Attempt is one sign-in, from the page that is opened to the tokens.
type Attempt struct {
	c        *Client
	plan     Plan
	reg      Registration
	verifier string
	page     string
	callback *callback
}

// Begin prepares a sign-in: it listens for the browser, on 127.0.0.1 and a port and path that nothing else knows, and makes us known to the issuer. It
// is for the moment when a person has asked for a sign-in; nothing is opened. The caller must Close it.
func (c *Client) Begin(ctx context.Context, p Plan, s Setup) (*Attempt, error) {
	how, err := p.How(s)
	if err != nil {
		return nil, err
	}
	page, err := c.endpoint(ctx, p.AuthorizationEndpoint)
	if err != nil {
		return nil, err
	}
	state, verifier := secret(), secret()
	redirect := ""
	switch how {
	case Own:
		redirect = s.Redirect
	case Document:
		redirect = "http://127.0.0.1" + documentPath
	case Dynamic: // it is registered for this sign-in alone
	}
	a := &Attempt{c: c, plan: p, verifier: verifier}
	if a.callback, err = listen(redirect, expected{issuer: p.Issuer, promised: p.IssPromised, state: state, page: page}); err != nil {
		return nil, err
	}
	if a.reg, err = c.register(ctx, p, s, a.callback.redirect); err != nil {
		a.Close()
		return nil, err
	}
	a.page = a.pageAddress(page, state)
	return a, nil
}

// pageAddress is the page with what the issuer needs to know (RFC 6749, 4.1.1; RFC 7636, 4.3; RFC 8707, 2).
func (a *Attempt) pageAddress(page *url.URL, state string) string {
	challenge := sha256.Sum256([]byte(a.verifier))
	q := page.Query() // RFC 6749, 3.1: a query of the page's own is kept
	q.Set("response_type", "code")
	q.Set("client_id", a.reg.ClientID)
	q.Set("redirect_uri", a.callback.redirect)
	q.Set("state", state)
	q.Set("code_challenge", base64.RawURLEncoding.EncodeToString(challenge[:]))
	q.Set("code_challenge_method", "S256")
	q.Set("resource", a.plan.Resource)
	q.Del("scope")
	if len(a.plan.Scopes) > 0 {
		q.Set("scope", strings.Join(a.plan.Scopes, " "))
	}
	if slices.Contains(a.plan.Scopes, "offline_access") {
		q.Set("prompt", "consent") // without it an issuer ignores the scope (OpenID Connect Core 1.0, 11)
	}
	u := *page
	u.RawQuery = q.Encode()
	return u.String()
}

// secret is a value that can't be guessed: 256 bits, as long as a verifier must be (RFC 7636, 4.1).
func secret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// URL is the address of the page where the person signs in. It is to be opened by a person's wish alone, and holds no secret but for this attempt.
func (a *Attempt) URL() string { return a.page }

// Registration is how the issuer knows us now. It is needed for refreshing.
func (a *Attempt) Registration() Registration { return a.reg }

// Wait waits for the browser to come back, until ctx ends, and exchanges what it brings for tokens. It can be called once.
func (a *Attempt) Wait(ctx context.Context) (Tokens, error) {
	select {
	case r := <-a.callback.came:
		if r.err != nil {
			return Tokens{}, r.err
		}
		// The code is good for once, so the exchange is not given up when the wait is.
		return a.c.exchange(context.WithoutCancel(ctx), a.plan, a.reg, r.code, a.verifier, a.callback.redirect)
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return Tokens{}, failed(ErrNoResponse, "the sign-in at %s was not finished in time; start it again", a.plan.Origin())
		}
		return Tokens{}, failed(ErrNoResponse, "the sign-in at %s was stopped", a.plan.Origin())
	}
}

// Close stops listening for the browser.
func (a *Attempt) Close() { a.callback.close() }
