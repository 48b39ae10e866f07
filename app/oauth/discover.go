package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/address"
)

// Plan is where and how a server is signed in to. All but Resource is the word of the server or of its issuer; addresses in it were checked. Callers
// keep it as JSON, for refreshing.
type Plan struct {
	Resource string   `json:"resource"`          // what tokens are asked for (RFC 8707): the server's address, or what its metadata calls it
	Issuers  []string `json:"issuers,omitempty"` // that the server names
	Issuer   string   `json:"issuer"`            // the one that this is about

	AuthorizationEndpoint string `json:"authorization_endpoint"`
	TokenEndpoint         string `json:"token_endpoint"`
	RegistrationEndpoint  string `json:"registration_endpoint,omitempty"` // "" for none
	RevocationEndpoint    string `json:"revocation_endpoint,omitempty"`   // "" for none

	Scopes                  []string `json:"scopes,omitempty"`                    // to be asked for; none: the issuer decides
	AuthMethods             []string `json:"auth_methods,omitempty"`              // of the token endpoint; none: the issuer doesn't say
	IssPromised             bool     `json:"iss_promised,omitempty"`              // each response of the page names the issuer (RFC 9207)
	ClientMetadataSupported bool     `json:"client_metadata_supported,omitempty"` // a client id can be the address of a document
	GrantsOffline           bool     `json:"grants_offline,omitempty"`            // the issuer knows offline_access
}

// Origin is the origin of the page that a person signs in at, as it can be shown.
func (p Plan) Origin() string {
	u, err := address.Parse(p.AuthorizationEndpoint)
	if err != nil {
		return "another host"
	}
	return address.Origin(u)
}

// Discover finds out how to sign in. issuer chooses one of several; if it is "" and there are several, the error is ErrSeveral and Plan.Issuers has
// them. Only the server and the issuer are asked, and neither gets anything but the request itself.
func (c *Client) Discover(ctx context.Context, challenge Challenge, issuer string) (Plan, error) {
	res, err := c.resource(ctx, challenge)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Resource: res.name, Issuers: res.issuers, Scopes: challenge.Scopes}
	if p.Resource == "" {
		p.Resource = c.resourceName()
	}
	switch {
	case issuer == "" && len(res.issuers) > 1:
		return p, failed(ErrSeveral, "%s can be signed in to at %d places; choose one", c.o.Server.Hostname(), len(res.issuers))
	case issuer == "":
		issuer = res.issuers[0]
	case !slices.Contains(res.issuers, issuer):
		return p, failed(ErrWrong, "%s no longer names the place that was chosen to sign in at; choose again", c.o.Server.Hostname())
	}
	p.Issuer = issuer
	return p, c.issuer(ctx, &p, res.scopes)
}

// resourceName is the server's address as a resource (RFC 8707, 2: without a query, which could hold a secret, and without a fragment).
func (c *Client) resourceName() string {
	u := *c.o.Server
	u.RawQuery, u.ForceQuery, u.Fragment = "", false, ""
	return u.String()
}

// resource gets the metadata of the server.
func (c *Client) resource(ctx context.Context, challenge Challenge) (resourceMetadata, error) {
	var res resourceMetadata
	err := c.firstOf(ctx, c.resourcePlaces(challenge.Metadata), func(body []byte) (err error) {
		res, err = parseResource(body, c.o.Server)
		return err
	})
	if err == errNotThere {
		err = failed(ErrNoMetadata, "%s wants a sign-in and does not say where; pass a token as a header: --header 'Authorization: Bearer env:VAR'", c.o.Server.Hostname())
	}
	return res, err
}

// resourcePlaces are where the server's metadata can be: where its challenge says, but only on its own origin, then the well-known places
// (specification, "Protected Resource Metadata Discovery Requirements").
func (c *Client) resourcePlaces(named string) (places []*url.URL) {
	if u, err := address.Parse(named); err == nil && address.SameOrigin(u, c.o.Server) {
		places = append(places, u)
	}
	const wellKnown = "/.well-known/oauth-protected-resource"
	if path := c.o.Server.EscapedPath(); path != "" && path != "/" {
		places = append(places, at(c.o.Server, wellKnown+path))
	}
	return append(places, at(c.o.Server, wellKnown))
}

