package oauth

import (
	"context"
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
)

// Tokens are what an issuer gave.
type Tokens struct {
	Access  string
	Refresh string    // "" for none
	Type    string    // Bearer
	Scopes  []string  // that were granted; none: the issuer did not say, so those that were asked for
	Expires time.Time // of Access; zero if the issuer does not say
}

// maxToken is the longest token that is taken, in bytes: it has to fit into a header.
const maxToken = 16 << 10

// maxLifetime bounds what an issuer says about a token's life.
const maxLifetime = 10 * 365 * 24 * time.Hour

// Refresh gets a new access token. ErrInvalidGrant and ErrInvalidClient mean that the sign-in is over; any other error means that nothing is known to
// have changed. Tokens.Refresh is to be kept in place of the old one: it is the old one if the issuer gave no other (RFC 6749, 6).
func (c *Client) Refresh(ctx context.Context, p Plan, reg Registration, refresh string) (Tokens, error) {
	t, err := c.tokens(ctx, p, reg, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "resource": {p.Resource}}, "the refresh")
	if err == nil && t.Refresh == "" {
		t.Refresh = refresh
	}
	return t, err
}

// exchange gets the first tokens for a code.
func (c *Client) exchange(ctx context.Context, p Plan, reg Registration, code, verifier, redirect string) (Tokens, error) {
	return c.tokens(ctx, p, reg, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {redirect}, "resource": {p.Resource},
	}, "the code of the sign-in")
}

func (c *Client) tokens(ctx context.Context, p Plan, reg Registration, form url.Values, what string) (Tokens, error) {
	to, r, err := c.post(ctx, p, reg, p.TokenEndpoint, form)
	if err != nil {
		return Tokens{}, err
	}
	if r.status < 200 || r.status > 299 {
		return Tokens{}, c.refusal(to, what, r, secretsOf(reg, form)...)
	}
	if d, err := documentOf(r.body); err == nil && d["error"] != nil { // some issuers say no with status 200
		return Tokens{}, c.refusal(to, what, r, secretsOf(reg, form)...)
	}
	t, err := c.parseTokens(r.body)
	if err != nil {
		return Tokens{}, failed(ErrWrong, "%s sent tokens that can't be used: %s", address.Origin(to), err)
	}
	return t, nil
}

// post sends a form to an endpoint of the issuer, with what shows who we are.
func (c *Client) post(ctx context.Context, p Plan, reg Registration, endpoint string, form url.Values) (*url.URL, *response, error) {
	if reg.Issuer != p.Issuer {
		return nil, nil, failed(ErrWrong, "the registration belongs to another place to sign in at than %s; sign in again", originOf(p.Issuer))
	}
	to, err := c.named(endpoint)
	if err != nil {
		return nil, nil, err
	}
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	switch reg.AuthMethod {
	case "client_secret_basic": // RFC 6749, 2.3.1
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(reg.ClientID)+":"+url.QueryEscape(reg.ClientSecret))))
	case "client_secret_post":
		form.Set("client_id", reg.ClientID)
		form.Set("client_secret", reg.ClientSecret)
	default:
		form.Set("client_id", reg.ClientID)
	}
	r, err := c.send(ctx, http.MethodPost, to, header, form.Encode())
	return to, r, err
}

// parseTokens reads a response of a token endpoint (RFC 6749, 5.1).
func (c *Client) parseTokens(body []byte) (t Tokens, err error) {
	d, err := documentOf(body)
	if err != nil {
		return t, err
	}
	var scope string
	if err := d.members("access_token", &t.Access, "refresh_token", &t.Refresh, "token_type", &t.Type, "scope", &scope); err != nil {
		return t, err
	}
	switch {
	case !isVisible(t.Access) || strings.Contains(t.Access, " "):
		return Tokens{}, errors.New("there is no access token, or one that fits no header")
	case t.Refresh != "" && !isVisible(t.Refresh):
		return Tokens{}, errors.New("the refresh token has odd characters")
	case !strings.EqualFold(t.Type, "bearer"):
		return Tokens{}, errors.New("the access token is of another kind than Bearer")
	}
	t.Type, t.Scopes = "Bearer", scopesIn(scope)
	if life := lifetime(d["expires_in"]); life > 0 {
		t.Expires = c.o.Now().Add(life)
	}
	return t, nil
}

// lifetime is expires_in, which some issuers write as a text; 0 if it says nothing.
func lifetime(raw []byte) time.Duration {
	seconds, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, maxLifetime.Seconds()) * float64(time.Second))
}

// Revoke tells the issuer that tokens are no longer wanted (RFC 7009). offered is false if the issuer has no place for that.
func (c *Client) Revoke(ctx context.Context, p Plan, reg Registration, t Tokens) (offered bool, err error) {
	if p.RevocationEndpoint == "" {
		return false, nil
	}
	for _, one := range []struct{ token, hint string }{{t.Refresh, "refresh_token"}, {t.Access, "access_token"}} { // the refresh token first: it lives longer
		if one.token == "" {
			continue
		}
		form := url.Values{"token": {one.token}, "token_type_hint": {one.hint}}
		to, r, failure := c.post(ctx, p, reg, p.RevocationEndpoint, form)
		if failure == nil && r.status == http.StatusBadRequest && reg.AuthMethod == "none" {
			// Some issuers (the Python SDK up to 2.3) want the secret of a client that has none. An empty one means the same (RFC 6749, 2.3.1).
			form.Set("client_secret", "")
			to, r, failure = c.post(ctx, p, reg, p.RevocationEndpoint, form)
		}
		if failure == nil && (r.status < 200 || r.status > 299) {
			failure = c.refusal(to, "the sign-out", r, secretsOf(reg, form)...)
		}
		if failure != nil && err == nil {
			err = failure
		}
	}
	return true, err
}

// secretsOf are the values of a request that no error may hold.
func secretsOf(reg Registration, form url.Values) (secrets []string) {
	for _, name := range []string{"code", "code_verifier", "refresh_token", "token"} {
		secrets = append(secrets, form[name]...)
	}
	return append(secrets, reg.ClientSecret)
}

// refusal is what an issuer said instead of doing what was asked (RFC 6749, 5.2).
func (c *Client) refusal(to *url.URL, what string, r *response, secrets ...string) *Failure {
	var code, words string
	if d, err := documentOf(r.body); err == nil {
		_ = d.member("error", &code)
		_ = d.member("error_description", &words)
	}
	host := address.Origin(to)
	var f *Failure
	switch {
	case r.status >= 500 || r.status == http.StatusTooManyRequests || r.status == http.StatusRequestTimeout:
		f = failed(ErrUnreachable, "%s responded to %s with status %d; try again later", host, what, r.status)
	case code == "invalid_grant":
		f = failed(ErrInvalidGrant, "%s no longer accepts %s; sign in again", host, what)
	case code == "invalid_client" || code == "unauthorized_client":
		f = failed(ErrInvalidClient, "%s did not accept the client id for %s; sign in again", host, what)
	case code == "temporarily_unavailable" || code == "server_error":
		f = failed(ErrUnreachable, "%s can't handle %s now; try again later", host, what)
	default:
		f = failed(ErrIssuer, "%s refused %s (status %d)", host, what, r.status)
	}
	if words == "" {
		words = code
	}
	f.Words = inert(words, secrets...)
	return f
}
