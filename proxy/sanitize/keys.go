package sanitize

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
)

// apart gives every member name that has to change a new one, keyed by the offset of its content. changes selects them, become gives the
// new name.
//
// If another member of the object already has that name, or nearly, it gets a suffix `~2`, `~3` and so on: an ambiguous object is worse
// than an odd name.
func apart(raw []byte, changes func(str) bool, become func(str) string) (map[int]string, error) {
	dirty := map[int]bool{} // objects with such a name
	count := 0
	eachString(raw, func(s str) bool {
		if s.key && changes(s) {
			dirty[s.scope] = true
			count++
		}
		return count <= maxKeys
	})
	if count > maxKeys {
		return nil, ErrKeys
	}
	key := func(s str, name string) string { return fmt.Sprint(s.scope, " ", frame.FoldedKey([]byte(name))) }
	taken := map[string]bool{}
	var waiting []str
	eachString(raw, func(s str) bool {
		switch {
		case !s.key || !dirty[s.scope]:
		case changes(s):
			waiting = append(waiting, s)
		default:
			taken[key(s, string(s.content(raw)))] = true
		}
		return true
	})
	renamed := map[int]string{}
	next := map[string]int{} // the next suffix, by key
	for _, s := range waiting {
		name := become(s)
		try, first := name, key(s, name)
		for n := max(next[first], 1); taken[key(s, try)]; {
			n++
			try, next[first] = fmt.Sprintf("%s~%d", name, n), n
		}
		taken[key(s, try)] = true
		renamed[s.start] = try
	}
	return renamed, nil
}

// spelled is a name with its control characters spelled out; the rest stays as written.
//
// Names are never shortened, in any mode: removing characters could turn one into the name of another member, or one with a meaning
// (`\u001bisError`, `\u001bsallyport/decision`). ESC becomes its letters, everything else `U+009C`, which no name of the protocol contains.
func spelled(content []byte) string {
	var b strings.Builder
	for i := 0; i < len(content); {
		r, size := character(content[i:])
		switch {
		case !control(r), r == '\r' && i+size < len(content) && isLineFeed(content[i+size:]):
			b.Write(content[i : i+size])
		case r == 0x1b:
			b.WriteString(nameOf(r))
		default:
			fmt.Fprintf(&b, "U+%04X", r)
		}
		i += size
	}
	return b.String()
}
