package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
)

// How is how an issuer knows us.
type How string

const (
	Own      How = "own"      // by an id that the person got there
	Document How = "document" // by the address of the project's document (draft-ietf-oauth-client-id-metadata-document)
	Dynamic  How = "dynamic"  // by an id that it gave us (RFC 7591)
)

// Registration is how one issuer knows us. It is never shown to another. Callers keep it as JSON, for refreshing; it can hold a secret.
type Registration struct {
	How          How       `json:"how"`
	Issuer       string    `json:"issuer"`
	ClientID     string    `json:"client_id"`
	ClientSecret string    `json:"client_secret,omitempty"` // "" for none
	AuthMethod   string    `json:"auth_method"`             // at the token endpoint: none, client_secret_post, client_secret_basic
	Expires      time.Time `json:"expires,omitzero"`        // of the secret; zero: never
}

// Setup is what the person has entered for signing in to a server. The zero value is nothing.
type Setup struct {
	ClientID, ClientSecret string // the person's own
	Issuer                 string // that ClientID belongs to; "" if that isn't known yet
	// Redirect is the address that the person has registered for ClientID, where the issuer insists on it: http://127.0.0.1/PATH, with a port if the
	// issuer compares it. "" is any.
	Redirect string
	Document string // the address of the project's client-ID metadata document; "" for none
}

// documentPath is the path of the redirect address in the project's client-ID metadata document, which can't have a random one. Its port is any
// (RFC 8252, 7.3).
const documentPath = "/callback"

// How says how Begin will register, without doing it. The error is ErrNoRegistration if the person has to enter a client id, and ErrWrong if the
// person's own belongs to another issuer.
func (p Plan) How(s Setup) (How, error) {
	switch {
	case s.ClientID != "" && s.Issuer != "" && s.Issuer != p.Issuer:
		return "", failed(ErrWrong, "the client id belongs to another place to sign in at; enter the one for %s", originOf(p.Issuer))
	case s.ClientID != "":
		return Own, nil
	case s.Document != "" && p.ClientMetadataSupported:
		return Document, nil
	case p.RegistrationEndpoint != "":
		return Dynamic, nil
	}
	return "", failed(ErrNoRegistration, "%s registers no program by itself; register one there, then enter its client id (auth.client_id)", originOf(p.Issuer))
}

func originOf(named string) string {
	u, err := address.Parse(named)
	if err != nil {
		return "the issuer"
	}
	return address.Origin(u)
}

// register makes us known to the issuer, for one redirect address.
func (c *Client) register(ctx context.Context, p Plan, s Setup, redirect string) (Registration, error) {
	how, err := p.How(s)
	if err != nil {
		return Registration{}, err
	}
	switch how {
	case Own:
		return Registration{How: Own, Issuer: p.Issuer, ClientID: s.ClientID, ClientSecret: s.ClientSecret, AuthMethod: authMethod(s.ClientSecret, p.AuthMethods)}, nil
	case Document:
		u, err := address.Parse(s.Document)
		if err != nil || u.Scheme != "https" || strings.Trim(u.Path, "/") == "" {
			return Registration{}, failed(ErrWrong, "auth.client_metadata_url must be an https address with a path")
		}
		return Registration{How: Document, Issuer: p.Issuer, ClientID: s.Document, AuthMethod: "none"}, nil
	case Dynamic:
	}
	return c.registerAnew(ctx, p, redirect)
}

// authMethod is how a client with this secret is authenticated, if nothing else was agreed on. The specification's own servers take it in the body.
func authMethod(secret string, offered []string) string {
	switch {
	case secret == "":
		return "none"
	case slices.Contains(offered, "client_secret_post"):
		return "client_secret_post"
	}
	return "client_secret_basic" // the default of RFC 8414, 2
}

// registerAnew asks the issuer for a client id (RFC 7591, 3).
func (c *Client) registerAnew(ctx context.Context, p Plan, redirect string) (Registration, error) {
	ask := map[string]any{
		"client_name": "Sallyport", "application_type": "native", "redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none",
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
	}
	if len(p.Scopes) > 0 {
		ask["scope"] = strings.Join(p.Scopes, " ")
	}
	body, err := json.Marshal(ask)
	if err != nil {
		return Registration{}, err
	}
	to, err := c.named(p.RegistrationEndpoint)
	if err != nil {
		return Registration{}, err
	}
	r, err := c.send(ctx, http.MethodPost, to, http.Header{"Content-Type": {"application/json"}}, string(body))
	if err != nil {
		return Registration{}, err
	}
	if r.status != http.StatusCreated && r.status != http.StatusOK {
		return Registration{}, c.refusal(to, "the registration", r)
	}
	reg, err := parseRegistration(r.body, p)
	if err != nil {
		return Registration{}, failed(ErrWrong, "%s sent a registration that can't be used: %s", address.Origin(to), err)
	}
	return reg, nil
}

func parseRegistration(body []byte, p Plan) (Registration, error) {
	reg := Registration{How: Dynamic, Issuer: p.Issuer}
	d, err := documentOf(body)
	if err != nil {
		return reg, err
	}
	var expires float64
	if err := d.members("client_id", &reg.ClientID, "client_secret", &reg.ClientSecret, "token_endpoint_auth_method", &reg.AuthMethod, "client_secret_expires_at", &expires); err != nil {
		return reg, err
	}
	if !isVisible(reg.ClientID) || reg.ClientSecret != "" && !isVisible(reg.ClientSecret) {
		return reg, errors.New("it has no client id, or one with odd characters")
	}
	switch reg.AuthMethod {
	case "":
		reg.AuthMethod = authMethod(reg.ClientSecret, p.AuthMethods)
	case "none":
		reg.ClientSecret = ""
	case "client_secret_post", "client_secret_basic":
		if reg.ClientSecret == "" {
			return reg, errors.New("it wants a secret and gave none")
		}
	default:
		return reg, errors.New("it wants to be shown who we are in a way that is not known here")
	}
	if reg.ClientSecret != "" && expires > 0 && expires < maxSeconds {
		reg.Expires = time.Unix(int64(expires), 0)
	}
	return reg, nil
}

// maxSeconds is the last second that is taken for a time: the end of the year 9999.
const maxSeconds = 253402300799

// isVisible reports whether a value has only characters of RFC 6749, appendix A: VSCHAR.
func isVisible(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return s != "" && len(s) <= maxToken
}
