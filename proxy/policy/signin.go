package policy

import (
	"errors"
	"net/url"
	"strings"
)

// Registration is how Sallyport is known to the issuer of a remote server, by the settings; all "" if it registers itself.
type Registration struct {
	ClientID          string
	ClientSecret      string // env:VARIABLE or keychain:NAME
	ClientMetadataURL string
}

// ForSignIn reads the settings of a sign-in.
func ForSignIn(v Values) Registration {
	given := func(key string) string {
		if value := v.safe(key); value != off {
			return value
		}
		return ""
	}
	return Registration{ClientID: given("auth.client_id"), ClientSecret: given("auth.client_secret"), ClientMetadataURL: given("auth.client_metadata_url")}
}

// clientID reads a client id (RFC 6749, A.1).
func clientID(value string) (string, error) {
	if value == "" || len(value) > 500 || strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", errors.New("use a client id of up to 500 printable ASCII characters without blanks, or off")
	}
	return value, nil
}

// metadataAddress reads the address of a client ID metadata document, which must have a path (draft-ietf-oauth-client-id-metadata-document).
func metadataAddress(value string) (string, error) {
	u, err := url.Parse(value)
	if err != nil || len(value) > maxPath || strings.ContainsFunc(value, unwritten) || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" || len(u.Path) < 2 {
		return "", errors.New("use an address such as https://example.com/client.json, with a path, or off")
	}
	return u.String(), nil
}
