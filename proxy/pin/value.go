package pin

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// field is one member of an object: its decoded key and its value without surrounding white space.
type field struct {
	key string
	raw []byte
}

// check refuses what two parsers could read differently, before anything else here trusts the grammar.
func check(raw []byte) error {
	if err := frame.Validate(raw); err != nil {
		return fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	return nil
}

func kindOf(raw []byte) byte { return frame.Type(raw, frame.Root(raw)) }

// members returns the members of an object in order. The keys point into raw if they have no escape.
func members(raw []byte) ([]field, error) {
	out := make([]field, 0, 8)
	wellFormed := true
	frame.Members(raw, frame.Root(raw), func(key string, m frame.Member) bool {
		// Only an escape can spell a lone surrogate, and then the decoded key holds U+FFFD.
		if strings.ContainsRune(key, '\uFFFD') {
			_, wellFormed = frame.String(raw, m.Key)
		}
		out = append(out, field{key, m.Value.Of(raw)})
		return wellFormed
	})
	if !wellFormed {
		return nil, ErrLoneSurrogate
	}
	return out, nil
}

func elements(raw []byte) [][]byte {
	out := [][]byte{}
	frame.Elements(raw, frame.Root(raw), func(_ int, v frame.Span) bool {
		out = append(out, v.Of(raw))
		return true
	})
	return out
}

func decode(raw []byte) (string, error) {
	s, wellFormed := frame.String(raw, frame.Root(raw))
	if !wellFormed {
		return "", ErrLoneSurrogate
	}
	return s, nil
}

// appendScalar writes a value that is neither object nor array: a string in its one spelling, anything else as it is.
func appendScalar(dst, raw []byte) ([]byte, error) {
	v := frame.Root(raw)
	if frame.Type(raw, v) != '"' || bytes.IndexByte(v.Of(raw), '\\') < 0 { // a string without an escape is canonical already
		return append(dst, v.Of(raw)...), nil
	}
	s, wellFormed := frame.StringBytes(raw, v)
	if !wellFormed {
		return nil, ErrLoneSurrogate
	}
	return frame.AppendString(dst, string(s)), nil
}

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

// tail keeps the end of a path or label that is too long.
func tail(s string) string {
	if len(s) <= maxPlace {
		return s
	}
	return "…" + cut.Tail(s, maxPlace)
}
