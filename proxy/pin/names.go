package pin

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// maxMatch is how many characters of server text fit in a sentence or a finding.
const maxMatch = 160

// quote puts a server's word into a sentence of ours: `context`, or "a\nb" with escapes if it holds a backtick, a line break or anything
// invisible, so that it cannot end its own quotation or begin a line.
func quote(s string) string {
	whole := s
	if s = cut.Runes(s, maxMatch); len(s) < len(whole) {
		s += "…"
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool {
		return r == '`' || r == utf8.RuneError || !unicode.IsPrint(r) || legible.Hidden(r)
	}) {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}

func memberPath(path, key string) string { return inspect.Member(path, key) }

func elementPath(path string, i int) string { return inspect.Element(path, i) }

// tail keeps the end of a path or label that is too long.
func tail(s string) string {
	if len(s) <= maxPlace {
		return s
	}
	return "…" + cut.Tail(s, maxPlace)
}
