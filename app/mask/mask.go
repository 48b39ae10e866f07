// Package mask removes secrets from what people see: a server's command and URL, its output, its requests. It errs towards masking. It also
// returns what it removed, so that the same secret can be masked where it does not look like one; that list is never stored and never
// shown.
package mask

import (
	"bytes"
	"encoding/json"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The replacement for a secret.
const Mark = "***"

var (
	// Words that make the value of a flag, a variable or a query key a secret.
	secretName = lazy(`(?i)(^|[-_.:])(token|secret|password|passwd|passphrase|pwd|pass|auth|authorization|bearer|credentials?|cookie|signature|sig|jwt|pat|` +
		`api[-_]?key|access[-_]?key|secret[-_]?key|private[-_]?key|encryption[-_]?key|client[-_]?secret|key|dsn|connection[-_]?string)$|(?i)^(apikey|accesskey|secretkey|authtoken|accesstoken|apitoken|sessionid|xapikey)$`)

	// Formats that are always secrets.
	knownSecret = lazy(`sk-[A-Za-z0-9_-]{16,}` +
		`|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}` +
		`|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}` +
		`|(?:AKIA|ASIA|AROA|ABIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_.-]{20,}` +
		`|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?` +
		`|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}|dop_v1_[a-f0-9]{40,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}` +
		`|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{20,}|secret_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|lin_api_[A-Za-z0-9]{20,}` +
		`|shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{20,}|figd_[A-Za-z0-9_-]{20,}` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)

	// name=value and name: value inside one argument or one line of text.
	assignment = lazy(`(?i)((?:token|secret|password|passwd|passphrase|pwd|api[-_]?key|access[-_]?key|private[-_]?key|authorization|credentials?|signature))("?\s*[=:]\s*"?)((?:bearer|basic|token)\s+)?([^\s"'&;,]+)`)
	bearer     = lazy(`(?i)\b(bearer|basic)(\s+)([A-Za-z0-9._~+/=-]{8,})`)
	userInfo   = lazy(`([A-Za-z][A-Za-z0-9+.-]*://)([^/?#\s"']+)@`)
	run        = lazy(`[A-Za-z0-9_+=-]{24,}`)
)

// A cheap check before each expression: on a line without any of these, which is nearly every line a server prints, masking costs 30 µs a
// KiB instead of a millisecond.
var (
	secretMarks = []string{"sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "xapp-", "AKIA", "ASIA", "AROA", "ABIA", "AIza", "ya29.", "eyJ", "npm_", "pypi-", "hf_", "dop_v1_", "SG.",
		"k_live_", "k_test_", "whsec_", "secret_", "ntn_", "lin_api_", "shpat_", "shpss_", "shpca_", "shppa_", "figd_", "-----BEGIN "}
	schemeMarks = []string{"bearer", "basic"}
	nameMarks   = []string{"token", "secret", "pass", "pwd", "key", "authorization", "credential", "signature"}
)

func containsOne(s string, marks []string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(s, mark) })
}

// masker collects what it removes, so that the same text can be masked elsewhere.
type masker struct{ secrets []string }

func (m *masker) take(s string) string {
	if s != "" && s != Mark {
		m.secrets = append(m.secrets, s)
	}
	return Mark
}

// Argv masks arguments for people, and keeps their number. It errs towards masking: a false mask costs a look into the client's file, a
// missed one a key on a screen.
func Argv(argv []string) (shown, secrets []string) {
	var m masker
	shown = make([]string, len(argv))
	for i, arg := range argv {
		if i > 1 && flagNamesSecret(argv[i-1]) && (!strings.HasPrefix(arg, "-") || !strings.Contains(arg, "=") && len(arg) > 16) {
			shown[i] = m.take(arg)
			continue
		}
		shown[i] = m.text(arg, i > 0)
	}
	return shown, m.secrets
}

// flagNamesSecret reports whether the next argument is a secret: --token, -api-key, /password. A bare "-p" or "-k" does not count: too many
// honest flags look like that.
func flagNamesSecret(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return name != arg && !strings.ContainsAny(name, "=: ") && secretName().MatchString(name)
}

// text masks inside one string. guess also masks long random runs without a known form.
func (m *masker) text(s string, guess bool) string {
	if containsOne(s, secretMarks) {
		s = knownSecret().ReplaceAllStringFunc(s, m.take)
	}
	if name, value, ok := strings.Cut(s, "="); ok && guess && value != "" && !strings.Contains(s, "://") && secretName().MatchString(strings.TrimLeft(name, "-")) {
		return name + "=" + m.take(value)
	}
	if strings.Contains(s, "://") {
		s = m.urls(s)
	}
	lower := strings.ToLower(s)
	if containsOne(lower, schemeMarks) {
		s = bearer().ReplaceAllStringFunc(s, func(found string) string {
			p := bearer().FindStringSubmatch(found)
			return p[1] + p[2] + m.take(p[3])
		})
	}
	if strings.ContainsAny(s, "=:") && containsOne(lower, nameMarks) {
		s = m.assigned(s)
	}
	if guess && !looksLikePath(s) {
		s = run().ReplaceAllStringFunc(s, func(found string) string {
			if looksRandom(found) && !strings.Contains(s, "sha256:"+found) {
				return m.take(found)
			}
			return found
		})
	}
	return s
}

