package address

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Header is a header that a person has sent along, with where its value comes from.
type Header struct {
	Name string
	Word string // a literal word in front of the value, such as Bearer; "" for none
	From string // "env" or "keychain"
	Key  string // the variable, or the name in the keychain
}

// Source is where the value comes from, as it is written: env:VAR or keychain:NAME.
func (h Header) Source() string { return h.From + ":" + h.Key }

// ParseHeader reads one value of --header: "Name: [WORD ]env:VAR" or "Name: [WORD ]keychain:NAME". A value by itself is refused, because it would be
// shown to every program that can list processes.
func ParseHeader(text string) (Header, error) {
	name, value, ok := strings.Cut(text, ":")
	h := Header{Name: http.CanonicalHeaderKey(strings.TrimSpace(name))}
	switch {
	case !ok || !IsToken(h.Name):
		return h, errors.New("write it as 'NAME: env:VAR' or 'NAME: keychain:NAME'")
	case !HeaderTaken(h.Name):
		return h, fmt.Errorf("%s is set by Sallyport itself, or may not be set", h.Name)
	}
	words := strings.Fields(value)
	if len(words) == 2 {
		h.Word, words = words[0], words[1:]
	}
	if len(words) != 1 || h.Word != "" && !IsToken(h.Word) {
		return h, fmt.Errorf("the value of %s must be env:VAR or keychain:NAME, with at most one word before it", h.Name)
	}
	h.From, h.Key, ok = strings.Cut(words[0], ":")
	if !ok || h.From != "env" && h.From != "keychain" || h.Key == "" {
		return h, fmt.Errorf("the value of %s can't be on the command line, where other programs see it; name where it is: env:VAR or keychain:NAME", h.Name)
	}
	return h, nil
}

// ParseHeaders reads the values of all --header of a command.
func ParseHeaders(given []string) (headers []Header, err error) {
	seen := map[string]bool{}
	for _, text := range given {
		h, err := ParseHeader(text)
		if err != nil {
			return nil, err
		}
		if seen[h.Name] {
			return nil, fmt.Errorf("%s is given twice", h.Name)
		}
		seen[h.Name] = true
		headers = append(headers, h)
	}
	return headers, nil
}

// Value is what is sent, for the secret that its source holds. An error says what is wrong, never the value.
func (h Header) Value(secret string) (string, error) {
	for _, c := range []byte(secret) {
		if c == '\r' || c == '\n' || c == 0 {
			return "", fmt.Errorf("the header %s: %s holds a line break or a zero byte", h.Name, h.Source())
		}
	}
	if secret == "" {
		return "", fmt.Errorf("the header %s: %s is not set", h.Name, h.Source())
	}
	if h.Word != "" {
		return h.Word + " " + secret, nil
	}
	return secret, nil
}

// IsToken reports whether a text is a token (RFC 9110, 5.6.2).
func IsToken(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", c))
	}) < 0
}

// reserved are the headers that would change the connection, the framing or the protocol.
var reserved = []string{"Host", "Connection", "Transfer-Encoding", "Te", "Upgrade", "Trailer", "Cookie", "Origin", "Last-Event-Id"}

// HeaderTaken reports whether a person can have a header of this name sent along.
func HeaderTaken(name string) bool {
	as := http.CanonicalHeaderKey(name)
	return IsToken(name) && !slices.Contains(reserved, as) && !strings.HasPrefix(as, "Content-") && !strings.HasPrefix(as, "Accept") && !strings.HasPrefix(as, "Mcp-")
}
