package oauth

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/address"
)

func TestAResourceCoversAnAddress(t *testing.T) {
	for _, c := range []struct {
		resource, server string
		covers           bool
	}{
		{"https://a.example/mcp", "https://a.example/mcp", true},
		{"https://a.example/mcp/", "https://a.example/mcp", true},
		{"https://a.example/mcp", "https://a.example/mcp/", true},
		{"https://a.example", "https://a.example/mcp", true},
		{"https://a.example/", "https://a.example/mcp", true},
		{"https://a.example/x", "https://a.example/x/mcp", true},
		{"https://A.EXAMPLE:443/mcp", "https://a.example/mcp", true},
		{"https://a.example/mcp", "https://a.example/mcp?key=1", true},
		{"https://a.example/mcp?key=1", "https://a.example/mcp?key=1", true},
		{"https://a.example/mcp?key=2", "https://a.example/mcp?key=1", false},
		{"https://a.example/mcp?key=2", "https://a.example/mcp", false},
		{"https://a.example/mc", "https://a.example/mcp", false},
		{"https://a.example/mcp2", "https://a.example/mcp", false},
		{"https://a.example/mcp/x", "https://a.example/mcp", false},
		{"https://a.example/MCP", "https://a.example/mcp", false},
		{"https://a.example/x%2Fmcp", "https://a.example/x/mcp", false},
		{"https://a.example/x/../mcp", "https://a.example/mcp", false},
		{"https://a.example:8443/mcp", "https://a.example/mcp", false},
		{"http://a.example/mcp", "https://a.example/mcp", false},
		{"https://a.example.evil.example/mcp", "https://a.example/mcp", false},
		{"https://a.example@evil.example/mcp", "https://a.example/mcp", false},
		{"https://a.example/mcp#x", "https://a.example/mcp", false},
		{"urn:a", "https://a.example/mcp", false},
		{"", "https://a.example/mcp", false},
	} {
		u, err := address.Parse(c.server)
		if err != nil {
			t.Fatal(err)
		}
		if got := covers(c.resource, u); got != c.covers {
			t.Errorf("%s covers %s: %v", c.resource, c.server, got)
		}
	}
}

func TestTheResourceIsTheAddressWhereTheMetadataNamesNone(t *testing.T) {
	base, _ := places(t, func(base string) map[string]string {
		return map[string]string{
			"/.well-known/oauth-protected-resource/mcp": `{"resource":null,"authorization_servers":["` + base + `"]}`, "/.well-known/oauth-authorization-server": metadataOf(base),
		}
	})
	p, err := clientFor(t, base+"/mcp?key=hush").Discover(t.Context(), Challenge{}, "")
	if err != nil || p.Resource != base+"/mcp" {
		t.Errorf("%q, %v", p.Resource, err)
	}
}

// Whatever a server sends as metadata, what is taken from it keeps the rules.
func FuzzMetadata(f *testing.F) {
	f.Add([]byte(`{"resource":"https://a.example/mcp","authorization_servers":["https://b.example"],"scopes_supported":["a"]}`))
	f.Add([]byte(metadataOf("https://b.example", `"scopes_supported":["a",null]`)))
	f.Add([]byte(`{"issuer":"https://b.example","Issuer":"x","access_token":"a","token_type":"bearer","expires_in":"1e9","client_id":"c"} `))
	server, err := address.Parse("https://a.example/mcp")
	if err != nil {
		f.Fatal(err)
	}
	c := New(Options{Server: server})
	f.Fuzz(func(t *testing.T, body []byte) {
		var plain map[string]json.RawMessage
		broken := json.Unmarshal(body, &plain) != nil || plain == nil
		if d, err := documentOf(body); err == nil && (broken || len(d) != len(plain)) {
			t.Fatalf("a document of %q", body)
		}
		if r, err := parseResource(body, server); err == nil && (r.name != "" && !strings.HasPrefix(strings.ToLower(r.name), "https://a.example") || len(r.issuers) == 0 || len(r.scopes) > maxScopes) {
			t.Fatalf("%+v", r)
		}
		if i, err := parseIssuer(body, "https://b.example"); err == nil && (i.name != "https://b.example" || i.authorization == "" || i.token == "") {
			t.Fatalf("%+v", i)
		}
		if tokens, err := c.parseTokens(body); err == nil && (!isVisible(tokens.Access) || tokens.Type != "Bearer" || tokens.Refresh != "" && !isVisible(tokens.Refresh)) {
			t.Fatalf("%+v", tokens)
		}
		if reg, err := parseRegistration(body, Plan{}); err == nil && !isVisible(reg.ClientID) {
			t.Fatalf("%+v", reg)
		}
	})
}
