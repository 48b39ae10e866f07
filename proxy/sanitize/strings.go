package sanitize

import "github.com/sallyport/sallyport/proxy/frame"

// str is one string of a JSON text: its content, whether it is a key, and its depth.
type str struct {
	start, end int
	key        bool
	depth      int
	scope      int // of a key: its object's number, counted from 1 as they open
}

func (s str) content(raw []byte) []byte { return raw[s.start:s.end] }

// eachString visits every string of a JSON text in order, until visit returns false. It trusts the grammar, but stays in range without it.
func eachString(raw []byte, visit func(str) bool) {
	var scopes []int // for each open container; 0 for an array
	opened, expectKey := 0, false
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '{':
			opened++
			scopes = append(scopes, opened)
			expectKey = true
		case '[':
			scopes = append(scopes, 0)
			expectKey = false
		case '}', ']':
			if len(scopes) > 0 {
				scopes = scopes[:len(scopes)-1]
			}
			expectKey = false
		case ',':
			expectKey = len(scopes) > 0 && scopes[len(scopes)-1] > 0
		case ':':
			expectKey = false
		case '"':
			s := str{start: i + 1, end: closing(raw, i+1), key: expectKey, depth: len(scopes)}
			if s.key {
				s.scope = scopes[len(scopes)-1]
			}
			if !visit(s) {
				return
			}
			i = s.end
		}
		i++
	}
}

// closing is the offset of the quote that ends the string whose content begins at i.
func closing(raw []byte, i int) int {
	for ; i < len(raw); i += 2 {
		if i += frame.IndexSpecial(raw[i:]); i < len(raw) && raw[i] == '"' {
			return i
		}
	}
	return len(raw)
}
