package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// SignInState is what every wrapper of a remote server knows of its person's sign-in.
type SignInState struct {
	Wanted bool   `json:"wanted,omitempty"` // nothing passes before a person has signed in
	Code   string `json:"code,omitempty"`   // of the item about it
	Serial uint64 `json:"serial,omitempty"` // grows with each new token
}

// SignIn is a wrapper's question for the access token of its server. Without a challenge, it wants the current one.
type SignIn struct {
	URL       string   `json:"url"`                 // of the server, as registered
	Challenge []string `json:"challenge,omitempty"` // the values of WWW-Authenticate of the response that refused a request
	Refused   string   `json:"refused,omitempty"`   // TokenHash of the token that was refused, "" if there was none
	Demanded  bool     `json:"demanded,omitempty"`  // a response refused a request
	Scope     bool     `json:"scope,omitempty"`     // its status was 403: the token is good, but not for this
}

// MaxChallenge is how much of WWW-Authenticate a wrapper sends, in bytes.
const MaxChallenge = 8 << 10

// SignedIn answers it: a token, or the code of the item that a person can sign in by.
type SignedIn struct {
	State State     `json:"state"`
	Token string    `json:"token,omitempty"`
	Renew time.Time `json:"renew,omitzero"` // when to ask again; zero: when it is refused
	Code  string    `json:"code,omitempty"`
}

// TokenHash is how the two ends name a token that both have.
func TokenHash(token string) string {
	if token == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Login is a person's wish to sign in at a server. Without a digest, nothing begins: the answer is the plan to show to the person.
type Login struct {
	Server string `json:"server"`           // name or identity
	Issuer string `json:"issuer,omitempty"` // which one, if the server has several
	Digest string `json:"digest,omitempty"` // of the plan that the person was shown
}

// LoginPlan is what a sign-in binds.
type LoginPlan struct {
	Server     string   `json:"server"`
	Identity   string   `json:"identity"`
	Issuer     string   `json:"issuer"`
	Page       string   `json:"page"` // origin of the page that will be opened
	Scopes     []string `json:"scopes"`
	Registered string   `json:"registered" ts_type:"'own' | 'document' | 'dynamic'"` // how Sallyport is known to the issuer
	Issuers    []string `json:"issuers,omitempty"`                                   // to choose from, if the server has several; then the rest is empty
	Digest     string   `json:"digest"`
}

// WantedLogin is what an item of the inbox says of a sign-in that a server wants.
type WantedLogin struct {
	Plan   LoginPlan `json:"plan"`
	Before string    `json:"before,omitempty"` // the issuer of the sign-in that there was
	Had    []string  `json:"had,omitempty"`    // the scopes of the sign-in that is not enough
}

// LoginBegun is a sign-in under way.
type LoginBegun struct {
	Plan    LoginPlan `json:"plan"`
	ID      string    `json:"id,omitempty"`
	Address string    `json:"address,omitempty"` // of the page to open, once
}

// SignInQuery names one server by name or identity, or all with "".
type SignInQuery struct {
	Server string `json:"server,omitempty"`
}

// SignInStatus is what people are told of a sign-in.
type SignInStatus struct {
	Server   string    `json:"server"`
	Identity string    `json:"identity"`
	SignedIn bool      `json:"signed_in"`
	Issuer   string    `json:"issuer,omitempty"`
	Scopes   []string  `json:"scopes,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	Expires  time.Time `json:"expires,omitzero"` // of the access token; it is refreshed before
	Kept     string    `json:"kept,omitempty" ts_type:"'keychain' | 'file'"`
	Wanted   bool      `json:"wanted,omitempty"`
	Code     string    `json:"code,omitempty"`
	Problem  string    `json:"problem,omitempty"` // why it can't be said, or what failed last, in our words
	Said     string    `json:"said,omitempty"`    // what the issuer said of it, its own words
}

// SignIn asks for the access token of the wrapper's server. It fails at once while the hub is away.
func (l *Link) SignIn(ctx context.Context, in SignIn) (SignedIn, error) {
	c, err := l.speaking()
	if err != nil {
		return SignedIn{}, err
	}
	got, err := askSignIn(ctx, c, in)
	if err != nil {
		return SignedIn{}, l.explain(err)
	}
	got.State = whole(got.State)
	l.install(c, got.State, false)
	return got, nil
}
