package secrets

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Limits of a value identified by its name.
const (
	minPassword = 4
	minToken    = 8
	maxValue    = 512
)

// value is a possible secret: its place and how it is written.
type value struct {
	start, end int
	quoted     bool
}

// valueAt is the value that begins at text[at] or after it; the separator precedes it. at is 1 or more, and beyond the end if the text ends
// with a word that another should follow ("Authorization: Bearer").
func valueAt(text string, at int) (v value, ok bool) {
	if at > len(text) {
		return v, false
	}
	i := at
	for most := min(len(text), at+32); i < most && (text[i] == ' ' || text[i] == '\t' || text[i] == '>' || text[i] == '=' || text[i] == ':' || text[at-1] == '>' && (text[i] == '\n' || text[i] == '\r')); {
		i++
	}
	if strings.HasPrefix(text[i:], "** ") { // **Password:** …
		i += 3
	}
	if i < len(text) && (text[i] == 'b' || text[i] == 'r' || text[i] == '@') && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\'') {
		i++ // b"…", r"…"
	}
	if i >= len(text) {
		return v, false
	}
	escaped := text[i] == '\\' && i+1 < len(text) && text[i+1] == '"'
	if escaped {
		i++
	}
	switch q := text[i]; q {
	case '"', '\'', '`':
		v.start, v.quoted = i+1, true
		for k := v.start; k < len(text) && k-v.start <= maxValue && text[k] != '\n'; k++ {
			switch {
			case text[k] == q:
				v.end = k
				return v, true
			case text[k] == '\\' && k+1 < len(text):
				if escaped && text[k+1] == '"' {
					v.end = k
					return v, true
				}
				k++
			}
		}
		v.end = len(text) // the surrounding text was cut
		return v, len(text)-v.start <= maxValue && strings.IndexByte(text[v.start:], '\n') < 0 && v.end > v.start
	}
	for v.start = i; i < len(text) && i-v.start <= maxValue; i++ {
		switch c := text[i]; {
		case c <= ' ' || c == '"' || c == '\'' || c == '`' || c == ',' || c == ';' || c == '<' || c == '>' || c == '\\' || c == '|' || c >= 0x7f,
			(c == ')' || c == ']' || c == '}' || c == '&') && i > v.start:
			v.end = i
		case c == '(' || c == '[' || c == '{': // a call, an index, a variable
			return v, false
		}
		if v.end > 0 {
			break
		}
	}
	if v.end == 0 {
		v.end = i
	}
	for v.end > v.start && strings.IndexByte(".,:!?*", text[v.end-1]) >= 0 {
		v.end--
	}
	return v, v.end > v.start && !strings.HasPrefix(text[v.end:], "..")
}

// secret reports whether a value under a name of that kind is a secret, not an example, variable, type, hash or word.
func (v value) secret(text, name string, kind Kind) bool {
	s := text[v.start:v.end]
	switch {
	case isUUID(s):
		return (kind == apiKey || kind == password || ofUUIDs(name)) && !monotonous(s)
	case len(s) < minPassword, len(s) > maxValue, placeholder(s):
		return false
	case kind == password:
		return passwordLike(s, v.quoted)
	case kind == token && basicCredentials(s):
		return true
	case len(s) < minToken, !v.quoted && !strings.ContainsAny(s, "0123456789"):
		return false
	}
	if kind == anyKey && (len(s) < 20 || strings.ContainsAny(s, "/:@ ") || hexadecimal(s)) {
		return false
	}
	return tokenLike(s)
}

// Assigned is the secret if a whole text is the value of something with this name.
func Assigned(text, name string, kind Kind) (Found, bool) {
	v := value{0, len(text), true}
	if strings.HasPrefix(text, "Bearer ") {
		v.start = len("Bearer ")
	}
	return Found{v.start, v.end, ruleAssigned(kind)}, v.secret(text, name, kind)
}

// hexadecimal reports whether a value consists of hexadecimal digits, as hashes do.
func hexadecimal(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

// exampleWords are common placeholder values.
var exampleWords = []string{
	"password", "mypassword", "yourpassword", "passwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key", "pass", "pwd", "test", "testing", "admin", "root", "user", "username", "guest", "default", "none",
	"null", "nil", "undefined", "true", "false", "string", "number", "integer", "boolean", "bool", "str", "int", "object", "array", "bytes", "text", "foo", "bar", "foobar", "baz", "qux",
	"optional", "required", "hidden", "redacted", "masked", "empty", "unset", "invalid", "missing", "unknown", "postgres", "mysql", "guest", "bearer", "basic",
}

// placeholderParts never occur in a secret.
var placeholderParts = []string{
	"example", "placeholder", "changeme", "change-me", "change_me", "xxxx", "****", "....", "redacted", "<", "{{", "${", "$(", "process.env", "os.env", "getenv", "environ",
	"secrets.", "-here", "_here", "dummy", "abcdefg", "1234567890", "0001020304", "sample", "\u2022\u2022", "\u2026", "...", "not-a-real", "fake-", "your_", "your-", "yourp", "yourt", "youra", "yours",
}

// placeholderHeads never begin a secret.
var placeholderHeads = []string{"my_", "my-", "the_", "the-", "env.", "insert", "replace", "enter", "some-", "some_", "your", "self.", "this.", "config.", "var.", "local.", "data.", "params."}

// placeholder reports whether a value is a placeholder.
func placeholder(s string) bool { return variable(s) || likeExample(s) || monotonous(s) }

// variable reports whether a value begins as a variable, a path or a comment does.
func variable(s string) bool {
	switch c := s[0]; {
	case c == '$' || c == '%' && s[len(s)-1] == '%' || c == '{' || c == '<' || c == '[' || c == '#' || c == '!' && len(s) > 1 && decode.IsWord(s[1]) && !strings.ContainsAny(s[1:], "0123456789"),
		c == '@' && len(s) > 1 && s[len(s)-1] == '@', c == '/' || c == '~' || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "__"),
		c == '-' && strings.HasPrefix(s, "--"):
		return true
	}
	return strings.Contains(s, "://")
}

