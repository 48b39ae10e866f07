package secrets

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

const (
	maxBlock    = 32 << 10 // of a private key
	minBlock    = 40       // letters of base64 in one
	maxAddress  = 320      // user, password and host of an address
	maxManifest = 8 << 10

	minAddressed = 3 // letters of a password in an address
)

// block is a private key between its two lines (RFC 7468, RFC 4880), complete or cut off.
func (l *Look) block(text string, at int) (Found, bool) {
	i := at + len("-----BEGIN ")
	line := text[i:min(len(text), i+64)]
	end := strings.Index(line, "-----")
	if end < 0 || !strings.HasSuffix(line[:end], "PRIVATE KEY") && !strings.HasSuffix(line[:end], "PRIVATE KEY BLOCK") {
		return Found{}, false
	}
	i += end + len("-----")
	letters := 0
	for most := min(len(text), i+maxBlock); i < most; i++ {
		switch c := text[i]; {
		case decode.Base64Letters[c] && c != '-', c == '=':
			letters++
			continue
		case c == '-' && strings.HasPrefix(text[i:], "-----END "):
			if n := strings.Index(text[i+9:min(len(text), i+80)], "-----"); n >= 0 {
				i += 9 + n + len("-----")
			}
		case c == '\\' && i+1 < len(text) && (text[i+1] == 'n' || text[i+1] == 'r'):
			i++
			continue
		case c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ':' || c == ',' || c == '-' || c == '(' || c == ')' || c == '.':
			continue // headers: Proc-Type: 4,ENCRYPTED
		}
		break
	}
	l.work -= i - at
	return Found{Start: at, End: i}, letters >= minBlock
}

// user is the password of scheme://user:password@host (RFC 3986, 3.2.1), where at is the place of "://", or of a member of a connection string
// (ODBC, OLE DB, ADO.NET), where it is the semicolon before it.
func (l *Look) user(text string, at int) (Found, bool) {
	if text[at] == ';' {
		return l.member(text, at)
	}
	if at == 0 || !decode.IsWord(text[at-1]) {
		return Found{}, false
	}
	start, colon, sign := at+3, -1, -1
	i := start
loop:
	for most := min(len(text), start+maxAddress); i < most; i++ {
		switch c := text[i]; {
		case c == ':' && colon < 0:
			colon = i
		case c == '@':
			sign = i
		case c <= ' ' || c == '/' || c == '?' || c == '#' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '`' || c == '\\' || c == ',':
			break loop
		}
	}
	l.work -= i - at
	if colon < 0 || sign < colon || sign+1 >= len(text) || !decode.IsWord(text[sign+1]) && text[sign+1] != '[' {
		return Found{}, false
	}
	user, secret := text[start:colon], text[colon+1:sign]
	if len(secret) < minAddressed || variable(secret) || likeExample(secret) || monotonous(secret) && (len(secret) >= 2*minPassword || !ofItsOwn(text[sign+1:])) || strings.EqualFold(user, secret) || strings.ContainsAny(secret, "{}$<>*") && !strings.ContainsAny(secret, "0123456789") {
		return Found{}, false
	}
	return Found{Start: colon + 1, End: sign}, true
}

// ofItsOwn reports whether an address goes to a host that has a name or a number of its own: not this computer, and no host of an example.
func ofItsOwn(address string) bool {
	end := strings.IndexAny(address, ":/?# \"'")
	if end < 0 {
		end = len(address)
	}
	host := strings.ToLower(address[:min(end, maxAddress)])
	return strings.Contains(host, ".") && !strings.HasPrefix(host, "127.") && host != "0.0.0.0" && !strings.Contains(host, "example") && !strings.HasSuffix(host, ".test") && !strings.HasSuffix(host, ".local") &&
		!strings.HasPrefix(host, "host.") && !strings.HasPrefix(host, "your")
}

// besides are names of members that stand beside a password in a connection string.
var besides = []string{"uid=", "user id=", "userid=", "user=", "username=", "driver=", "data source=", "server=", "dsn=", "initial catalog=", "database="}

// member is the password of a connection string. A plain word is one here, because nothing else is written in this place.
func (l *Look) member(text string, at int) (Found, bool) {
	start := at + strings.IndexByte(text[at:], '=') + 1
	end := start
	for end < len(text) && end-start <= maxAddress && text[end] > ' ' && strings.IndexByte(";\"'`<>,\\&)", text[end]) < 0 {
		end++
	}
	from := max(0, at-maxAddress)
	l.work -= end - from
	secret := text[start:end]
	before := strings.ToLower(text[from:at])
	if len(secret) < minAddressed || end-start > maxAddress || variable(secret) || likeExample(secret) || strings.ContainsAny(secret, "{}$*") {
		return Found{}, false
	}
	for _, name := range besides {
		if strings.Contains(before, name) {
			return Found{Start: start, End: end}, true
		}
	}
	return Found{}, false
}

