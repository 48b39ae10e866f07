package oauth

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/address"
)

// places serves documents by path, and keeps the order in which paths were asked for.
func places(t *testing.T, documents func(base string) map[string]string) (base string, asked *[]string) {
	t.Helper()
	asked = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.EscapedPath())
		body, there := documents("http://" + r.Host)[r.URL.EscapedPath()]
		if !there {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func clientFor(t *testing.T, server string) *Client {
	t.Helper()
	u, err := address.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Server: u})
}

func metadataOf(issuer string, more ...string) string {
	return `{"issuer":"` + issuer + `","authorization_endpoint":"` + issuer + `/authorize","token_endpoint":"` + issuer + `/token","code_challenge_methods_supported":["S256"]` + strings.Join(append([]string{""}, more...), ",") + `}`
}

func TestMetadataIsLookedForInTheOrderOfTheSpecification(t *testing.T) {
	const resource, oauth, openid = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	for _, c := range []struct {
		name         string
		path, tenant string
		at, issuerAt string
		asked        []string
	}{
		{"by path, and the issuer at its root", "/mcp", "", resource + "/mcp", oauth, []string{resource + "/mcp", oauth}},
		{"at the root, and OpenID", "/mcp", "", resource, openid, []string{resource + "/mcp", resource, oauth, openid}},
		{"a server without a path", "", "", resource, oauth, []string{resource, oauth}},
		{"a server at /", "/", "", resource, oauth, []string{resource, oauth}},
		{"an issuer with a path", "/a/b", "/t/1", resource + "/a/b", oauth + "/t/1", []string{resource + "/a/b", oauth + "/t/1"}},
		{"an issuer with a path, OpenID inserted", "/mcp", "/t", resource + "/mcp", openid + "/t", []string{resource + "/mcp", oauth + "/t", openid + "/t"}},
		{"an issuer with a path, OpenID appended", "/mcp", "/t", resource + "/mcp", "/t" + openid, []string{resource + "/mcp", oauth + "/t", openid + "/t", "/t" + openid}},
		{"an issuer with a slash at its end", "/mcp", "/t/", resource + "/mcp", oauth + "/t", []string{resource + "/mcp", oauth + "/t"}},
		{"a path with an escaped slash", "/m%2Fcp", "", resource + "/m%2Fcp", oauth, []string{resource + "/m%2Fcp", oauth}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, asked := places(t, func(base string) map[string]string {
				return map[string]string{
					c.at:       `{"resource":"` + base + c.path + `","authorization_servers":["` + base + c.tenant + `"]}`,
					c.issuerAt: metadataOf(base + c.tenant),
				}
			})
			p, err := clientFor(t, base+c.path).Discover(t.Context(), Challenge{}, "")
			if err != nil || p.Issuer != base+c.tenant || p.Resource != base+c.path {
				t.Errorf("%+v, %v", p, err)
			}
			if !slices.Equal(*asked, c.asked) {
				t.Errorf("asked %q", *asked)
			}
		})
	}
}

func TestWithoutMetadataNothingIsGuessed(t *testing.T) {
	base, asked := places(t, func(base string) map[string]string {
		return map[string]string{"/.well-known/oauth-authorization-server": metadataOf(base), "/authorize": "x", "/token": "x"}
	})
	if _, err := clientFor(t, base+"/mcp").Discover(t.Context(), Challenge{}, ""); !errors.Is(err, ErrNoMetadata) {
		t.Error(err)
	}
	if len(*asked) != 2 {
		t.Errorf("asked %q", *asked)
	}
}
