package secrets

import "strings"

const (
	maxSplit = 512 // characters of a key that is split into literals
	maxSeam  = 64  // between two of them
)

// joined is the text at a place with the seams between string literals left out: `"ghp_ab" + "cd"` reads ghp_abcd. ends has where each
// character of it ends in the text. Both are empty if there is no seam.
func joined(text string, at int, looked *int) (key string, ends []int32) {
	start := at
	var b []byte
	seams := 0
	for at < len(text) && len(b) < maxSplit {
		switch c := text[at]; {
		case c == '"' || c == '\'' || c == '`':
			next, ok := seam(text, at)
			*looked += next - at
			if !ok {
				at = len(text)
				continue
			}
			at, seams = next, seams+1
		case c <= ' ' || c >= 0x7f:
			at = len(text) // the end of the key, unless a literal ended before
		default:
			b, ends, at = append(b, c), append(ends, int32(at+1)), at+1
		}
	}
	*looked += min(at, len(text)) - start
	if seams == 0 {
		return "", nil
	}
	return string(b), ends
}

// seam is where the next literal's content begins, if the one whose closing quote is at text[at] is continued by another of its kind: by nothing
// but white space and one operator of a common language (+ . , & || \ and the line's end).
func seam(text string, at int) (next int, ok bool) {
	quote, operators := text[at], 0
	for i := at + 1; i < len(text) && i <= at+maxSeam; i++ {
		switch c := text[i]; {
		case c == quote:
			return i + 1, true
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case strings.IndexByte("+.,&|\\", c) >= 0 && operators < 2:
			operators++
		default:
			return i, false
		}
	}
	return at + 1, false
}

// split is a key whose form is only whole once its string literals are joined. A private key has lines of its own.
func (l *Look) split(text string, at, rule int) (Found, bool) {
	if l.forms.rules[rule].kind == privateKey {
		return Found{}, false
	}
	looked := 0
	key, ends := joined(text, at, &looked)
	l.work -= looked
	if key == "" {
		return Found{}, false
	}
	if end := l.shaped(key, 0, rule); end > 0 {
		return Found{Start: at, End: int(ends[end-1])}, true
	}
	return Found{}, false
}
