package secrets

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// The text before a value tells whether it is a secret: a name, followed by one of = : , >. The name is read from its end, because anything
// may precede it: DB_PASSWORD, dbPassword, "db.password".

// Assigns reports whether a byte can separate a name from its value.
func Assigns(c byte) bool { return c == '=' || c == ':' || c == ',' || c == '>' }

const (
	maxNameGap = 24 // bytes between a name and the separator
	MaxName    = 64
)

// NameEnd returns where the name before the separator text[i] ends, if its last letters allow it to name a secret. It is called at nearly
// every colon of a response. i is 3 or more.
func NameEnd(text string, i int) (end int, ok bool) {
	j := i - 1
	c := text[j]
	switch text[i] {
	case '>':
		if !decode.IsWord(c) {
			return 0, false
		}
	case ',': // a pair of arguments: ("TOKEN", "value")
		if c != '"' && c != '\'' || i+2 >= len(text) || text[i+1] != c && (text[i+1] != ' ' || text[i+2] != c) {
			return 0, false
		}
	}
	if c == '"' {
		j--
		c = text[j]
	}
	for least := max(i-maxNameGap, 0); closesName[c]; c = text[j] {
		if j--; j < least {
			return 0, false
		}
	}
	for c <= '9' || c == '_' { // token4
		if j--; j < 0 || i-j > maxNameGap || !decode.IsWord(text[j]) {
			return 0, false
		}
		c = text[j]
	}
	if j < 2 {
		return 0, false
	}
	if mayEnd(text, j) {
		return j + 1, true
	}
	if c == 'g' || c == 'e' && text[j-1] == 'u' {
		return elsewhere(text, i, j)
	}
	return 0, false
}

// elsewhere handles two forms in which the name is further away: with a type between it and the value (var token string = "…"), and as a
// pair of members (name: DB_PASSWORD, value: …). text[j] is the end of the word at text[i].
func elsewhere(text string, i, j int) (end int, ok bool) {
	pair := text[j] == 'e' && j > 5 && text[j-4:j+1] == "value" && !decode.IsWord(text[j-5])
	if !pair && (text[j] != 'g' || text[i] != '=' || j < 8 || text[j-5:j+1] != "string" || decode.IsWord(text[j-6])) {
		return 0, false
	}
	j -= 5
	if !pair {
		j--
	}
	least := max(j-maxNameGap, 2)
	for ; j > least && !decode.IsWord(text[j]); j-- {
		if c := text[j]; c != ' ' && c != ':' && (!pair || c > '"' && c != '\'' && c != ',' && c != '-' && c != '\\') {
			return 0, false
		}
	}
	if j < 3 || !mayEnd(text, j) {
		return 0, false
	}
	end = j + 1
	if !pair {
		return end, true
	}
	for j >= 0 && end-j < MaxName && (decode.IsWord(text[j]) || text[j] == '-' || text[j] == '.') {
		j--
	}
	for least = max(j-8, 2); j > least && !decode.IsWord(text[j]); {
		j--
	}
	return end, j > 2 && (strings.EqualFold(text[j-3:j+1], "name") || strings.EqualFold(text[j-2:j+1], "key"))
}

// closesName can come between a name and the separator.
var closesName = [256]bool{
	' ': true, '\t': true, '"': true, '\'': true, '`': true, '\\': true, ']': true, '*': true, '|': true, ':': true, '?': true, '.': true, '+': true, ')': true,
}

// EndsName reports whether a name of a secret, or its closing mark, may end with a byte, which rules out nearly all names.
func EndsName(c byte) bool {
	return c >= '0' && c <= '9' || strings.IndexByte("dtysgnehlDTYSGNEHL_", c) >= 0 || closesName[c] && c != '"'
}

// mayEnd reports whether a name that ends with text[j] may name a secret. j is 2 or more.
func mayEnd[Text string | []byte](text Text, j int) bool {
	three := uint32(text[j]|0x20) | uint32(text[j-1]|0x20)<<8 | uint32(text[j-2]|0x20)<<16
	switch three {
	case 'k'<<16 | 'e'<<8 | 'y', 'p'<<16 | 'w'<<8 | 'd', 'j'<<16 | 'w'<<8 | 't', 's'<<16 | 'a'<<8 | 's', 's'<<16 | 'i'<<8 | 'g':
		return true
	}
	if j < 3 {
		return false
	}
	switch uint32(text[j-3]|0x20)<<24 | three {
	case 'w'<<24 | 'o'<<16 | 'r'<<8 | 'd', 's'<<24 | 's'<<16 | 'w'<<8 | 'd', 'o'<<24 | 'k'<<16 | 'e'<<8 | 'n', 'c'<<24 | 'r'<<16 | 'e'<<8 | 't',
		'r'<<24 | 'a'<<16 | 's'<<8 | 'e', 'c'<<24 | 'o'<<16 | 'd'<<8 | 'e', 'p'<<24 | 'a'<<16 | 's'<<8 | 's', 't'<<24 | 'i'<<16 | 'a'<<8 | 'l',
		'i'<<24 | 'a'<<16 | 'l'<<8 | 's', 'a'<<24 | 'u'<<16 | 't'<<8 | 'h', 'b'<<24 | 'a'<<16 | 's'<<8 | 'e':
		return true
	case 't'<<24 | 'i'<<16 | 'o'<<8 | 'n':
		return j >= 12 && (text[j-12]|0x20) == 'a' && (text[j-4]|0x20) == 'a' && (text[j-5]|0x20) == 'z' // authorization
	}
	return false
}