// issuer gets the metadata of the issuer into a plan, and checks every address in it.
func (c *Client) issuer(ctx context.Context, p *Plan, supported []string) error {
	u, err := c.endpoint(ctx, p.Issuer)
	if err != nil {
		return err
	}
	if u.RawQuery != "" || u.ForceQuery {
		return failed(ErrWrong, "the issuer that %s names has a ? part, which none may have", c.o.Server.Hostname()) // RFC 8414, 2
	}
	var is issuerMetadata
	err = c.firstOf(ctx, issuerPlaces(u), func(body []byte) (err error) {
		is, err = parseIssuer(body, p.Issuer)
		return err
	})
	if err == errNotThere {
		return failed(ErrNoMetadata, "%s does not say how to sign in, so there is no sign-in; pass a token as a header: --header 'Authorization: Bearer env:VAR'", address.Origin(u))
	}
	if err != nil {
		return err
	}
	for _, endpoint := range []string{is.authorization, is.token, is.registration, is.revocation} {
		if endpoint != "" {
			if _, err := c.endpoint(ctx, endpoint); err != nil {
				return err
			}
		}
	}
	p.AuthorizationEndpoint, p.TokenEndpoint, p.RegistrationEndpoint, p.RevocationEndpoint = is.authorization, is.token, is.registration, is.revocation
	p.AuthMethods, p.IssPromised, p.ClientMetadataSupported = is.authMethods, is.issPromised, is.documents
	if len(p.Scopes) == 0 {
		p.Scopes = supported
	}
	p.GrantsOffline = slices.Contains(is.scopes, "offline_access")
	if p.GrantsOffline && len(p.Scopes) > 0 { // alone it would ask for nothing else
		p.Scopes = Union(p.Scopes, []string{"offline_access"})
	}
	return nil
}

// issuerPlaces are where the metadata of an issuer can be (specification, "Authorization Server Metadata Discovery").
func issuerPlaces(u *url.URL) []*url.URL {
	const oauth, openid = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	if path == "" {
		return []*url.URL{at(u, oauth), at(u, openid)}
	}
	return []*url.URL{at(u, oauth+path), at(u, openid+path), at(u, path+openid)}
}

// at is an address of the same origin with another path, which is escaped already.
func at(u *url.URL, path string) *url.URL {
	place := &url.URL{Scheme: u.Scheme, Host: u.Host, RawPath: path}
	place.Path, _ = url.PathUnescape(path)
	return place
}

// endpoint reads an address that a server names, and checks that it may be used.
func (c *Client) endpoint(ctx context.Context, named string) (*url.URL, error) {
	u, err := c.named(named)
	if err != nil {
		return nil, err
	}
	return u, c.may(ctx, u)
}

// named is endpoint for an address that send checks.
func (c *Client) named(endpoint string) (*url.URL, error) {
	u, err := address.Parse(endpoint)
	if err != nil {
		return nil, failed(ErrWrong, "%s leads to a sign-in whose addresses can't be read, so nothing was sent", c.o.Server.Hostname())
	}
	return u, nil
}

var errNotThere = errors.New("not there")

// firstOf gets a document from the first place that has one. A place without one is passed over; one that can't be reached is not, or an outage
// would change which document counts.
func (c *Client) firstOf(ctx context.Context, places []*url.URL, take func(body []byte) error) error {
	var elsewhere error
	for _, place := range places {
		r, err := c.send(ctx, http.MethodGet, place, nil, "")
		switch {
		case errors.Is(err, ErrWrong) && elsewhere == nil:
			elsewhere = err // such as a redirect: to a page for people, often
			continue
		case errors.Is(err, ErrWrong):
			continue
		case err != nil:
			return err
		case r.status >= 500 || r.status == http.StatusTooManyRequests:
			return failed(ErrUnreachable, "%s responded with status %d when it was asked how to sign in; try again later", address.Origin(place), r.status)
		case r.status != http.StatusOK:
			continue
		}
		err = take(r.body)
		if errors.Is(err, errNoDocument) {
			continue
		}
		if err != nil {
			return failed(ErrWrong, "what %s says about the sign-in can't be used: %s", address.Origin(place), err)
		}
		return nil
	}
	if elsewhere != nil {
		return elsewhere
	}
	return errNotThere
}