// middle is a client secret of Entra ID: three characters, a digit, "Q~" and 31 to 34 more. at is the place of the tilde.
func (l *Look) middle(text string, at int) (Found, bool) {
	key := func(c byte) bool { return decode.IsWord(c) && c < 0x80 || c == '~' || c == '.' || c == '-' }
	start, end := at-5, at+1
	if start < 0 || text[at-1] != 'Q' || text[at-2] < '0' || text[at-2] > '9' || start > 0 && key(text[start-1]) {
		return Found{}, false
	}
	for end < len(text) && end-start < 64 && key(text[end]) {
		end++
	}
	l.work -= end - start
	for end > start && text[end-1] == '.' {
		end--
	}
	for i := start; i < at-2; i++ {
		if !key(text[i]) {
			return Found{}, false
		}
	}
	return Found{Start: start, End: end}, end-at-1 >= 31 && end-at-1 <= 34 && drawnKey(text[at+1:end])
}

// scheme is the value after Bearer or Basic (RFC 6750, RFC 7617).
func (l *Look) scheme(text string, at int) (Found, bool) {
	basic := text[at] == 'B' && text[at+1] == 'a' || text[at] == 'b' && text[at+1] == 'a'
	i := at + len("basic")
	if !basic {
		i++
	}
	for most := i + 4; i < len(text) && i < most && text[i] == ' '; i++ {
		continue
	}
	start := i
	for most := min(len(text), start+maxKey); i < most && (decode.IsWord(text[i]) || strings.IndexByte("-._~+/=", text[i]) >= 0); {
		i++
	}
	for i > start && text[i-1] == '.' {
		i--
	}
	l.work -= i - at
	s := text[start:i]
	switch {
	case len(s) < minToken, i < len(text) && strings.IndexByte("({[", text[i]) >= 0, placeholder(s):
		return Found{}, false
	case basic:
		return Found{Start: start, End: i}, basicCredentials(s) || len(s) >= 24 && tokenLike(s)
	}
	return Found{Start: start, End: i}, tokenLike(s)
}

// flag is the value of --password and similar flags.
func (l *Look) flag(text string, at int) (Found, bool) {
	end := at
	for end < len(text) && text[end] > ' ' {
		end++
	}
	l.work -= end - at + 16
	kind, start, ok := nameKind(text, end)
	v, found := valueAt(text, end+1)
	if !ok || !found || !v.secret(text, text[start:end], kind) {
		return Found{}, false
	}
	l.work -= v.end - v.start
	return Found{Start: v.start, End: v.end}, true
}

// login is the password in curl's -u.
func (l *Look) login(text string, at int) (Found, bool) {
	before := text[max(0, at-512):at]
	l.work -= 64
	if at > 0 && text[at-1] != ' ' && text[at-1] != '\t' || !strings.Contains(before, "curl") {
		l.work -= len(before) / 8
		return Found{}, false
	}
	i := at
	for text[i] > ' ' {
		i++
	}
	for i < len(text) && text[i] == ' ' {
		i++
	}
	start, colon, quote := i, -1, byte(0)
	for most := min(len(text), start+maxAddress); i < most; i++ {
		c := text[i]
		if c == '\n' || quote == 0 && c <= ' ' {
			break
		}
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == ':' && colon < 0:
			colon = i
		}
	}
	l.work -= i - at
	if colon < 0 {
		return Found{}, false
	}
	given := strings.Trim(text[start:colon], `"'{`)
	from, to := colon+1, i
	for from < to && strings.IndexByte(`"'{`, text[from]) >= 0 {
		from++
	}
	for to > from && (strings.IndexByte(`"'}`, text[to-1]) >= 0 || text[to-1] <= ' ') {
		to--
	}
	secret := text[from:to]
	if secret == "" { // "key:" with nothing after it
		from, to, secret = colon-len(given), colon, given
	}
	if len(secret) < minPassword || placeholder(secret) || !passwordLike(secret, true) && !tokenLike(secret) || strings.EqualFold(secret, given) && from > colon {
		return Found{}, false
	}
	return Found{Start: from, End: to}, strings.ContainsAny(secret, "0123456789") || tokenLike(secret)
}

// machine is the password of a line of .netrc: machine HOST login USER password SECRET.
func (l *Look) machine(text string, at int) (Found, bool) {
	line := text[at:min(len(text), at+maxAddress)]
	l.work -= len(line)
	i := strings.Index(line, "password ")
	if i < 0 || !strings.Contains(line[:i], "login ") {
		return Found{}, false
	}
	v, ok := valueAt(text, at+i+len("password "))
	if !ok || !v.secret(text, "password", password) {
		return Found{}, false
	}
	return Found{Start: v.start, End: v.end}, true
}

