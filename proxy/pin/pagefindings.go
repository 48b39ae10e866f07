package pin

import (
	"html"
	"regexp"
	"strings"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// findings are what a person must know of a page before allowing it.
func (p Page) findings() (found []inspect.Finding) {
	in := p.reach()
	add := func(rule string, level inspect.Level, title string, at asked) {
		found = append(found, inspect.Finding{
			Rule: rule, Level: level, Category: "threat", Title: title, Where: at.where, End: len(at.what), Match: cut.Runes(at.what, maxMatch),
		})
	}
	for _, of := range []struct {
		hosts []asked
		does  string
	}{{in.connect, "connect to"}, {in.load, "load from"}, {in.frame, "show pages of"}, {in.base, "lead its links to"}} {
		for _, h := range of.hosts {
			switch host := strings.ToLower(h.what); {
			case strings.ContainsAny(host, " \t\r\n;,'\""):
				add(inspect.PageOddHost, inspect.High, "Its page asks to "+of.does+" something that is no host, which could lift its limits", h)
			case strings.Contains(host, "*"), strings.HasSuffix(host, ":"), strings.HasSuffix(host, "://"):
				add(inspect.PageAnyHost, inspect.Medium, "Its page may "+of.does+" any host that matches a pattern", h)
			case strings.HasPrefix(host, "http:"), strings.HasPrefix(host, "ws:"):
				add(inspect.PagePlainHTTP, inspect.Medium, "Its page may "+of.does+" a host without encryption", h)
			}
		}
	}
	for _, a := range in.permissions {
		add(inspect.PagePermission, inspect.Medium, "Its page asks for "+permissionWords(a.what), a)
	}
	if p.Varies {
		found = append(found, inspect.Finding{
			Rule: inspect.VaryingPage, Level: inspect.Medium, Category: "threat",
			Title: "Its page changes at every read, so Sallyport can't compare what it shows; it inspects each read",
		})
	}
	for i, text := range p.Contents.texts() {
		if start, end, asks := passwordField(text); asks {
			found = append(found, inspect.Finding{
				Rule: inspect.PageAsksSecret, Level: inspect.High, Category: "threat", Title: "Its page has a field for a password",
				Where: inspect.Member(bodyAt(i), "source"), Start: start, End: end, Match: cut.Runes(text[start:end], maxMatch),
			})
		}
	}
	return found
}

// permissions are the ones of MCP Apps in words.
var permissions = map[string]string{
	"camera": "the camera", "microphone": "the microphone", "geolocation": "your location", "clipboardWrite": "writing to the clipboard",
}

// permissionWords names a permission. One that is not in the specification is quoted.
func permissionWords(key string) string {
	if words := permissions[key]; words != "" {
		return words
	}
	return "the permission " + quote(key)
}

// fields are what comes before the word password in a field for one: the attribute of an element, the property of one that a script makes, and
// the hint for what a browser fills in. They are compiled for a page that has the word: few servers have one, and every wrapper would pay for
// them when it starts.
type fields struct{ inTag, inScript, inHint *regexp.Regexp }

func newFields() *fields {
	return &fields{
		inTag:    regexp.MustCompile(`(?is)<input\b[^>]*\btype\s*=\s*["']?\s*$`),
		inScript: regexp.MustCompile("(?is)(\\btype[\"'`]?\\s*[:=]\\s*|\\btype[\"'`]\\s*,\\s*)[\"'`]$"),
		inHint:   regexp.MustCompile("(?is)autocomplete[\"'`]?\\s*[:=,]\\s*[\"'`]?(current|new)-$"),
	}
}

// follows reports whether the word after this text is in such a place.
func (f *fields) follows(before string) bool {
	tag := strings.LastIndexByte(before, '<')
	return f.inScript.MatchString(before) || f.inHint.MatchString(before) || tag >= 0 && f.inTag.MatchString(before[tag:])
}

// maxPasswords is how many places of the word are looked at closely, some microseconds each. A page with more counts as one that asks: a
// field could hide behind them.
const maxPasswords = 4096

// beforePassword is how far back an element may begin.
const beforePassword = 2048

// passwordField finds a field for a password in the source of a page.
func passwordField(text string) (start, end int, asks bool) {
	if start, end, asks = fieldIn(text); asks || !strings.Contains(text, "&") {
		return start, end, asks
	}
	// Character references are undone in attributes.
	if _, _, asks = fieldIn(html.UnescapeString(text)); asks {
		return 0, 0, true
	}
	return 0, 0, false
}

func fieldIn(text string) (start, end int, asks bool) {
	lower := asciiLower(text)
	var patterns *fields
	for at, looked := 0, 0; ; {
		i := strings.Index(lower[at:], "password")
		if i < 0 {
			break
		}
		start, end = at+i, at+i+len("password")
		at = end
		before := lower[max(0, start-beforePassword):start]
		if before == "" || !strings.ContainsRune("\"'`=- \t\r\n\f", rune(before[len(before)-1])) {
			continue // each of the places ends like this
		}
		if patterns == nil {
			patterns = newFields()
		}
		if looked++; looked > maxPasswords || patterns.follows(before) {
			return start, end, true
		}
	}
	if i := strings.Index(lower, "-webkit-text-security"); i >= 0 {
		return i, i + len("-webkit-text-security"), true
	}
	return 0, 0, false
}

// asciiLower keeps every offset, which strings.ToLower does not.
func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