// assigned masks the value after a name and an equals sign or colon.
func (m *masker) assigned(s string) string {
	var b strings.Builder
	done := 0
	for _, at := range assignment().FindAllStringSubmatchIndex(s, -1) {
		start, end := at[8], at[9]
		value := s[start:end]
		if strings.HasPrefix(value, Mark) || strings.EqualFold(value, "bearer") || strings.EqualFold(value, "basic") || errorAbout(s, at[2], at[5], end) {
			continue
		}
		b.WriteString(s[done:start] + m.take(value))
		done = end
	}
	return b.String() + s[done:]
}

// errorAbout reports whether the text after a name is not a value but an error about a file of that name: start "/etc/passwd": permission
// denied. The name at s[from] must end a path, and the text up to s[end] must be the first word of an error. A path alone is not enough:
// secret stores have paths too, and print /prod/db/password: hunter.
func errorAbout(s string, from, start, end int) bool {
	path := s[strings.LastIndexAny(s[:from], " \t\r\n\"'`=,;(")+1 : from]
	if path == "" || !strings.Contains(`/\.-_`, path[len(path)-1:]) || path[0] != '.' && !strings.ContainsAny(path, `/\`) {
		return false
	}
	before, rest := s[start-2:start], s[end:]
	return before == ": " && errorWords[s[start:end]] && len(rest) > 1 && rest[0] == ' ' && rest[1] >= 'a' && rest[1] <= 'z'
}

// errorWords begin error messages about a file.
var errorWords = map[string]bool{
	"access": true, "argument": true, "bad": true, "broken": true, "cannot": true, "connection": true, "could": true, "device": true, "does": true, "exec": true,
	"executable": true, "failed": true, "file": true, "input/output": true, "invalid": true, "is": true, "no": true, "not": true, "operation": true, "permission": true,
	"read-only": true, "stale": true, "text": true, "the": true, "too": true, "unable": true, "unexpected": true,
}

// urls masks user info, values of secret query keys and random-looking values in every URL of a text.
func (m *masker) urls(s string) string {
	s = userInfo().ReplaceAllStringFunc(s, func(found string) string {
		p := userInfo().FindStringSubmatch(found)
		user, password, both := strings.Cut(p[2], ":")
		if !both {
			return p[1] + m.take(user) + "@"
		}
		m.take(user)
		m.take(password)
		return p[1] + Mark + "@"
	})
	head, query, ok := strings.Cut(s, "?")
	if !ok {
		return s
	}
	query, fragment, hasFragment := strings.Cut(query, "#")
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || value == "" {
			continue
		}
		name, err := url.QueryUnescape(key)
		if err != nil {
			name = key
		}
		if secretName().MatchString(name) || err != nil || looksRandom(value) {
			pairs[i] = key + "=" + m.take(value)
		}
	}
	s = head + "?" + strings.Join(pairs, "&")
	if hasFragment {
		s += "#" + fragment
	}
	return s
}

// URL masks a server's URL: every value of its query, and path segments that look like a key, because services put keys in both.
func URL(raw string) (shown string, secrets []string) {
	var m masker
	head, query, asks := strings.Cut(raw, "?")
	shown = m.text(head, true)
	if !asks {
		return shown, m.secrets
	}
	query, fragment, ends := strings.Cut(query, "#")
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		if key, value, ok := strings.Cut(pair, "="); ok && value != "" {
			pairs[i] = key + "=" + m.take(value)
		} else if !ok && pair != "" {
			pairs[i] = m.take(pair)
		}
	}
	shown += "?" + strings.Join(pairs, "&")
	if ends {
		shown += "#" + fragment
	}
	return shown, m.secrets
}

// Text masks known secrets and everything with the form of one, for logs. Random runs stay: a log without its commit hashes and request ids
// is useless.
func Text(s string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) >= 6 { // shorter ones are ordinary words
			s = strings.ReplaceAll(s, secret, Mark)
		}
	}
	var m masker
	return m.text(s, false)
}

func looksLikePath(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "~") ||
		strings.HasPrefix(s, `\\`) || len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}

// looksRandom reports whether letters and digits look random: 32 or more of hex, or 24 or more with upper case, lower case and digits mixed
// throughout, and at least 3.8 bits a character. Words, versions, package names and numbers do not reach that.
func looksRandom(s string) bool {
	if len(s) < 24 {
		return false
	}
	var counts [256]int
	var upper, lower, digit, changes int
	hex, last := true, 0
	for i := range len(s) {
		c := s[i]
		counts[c]++
		class := 0
		switch {
		case c >= '0' && c <= '9':
			digit++
			class = 1
		case c >= 'a' && c <= 'z':
			lower++
			class = 2
			hex = hex && c <= 'f'
		case c >= 'A' && c <= 'Z':
			upper++
			class = 3
			hex = hex && c <= 'F'
		default:
			hex = false
		}
		if i > 0 && class != last {
			changes++
		}
		last = class
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	if hex && len(s) >= 32 && digit > 0 && upper+lower > 0 {
		return bits >= 3
	}
	return upper > 0 && lower > 0 && digit > 1 && changes*4 >= len(s) && bits >= 3.8
}

// lazy compiles a pattern on first use: this package is linked into the wrapper, whose start must not pay for it.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// PlainJSON encodes without escaping <, > and &, for people.
func PlainJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