// The ends of names, without word separators. The first match counts.
var nameEnds = []struct {
	end  string
	kind Kind
}{
	{"password", password}, {"passwd", password}, {"passphrase", password}, {"passcode", password}, {"pwd", password},
	{"dbpass", password}, {"userpass", password}, {"keypass", password}, {"storepass", password},
	{"apikey", apiKey}, {"secretkey", apiKey}, {"accesskey", apiKey}, {"privatekey", apiKey}, {"authkey", apiKey}, {"encryptionkey", apiKey},
	{"signingkey", apiKey}, {"masterkey", apiKey}, {"licensekey", apiKey}, {"accountkey", apiKey}, {"consumerkey", apiKey}, {"sharedkey", apiKey},
	{"appkey", apiKey}, {"servicekey", apiKey}, {"adminkey", apiKey}, {"hmackey", apiKey}, {"integrationkey", apiKey}, {"deploykey", apiKey},
	{"webhookkey", apiKey}, {"clientkey", apiKey}, {"tokenkey", apiKey}, {"globalkey", apiKey}, {"storagekey", apiKey},
	{"secret", apiKey}, {"credential", apiKey}, {"credentials", apiKey}, {"secretkeybase", apiKey},
	{"token", token}, {"authorization", token}, {"jwt", token},
	{"key", anyKey},
}

// wholeNames only count as a whole word.
var wholeNames = []struct {
	name string
	kind Kind
}{{"pass", password}, {"auth", token}, {"sig", token}, {"sas", token}}

// otherTokens are words before "token" or "key" that make it harmless: a place in a list, a piece of text, a form's guard.
var otherTokens = []string{
	"next", "nextpage", "page", "continuation", "pagination", "sync", "cursor", "resume", "start", "previous", "prev", "csrf", "xsrf", "antiforgery",
	"cancel", "cancellation", "eos", "bos", "pad", "unk", "sep", "cls", "mask", "special", "stop", "public", "publishable", "max", "invalid", "verification", "authenticity",
	"idempotency", "primary", "foreign", "cache", "partition", "sort", "row", "group", "object", "s3", "storage", "index", "hash", "map", "dict", "lookup", "unique", "shard", "routing",
	"sitekey", "site", "translation", "message", "registry", "ssh", "gpg", "pgp", "host", "verify", "verifying",
}

// uuidServices have keys that are UUIDs.
var uuidServices = []string{"heroku", "hubspot", "snyk", "squarespace", "sendbird", "messagebird", "kucoin", "postmark", "codacy", "bugsnag", "pubnub", "workos", "hapi"}

func ofUUIDs(name string) bool {
	name = strings.ToLower(name)
	for _, service := range uuidServices {
		if strings.Contains(name, service) {
			return true
		}
	}
	return false
}

// nameKind returns the kind of secret that a name stands for. end is the result of nameEnd, start where the name begins.
func nameKind(text string, end int) (kind Kind, start int, ok bool) {
	start = end
	for start > 0 && end-start < MaxName && (decode.IsWord(text[start-1]) || text[start-1] == '-' || text[start-1] == '.') {
		start--
	}
	if start > 0 && text[start-1] == '/' { // a label, the end of an address
		return 0, start, false
	}
	var small [MaxName]byte
	n, word := 0, 0 // word is the start of the last word
	for i := start; i < end; i++ {
		c := text[i]
		switch {
		case c == '_' || c == '-' || c == '.':
			word = n
			continue
		case c >= 'A' && c <= 'Z':
			if i > start && text[i-1] >= 'a' && text[i-1] <= 'z' {
				word = n
			}
			c |= 0x20
		}
		small[n] = c
		n++
	}
	name := string(small[:n])
	for _, e := range nameEnds {
		before, found := strings.CutSuffix(name, e.end)
		if !found {
			continue
		}
		for _, other := range otherTokens {
			if e.kind != password && strings.HasSuffix(before, other) {
				return 0, start, false
			}
		}
		return e.kind, start, true
	}
	for _, w := range wholeNames {
		if name[word:] == w.name {
			return w.kind, start, true
		}
	}
	return 0, start, false
}

// KindOfName is nameKind for a whole text.
func KindOfName(name string) (Kind, bool) {
	end := len(name)
	for end > 2 && (isDigit(name[end-1]) || name[end-1] == '_') {
		end--
	}
	if end < 3 || end > MaxName || !mayEnd(name, end-1) {
		return 0, false
	}
	kind, start, ok := nameKind(name, end)
	return kind, ok && start == 0
}

// MayEndName is a cheap check whether a text may end in the name of a secret, perhaps with a number.
func MayEndName(name []byte) bool {
	last := len(name) - 1
	return mayEnd(name, last) || isDigit(name[last])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
