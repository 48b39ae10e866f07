package sanitize

import (
	"unicode"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// pattern recognises triggers and tags in a string that ends with raw. Case does not count, and invisible characters between two others do
// not either: what a reader sees, or a client that drops them, is the trigger without them.
//
// Every run of invisible characters is passed at most as often as a pattern has characters, so a text of nothing else costs linear time.
type pattern struct{ raw []byte }

// next is the first visible character from at on, and the offset after it; r is -1 at the end.
func (p pattern) next(at int) (r rune, after int) {
	for at < len(p.raw) {
		if c := p.raw[at]; c >= 0x20 && c < 0x7f && c != '\\' {
			return rune(c), at + 1
		}
		r, size := character(p.raw[at:])
		at += size
		if !legible.Hidden(r) {
			return r, at
		}
	}
	return -1, at
}

// letters is the offset after a word in lower case.
func (p pattern) letters(at int, word string) (after int, ok bool) {
	for _, want := range word {
		r, next := p.next(at)
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		if r != want {
			return 0, false
		}
		at = next
	}
	return at, true
}

// oneTool recognises `__ot` behind its first underscore. word: a letter, digit or underscore follows at once, so it is a part of a longer
// word.
func (p pattern) oneTool(at int) (after int, word, ok bool) {
	if after, ok = p.letters(at, "_ot"); !ok || after == len(p.raw) {
		return after, false, ok
	}
	r, _ := character(p.raw[after:])
	return after, r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r), true
}

// mcp recognises `mcp__NAME` behind its first letter. NAME, of at least one character, ends before the next `__` or with the word.
func (p pattern) mcp(at int) (after int, ok bool) {
	at, ok = p.letters(at, "cp__")
	if !ok {
		return 0, false
	}
	after = at
	for n := 0; ; n++ {
		r, next := p.next(after)
		if !named(r) {
			return after, n > 0
		}
		if r == '_' && n > 0 {
			if second, _ := p.next(next); second == '_' {
				return after, true
			}
		}
		after = next
	}
}

// named reports whether a character can be part of the name of a server or tool.
func named(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// maxTag is how many characters a tag may have behind its name; ours have fewer.
const maxTag = 1024

// tag recognises `<external-content-…>` and its closing form behind the bracket, blanks allowed. One that does not end, or holds another
// bracket first, reaches as far as its name: left there, it could swallow the boundary that follows.
func (p pattern) tag(at int) (after int, ok bool) {
	slashes := 0
	for {
		r, next := p.next(at)
		if r == '/' && slashes == 0 {
			slashes++
		} else if !unicode.IsSpace(r) {
			break
		}
		at = next
	}
	if at, ok = p.letters(at, "external-content-"); !ok {
		return 0, false
	}
	short := at
	for n := 0; n < maxTag; n++ {
		r, next := p.next(at)
		switch {
		case r == '>':
			return next, true
		case r < 0 || r == '<':
			return short, true
		case named(r) && short == at:
			short = next
		}
		at = next
	}
	return short, true
}