// likeExample reports whether a value is written as an example, a variable or a constant.
func likeExample(s string) bool {
	folded := strings.ToLower(s)
	if slices.Contains(exampleWords, folded) {
		return true
	}
	for _, head := range placeholderHeads {
		if strings.HasPrefix(folded, head) {
			return true
		}
	}
	for _, part := range placeholderParts {
		if strings.Contains(folded, part) {
			return true
		}
	}
	return constant(s)
}

// constant reports whether a value is the name of a constant or variable: PASSWORD, ACCESS_TOKEN.
func constant(s string) bool {
	letters, parts := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			letters = true
		case c == '_':
			parts = true
		default:
			return false
		}
	}
	return letters && (parts || len(s) < 24)
}

// monotonous reports whether a value has hardly any content: one or a few characters repeated, or letters in alphabetical order.
func monotonous(s string) bool {
	var seen [256]bool
	distinct, next := 0, 0
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			distinct++
		}
		if i > 0 && (s[i] == s[i-1] || s[i] == s[i-1]+1 || s[i] == s[i-1]-1) {
			next++
		}
	}
	return distinct < 4 || len(s) >= 12 && distinct < 5 || next*4 >= len(s)*3
}

// passwordLike reports whether a value under a password's name is one: it has a digit or a sign, or is written in a way that leaves no
// doubt.
func passwordLike(s string, quoted bool) bool {
	if len(s) > 128 {
		return tokenLike(s)
	}
	digits, signs, letters, upper := 0, 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z':
			letters++
		case c >= 'A' && c <= 'Z':
			letters++
			upper++
		case c == ' ' || c == '\t':
			return false
		case c != '_' && c != '-' && c != '.' && c != '/' && c != ':' && c != ',':
			signs++
		}
	}
	switch {
	case signs > 0 && letters+digits > 0:
		return !strings.ContainsAny(s, "(){}[]<>|") || digits > 0 && quoted
	case digits > 0 && letters > 0:
		return true
	case digits > 0: // a number: a limit, a date, a count
		return quoted && len(s) >= 6
	}
	return quoted && letters >= 8 && upper < letters && !strings.ContainsAny(s, ".:/")
}

// tokenLike reports whether a value looks random rather than written.
func tokenLike(s string) bool {
	longest := ""
	digits := 0
	for from, i := 0, 0; i <= len(s); i++ {
		if i < len(s) && s[i] >= '0' && s[i] <= '9' {
			digits++
		}
		if i == len(s) || strings.IndexByte("-_.:/=~@!#$%^&*+?| ", s[i]) >= 0 {
			if i-from > len(longest) {
				longest = s[from:i]
			}
			from = i + 1
		}
	}
	if strings.ContainsAny(s, " (){}[]<>\\,;") {
		return false
	}
	if random(longest) {
		return true
	}
	// random text has signs too
	return len(s) >= 16 && digits*8 >= len(s) && digits < len(s) && random(strings.Map(func(r rune) rune {
		if r < 0x80 && decode.IsWord(byte(r)) && r != '_' {
			return r
		}
		return -1
	}, s)) && !strings.Contains(s, "/")
}

// isUUID knows the form of RFC 9562.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !decode.HexLetters[s[i]] {
			return false
		}
	}
	return true
}

// random reports whether letters and digits look random: they switch between capitals, small letters and digits more often than words do.
func random(s string) bool {
	if len(s) < minToken {
		return false
	}
	var seen [256]bool
	distinct, changes, digits, letters, last := 0, 0, 0, 0, 0
	for i := range len(s) {
		c, class := s[i], 0
		if !seen[c] {
			seen[c] = true
			distinct++
		}
		switch {
		case c >= '0' && c <= '9':
			digits++
			class = 1
		case c >= 'a' && c <= 'z':
			letters++
			class = 2
		case c >= 'A' && c <= 'Z':
			letters++
			class = 3
		}
		if i > 0 && class != last {
			changes++
		}
		last = class
	}
	switch {
	case distinct < 5 || len(s) >= 20 && distinct < 7:
		return false
	case digits == 0: // random letters change case every other time, those of words every sixth
		return len(s) >= 12 && changes*3 >= len(s)
	case letters == 0:
		return len(s) >= 14
	case len(s) < 16:
		return changes*5 >= len(s)
	}
	return changes*8 >= len(s)
}

// basicCredentials reports whether a value is a user and password in the form of the scheme Basic.
func basicCredentials(s string) bool {
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil || len(decoded) < 5 || !legible.Printable(string(decoded)) {
		return false
	}
	user, pass, ok := strings.Cut(string(decoded), ":")
	return ok && user+pass != "" && !placeholder(string(decoded))
}