// digits is the token of a bot: digits, a colon, and random characters. at is the colon.
func (l *Look) digits(text string, at int) (Found, bool) {
	start := at
	for start > 0 && at-start < 17 && text[start-1] >= '0' && text[start-1] <= '9' {
		start--
	}
	end := at + 1
	for end < len(text) && end-at < 48 && (decode.IsWord(text[end]) || text[end] == '-') {
		end++
	}
	l.work -= end - start
	if n := end - at - 1; at-start < 5 || at-start > 16 || n != 35 || text[at+1] != 'A' || start > 0 && decode.IsWord(text[start-1]) && !strings.HasSuffix(text[:start], "bot") || !drawnKey(text[at+1:end]) {
		return Found{}, false
	}
	return Found{Start: start, End: end}, true
}

// manifest is the first value in the data of a Kubernetes Secret. It may precede the line that identifies the manifest.
func (l *Look) manifest(text string, at int) (Found, bool) {
	from, to := max(0, at-maxManifest), min(len(text), at+maxManifest)
	if n := strings.LastIndex(text[from:at], "\n---"); n >= 0 {
		from += n
	}
	if n := strings.Index(text[at:to], "\n---"); n >= 0 {
		to = at + n
	}
	l.work -= to - from
	if end := at + len("kind: secret"); text[at+6] != '"' && text[at+6] != '\'' && end < len(text) && decode.IsWord(text[end]) {
		return Found{}, false // SecretStore
	}
	deep := -1 // indentation of data
	for i := from; i < to; {
		line := i
		if n := strings.IndexByte(text[i:to], '\n'); n >= 0 {
			i += n + 1
		} else {
			i = to
		}
		said := text[line:i]
		value := strings.TrimSpace(said)
		indent := len(said) - len(strings.TrimLeft(said, " \t"))
		switch {
		case value == "data:":
			deep = indent
			continue
		case deep < 0 || value == "":
			continue
		case indent <= deep:
			deep = -1
			continue
		}
		name, after, ok := strings.Cut(value, ": ")
		if ok {
			value = after
		}
		value = strings.Trim(value, `"' `)
		if ok && strings.HasSuffix(name, ".crt") || len(value) < 12 || placeholder(value) || !onlyBase64(value) {
			continue
		}
		start := line + strings.LastIndex(said, value)
		return Found{Start: start, End: start + len(value)}, true
	}
	return Found{}, false
}

// onlyBase64 reports whether a value is whole groups of base64 with capitals and small letters.
func onlyBase64(s string) bool {
	if len(s)%4 != 0 {
		return false
	}
	body := strings.TrimRight(s, "=")
	for i := range len(body) {
		if c := body[i]; !decode.Base64Letters[c] || c == '-' || c == '_' {
			return false
		}
	}
	return changesOfCase(body) >= 3
}

// name is a value identified by its name. at is the separator.
func (l *Look) name(text string, at int) (Found, bool) {
	end, ok := NameEnd(text, at)
	l.work -= maxNameGap
	if !ok {
		return Found{}, false
	}
	if at+1 < len(text) && text[at] == '=' && (text[at+1] == '=' || text[at+1] == '~') ||
		at > 0 && text[at] == '=' && (text[at-1] == '!' || text[at-1] == '<' || text[at-1] == '>' || text[at-1] == '=') ||
		text[at] == ':' && at+2 < len(text) && text[at+1] == '/' && text[at+2] == '/' {
		return Found{}, false // a comparison, an address
	}
	kind, start, ok := nameKind(text, end)
	if !ok || text[at] == '>' && start > 0 && text[start-1] != '<' && text[start-1] != '.' {
		return Found{}, false // the end of a tag, not a name
	}
	l.work -= end - start
	v, ok := valueAt(text, at+1)
	l.work -= max(v.end-at, 0)
	if !ok {
		return Found{}, false
	}
	if !v.quoted {
		switch first := text[v.start:v.end]; { // Authorization: Bearer …
		case strings.EqualFold(first, "bearer") || strings.EqualFold(first, "token") || strings.EqualFold(first, "apikey") || strings.EqualFold(first, "key"):
			if v, ok = valueAt(text, v.end+1); !ok {
				return Found{}, false
			}
		case strings.EqualFold(first, "basic"):
			return Found{}, false // found by its scheme
		}
	}
	if text[at] == ',' && !v.quoted || !v.secret(text, text[start:end], kind) {
		return Found{End: v.end}, false
	}
	return Found{Start: v.start, End: v.end, rule: ruleAssigned(kind)}, true
}
