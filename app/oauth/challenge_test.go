package oauth

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestAChallengeIsReadAsItWasMeant(t *testing.T) {
	const metadata = "https://mcp.example/.well-known/oauth-protected-resource"
	for _, c := range []struct {
		name   string
		values []string
		want   Challenge
	}{
		{"none", nil, Challenge{}},
		{"only the scheme", []string{"Bearer"}, Challenge{Bearer: true}},
		{"as the specification shows it", []string{`Bearer resource_metadata="` + metadata + `", scope="files:read files:write"`}, Challenge{true, metadata, []string{"files:read", "files:write"}, ""}},
		{"as the Python SDK writes it", []string{`Bearer error="invalid_token", error_description="Authentication required", resource_metadata="` + metadata + `"`}, Challenge{true, metadata, nil, "invalid_token"}},
		{"more scopes are wanted", []string{`Bearer error="insufficient_scope", scope="admin"`}, Challenge{true, "", []string{"admin"}, "insufficient_scope"}},
		{"any case", []string{`bEaReR Resource_Metadata="` + metadata + `"`}, Challenge{true, metadata, nil, ""}},
		{"after another, in one header", []string{`Basic realm="a, Bearer scope=b", Bearer scope="c"`}, Challenge{true, "", []string{"c"}, ""}},
		{"before another, in one header", []string{`Bearer scope="c", Basic scope="d", resource_metadata="x"`}, Challenge{true, "", []string{"c"}, ""}},
		{"before another Bearer", []string{`Bearer scope="c", Bearer scope="d", error="invalid_token"`}, Challenge{true, "", []string{"c"}, ""}},
		{"after one with a token", []string{`Negotiate YWJj/+==, Bearer scope="c"`}, Challenge{true, "", []string{"c"}, ""}},
		{"after one without anything", []string{`Negotiate, Bearer scope="c"`}, Challenge{true, "", []string{"c"}, ""}},
		{"in a header of its own", []string{`Negotiate`, `Basic realm="x"`, `Bearer scope="c"`}, Challenge{true, "", []string{"c"}, ""}},
		{"escaped characters", []string{`Bearer realm="a\"b\\", scope="c"`}, Challenge{true, "", []string{"c"}, ""}},
		{"blanks around =", []string{"Bearer scope = \"c\" ,\t error\t=\tinvalid_token"}, Challenge{true, "", []string{"c"}, "invalid_token"}},
		{"commas without anything between", []string{`,, Bearer ,scope="c",,,`}, Challenge{true, "", []string{"c"}, ""}},
		{"no commas", []string{`Bearer realm="x" resource_metadata="` + metadata + `" scope="c"`}, Challenge{true, metadata, []string{"c"}, ""}},
		{"an address without quotes", []string{`Bearer resource_metadata=` + metadata + `, scope=c`}, Challenge{true, metadata, []string{"c"}, ""}},
		{"no Bearer", []string{`Basic realm="Bearer", Digest scope="c"`}, Challenge{}},
		{"a parameter called Bearer", []string{`Basic Bearer="x", scope="c"`}, Challenge{}},
		{"a parameter before any scheme", []string{`scope="c", Bearer error="invalid_token"`}, Challenge{true, "", nil, "invalid_token"}},
		{"a parameter that it has twice", []string{`Bearer scope="a", resource_metadata="` + metadata + `", Scope="b"`}, Challenge{true, metadata, nil, ""}},
		{"a quote without an end", []string{`Bearer scope="a", resource_metadata="` + metadata}, Challenge{true, "", []string{"a"}, ""}},
		{"an escape at the end", []string{`Bearer scope="a\`}, Challenge{Bearer: true}},
		{"another code", []string{`Bearer error="please_open_calc"`}, Challenge{Bearer: true}},
		{"what is no scope", []string{"Bearer scope=\"a \x1b[2J b\u202e \\\" c\\\\d e\""}, Challenge{true, "", []string{"a", "e"}, ""}},
		{"a scope twice", []string{`Bearer scope="b a b"`}, Challenge{true, "", []string{"b", "a"}, ""}},
		{"more than is read", []string{`Basic x="` + strings.Repeat("y", maxChallenge) + `"`, `Bearer scope="c"`}, Challenge{}},
	} {
		if got := ParseChallenge(c.values); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	var lots strings.Builder
	for n := range 2 * maxScopes {
		fmt.Fprintf(&lots, "s%d ", n)
	}
	if many := ParseChallenge([]string{`Bearer scope="` + lots.String() + strings.Repeat("x", maxScope+1) + `"`}); len(many.Scopes) != maxScopes {
		t.Errorf("%d scopes", len(many.Scopes))
	}
	if many := ParseChallenge([]string{`Bearer scope="` + strings.Repeat("aa bb cc ", 100) + `"`}); len(many.Scopes) != 3 {
		t.Errorf("%q", many.Scopes)
	}
}

// Whatever a server writes, what is kept of it can be shown and sent, and reading it again makes no difference.
func FuzzParseChallenge(f *testing.F) {
	f.Add(`Bearer resource_metadata="https://a.example/x", scope="a b", error="invalid_token"`)
	f.Add(`Basic realm="a\"b", Bearer scope=a, Negotiate YWJj==`)
	f.Add("Bearer , =\x00\" \\")
	f.Fuzz(func(t *testing.T, header string) {
		c := ParseChallenge([]string{header})
		if !c.Bearer && !reflect.DeepEqual(c, Challenge{}) {
			t.Fatalf("%+v", c)
		}
		if len(c.Metadata) > len(header) || len(c.Scopes) > maxScopes || slices.ContainsFunc(c.Scopes, func(s string) bool { return !isScope(s) }) {
			t.Fatalf("%+v", c)
		}
		if again := ParseChallenge([]string{`Bearer scope="` + strings.Join(c.Scopes, " ") + `"`}); !slices.Equal(again.Scopes, c.Scopes) {
			t.Fatalf("%q, then %q", c.Scopes, again.Scopes)
		}
		if c.Bearer && !strings.Contains(strings.ToLower(header), "bearer") {
			t.Fatalf("Bearer in %q", header)
		}
	})
}
