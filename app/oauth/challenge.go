package oauth

import "strings"

// Challenge is what a server says when it wants a sign-in, or more scopes (RFC 6750, 3; RFC 9728, 5.1). Everything in it is the server's words.
type Challenge struct {
	Bearer   bool     // there was one of the scheme Bearer
	Metadata string   // the address of the resource's metadata
	Scopes   []string // that the server wants
	Error    string   // one of the codes of RFC 6750, 3.1; "" for none or another
}

// Limits of a challenge.
const (
	maxChallenge = 16 << 10 // bytes of all its headers
	maxScopes    = 100
	maxScope     = 256 // bytes of one
)

// ParseChallenge reads the values of WWW-Authenticate headers. The first challenge of the scheme Bearer counts. A parameter that it has twice counts
// for nothing, and so does what comes after a mistake.
func ParseChallenge(values []string) Challenge {
	left := maxChallenge
	for _, value := range values {
		if left -= len(value); left < 0 {
			break
		}
		if c := parseHeader(value); c.Bearer {
			return c
		}
	}
	return Challenge{}
}

// parseHeader reads one header (RFC 9110, 11.6.1), which may have several challenges. Commas between parameters may be missing.
func parseHeader(s string) Challenge {
	var inBearer bool
	known := map[string]string{}
	twice := map[string]bool{}
	for {
		s = strings.TrimLeft(s, " \t,")
		name := token(s)
		if name == "" {
			break // the end, or a mistake
		}
		s = s[len(name):]
		rest := strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(rest, "=") {
			if inBearer {
				break // the next challenge
			}
			inBearer = strings.EqualFold(name, "Bearer")
			if blank := s; len(rest) < len(blank) {
				s = skip68(rest)
			}
			continue
		}
		value, after, ok := parameterValue(strings.TrimLeft(rest[1:], " \t"))
		if !ok {
			break
		}
		s = after
		if inBearer {
			name = strings.ToLower(name)
			if _, again := known[name]; again {
				twice[name] = true
			}
			known[name] = value
		}
	}
	if !inBearer {
		return Challenge{}
	}
	for name := range twice {
		delete(known, name)
	}
	c := Challenge{Bearer: true, Metadata: known["resource_metadata"], Scopes: scopesIn(known["scope"])}
	switch code := known["error"]; code {
	case "invalid_request", "invalid_token", "insufficient_scope":
		c.Error = code
	}
	return c
}

// token is the token that a text begins with (RFC 9110, 5.6.2).
func token(s string) string {
	at := strings.IndexFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", c))
	})
	if at < 0 {
		return s
	}
	return s[:at]
}

// skip68 leaves out a token68 (RFC 9110, 11.2) that a text begins with.
func skip68(s string) string {
	at := strings.IndexFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-._~+/", c))
	})
	if at < 0 {
		return ""
	}
	after := strings.TrimLeft(s[at:], "=")
	if end := strings.TrimLeft(after, " \t"); at > 0 && (end == "" || end[0] == ',') {
		return end
	}
	return s
}

// parameterValue is a value, without its quotes, and what comes after it.
func parameterValue(s string) (value, after string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, " \t,\"") // an address without quotes is no token, and is met all the same
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:], end > 0
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			if i++; i == len(s) {
				return "", "", false
			}
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

// scopesIn are the scopes in a list with blanks between them, each once. What is no scope (RFC 6749, 3.3) is left out.
func scopesIn(list string) (scopes []string) {
	return Union(nil, strings.Fields(list))
}

// Union is the scopes of both, each once, in their order. What is no scope is left out.
func Union(a, b []string) (scopes []string) {
	seen := map[string]bool{}
	for _, list := range [][]string{a, b} {
		for _, scope := range list {
			if !isScope(scope) || seen[scope] || len(scopes) == maxScopes {
				continue
			}
			seen[scope] = true
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

func isScope(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return s != "" && len(s) <= maxScope
}
