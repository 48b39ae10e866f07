package oauth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/address"
)

// document is a JSON object that a server sent. A member that it has twice could be read differently by two programs, so there is no document.
type document map[string]json.RawMessage

var errNoDocument = errors.New("it is not a JSON object")

func documentOf(body []byte) (document, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, errNoDocument
	}
	all := document{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errNoDocument
		}
		key, _ := name.(string)
		if _, twice := all[key]; twice {
			return nil, errors.New("it has a member twice")
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, errNoDocument
		}
		all[key] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, errNoDocument
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errNoDocument
	}
	return all, nil
}

// member reads a member; into keeps its value if there is none, or null.
func (d document) member(name string, into any) error {
	raw, there := d[name]
	if !there {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("its %s has another type than it should", name)
	}
	return nil
}

// members reads several, in the order name, into, name, into.
func (d document) members(pairs ...any) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if err := d.member(pairs[i].(string), pairs[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// resourceMetadata is the metadata of a protected resource (RFC 9728, 2).
type resourceMetadata struct {
	name    string // the identifier; "" if it has none
	issuers []string
	scopes  []string
}

// maxIssuers is how many authorization servers a resource may name.
const maxIssuers = 20

// parseResource reads the metadata of the resource at an address, and checks that it is this one's.
func parseResource(body []byte, server *url.URL) (r resourceMetadata, err error) {
	d, err := documentOf(body)
	if err != nil {
		return r, err
	}
	if err := d.members("resource", &r.name, "authorization_servers", &r.issuers, "scopes_supported", &r.scopes); err != nil {
		return r, err
	}
	r.scopes = Union(nil, r.scopes)
	switch {
	case r.name != "" && !covers(r.name, server):
		return r, errors.New("it is about another resource")
	case len(r.issuers) == 0:
		return r, errors.New("it names no authorization server")
	case len(r.issuers) > maxIssuers:
		return r, fmt.Errorf("it names more than %d authorization servers", maxIssuers)
	}
	return r, nil
}

// covers reports whether a resource is an address or a prefix of it by path segment, on the same origin (RFC 9728, 3.3).
func covers(resource string, server *url.URL) bool {
	u, err := address.Parse(resource)
	if err != nil || !address.SameOrigin(u, server) || u.RawQuery != "" && u.RawQuery != server.RawQuery {
		return false
	}
	whole, part := strings.TrimSuffix(server.EscapedPath(), "/"), strings.TrimSuffix(u.EscapedPath(), "/")
	return whole == part || strings.HasPrefix(whole, part+"/")
}

// issuerMetadata is the metadata of an authorization server (RFC 8414, 2).
type issuerMetadata struct {
	name                                           string
	authorization, token, registration, revocation string
	scopes, challenges, authMethods                []string
	issPromised, documents                         bool
}

// parseIssuer reads the metadata of an issuer and checks all that does not need the network.
func parseIssuer(body []byte, name string) (i issuerMetadata, err error) {
	d, err := documentOf(body)
	if err != nil {
		return i, err
	}
	err = d.members("issuer", &i.name, "authorization_endpoint", &i.authorization, "token_endpoint", &i.token,
		"registration_endpoint", &i.registration, "revocation_endpoint", &i.revocation, "scopes_supported", &i.scopes,
		"code_challenge_methods_supported", &i.challenges, "token_endpoint_auth_methods_supported", &i.authMethods,
		"authorization_response_iss_parameter_supported", &i.issPromised, "client_id_metadata_document_supported", &i.documents)
	switch {
	case err != nil:
	case i.name != name: // RFC 8414, 3.3: identical, so nothing is normalized
		err = errors.New("it is about another issuer")
	case !slices.Contains(i.challenges, "S256"):
		err = errors.New("it does not list S256, which keeps a stolen code useless (PKCE)")
	case i.authorization == "":
		err = errors.New("it names no page to sign in at")
	case i.token == "":
		err = errors.New("it names no place for tokens")
	}
	return i, err
}
