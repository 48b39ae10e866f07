package flow

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// scanner goes through a text once, word by word.
type scanner struct {
	*taker
	text   string
	member string
	prose  bool

	capitals   int // words of the current run of capitalised ones
	run        int // where it begins
	runEnd     int
	second     int  // where its second word begins
	announced  bool // the last word was "id"
	past       int  // up to here the text is part of a number that was taken
	quotedPast int  // and of a quoted name

	apart    [maxApart]byte // letters that stand apart, one after the other
	apartLen int
	apartEnd int

	last, before role // of the two words before, for acts
}

// maxApart is the longest destination whose letters stand apart, leastApart the shortest.
const (
	maxApart   = 80
	leastApart = 6
)

// What a byte is in a word.
const (
	isSpace = 1 << iota
	isBreak // ends a word, as white space does
	isUpper
	isLower
	isDigit
	isScore // underscore
	isAt
	isDot
	isSlash
	isHigh // of a character beyond ASCII
	isQuote
	isPlus
	isColon
	isAround // may surround a word
	isHash
)

// inAddress are the signs one of which every mail address, URL, host and repository has.
const inAddress = isAt | isDot | isSlash | isColon

var bytesAre = func() (is [256]uint16) {
	for c := range 256 {
		switch {
		case c <= ' ' || c == 0x7f:
			is[c] = isSpace
		case c >= 0x80:
			is[c] = isHigh
		case c >= 'A' && c <= 'Z':
			is[c] = isUpper
		case c >= 'a' && c <= 'z':
			is[c] = isLower
		case c >= '0' && c <= '9':
			is[c] = isDigit
		}
	}
	for _, c := range []byte("\"'`<>()[]{},;|*!") {
		is[c] = isBreak
	}
	for _, c := range []byte("\"'`") {
		is[c] |= isQuote
	}
	is['_'], is['@'], is['.'], is['/'], is['+'], is[':'], is['#'] = isScore, isAt, isDot, isSlash, isPlus, isColon, isHash
	for _, c := range []byte(around) {
		is[c] |= isAround
	}
	return is
}()

func (s *scanner) scan() {
	text := s.text
	if strings.IndexByte(text, '(') >= 0 && (strings.Contains(text, "(at)") || strings.Contains(text, "(dot)")) ||
		strings.IndexByte(text, '[') >= 0 && (strings.Contains(text, "[at]") || strings.Contains(text, "[dot]")) {
		s.text = unspelled(text)
		text = s.text
	}
	s.last, s.before = begins, begins
	for at := 0; at < len(text); {
		is := bytesAre[text[at]]
		if is&(isSpace|isBreak) != 0 {
			if is&isQuote != 0 && s.prose && at >= s.quotedPast {
				s.quoted(at)
			}
			if is&isBreak != 0 {
				s.endRun()
			}
			if is != isSpace || text[at] == '\n' {
				s.parted(text[at])
			}
			at++
			continue
		}
		start, digits := at, 0
		key, bits, i := letterWord(text, start)
		if i == len(text) || bytesAre[text[i]]&(isSpace|isBreak) != 0 {
			if s.prose {
				s.ordering(key, text[start:i], start)
			}
		} else {
			for i < len(text) {
				is := bytesAre[text[i]]
				if is&(isSpace|isBreak) != 0 {
					break
				}
				if is == isDigit {
					digits++
				}
				bits |= is
				i++
			}
			if s.prose {
				s.orderings(start, i)
			}
		}
		if bits == isLower && i-start > 1 && i-start < KeyLeast && !s.announced && start >= s.past && s.apartLen == 0 { // what most words are
			if s.capitals > 0 {
				s.endRun()
			}
			s.announced = i-start == 2 && text[start] == 'i' && text[start+1] == 'd'
			if at = i; at < len(text) && text[at] == ' ' {
				at++
			}
			continue
		}
		if i == start+1 {
			s.single(start)
		} else if s.apartLen > 0 {
			s.endApart()
		}
		s.word(start, i, bits, digits)
		at = i
	}
	s.endApart()
	s.endRun()
}

// letterWord are the letters that text[start:] begins with: the first eight of them in lower case (decode.LetterKey), which cases there are, and where they
// end.
func letterWord(text string, start int) (key uint64, bits uint16, end int) {
	end = start
	const cases uint64 = 0x20 * decode.EachByte
	var lower, upper uint64
	for end+decode.KeyLetters <= len(text) {
		x := decode.Eight(text, end)
		some, n := decode.LetterKey(x)
		if end == start {
			key = some
		}
		is := cases >> (8 * uint(decode.KeyLetters-n)) & cases // none for n = 0
		lower, upper = lower|x&is, upper|^x&is
		if end += n; n < decode.KeyLetters {
			return key, casesOf(lower, upper), end
		}
	}
	for end < len(text) && bytesAre[text[end]]&(isLower|isUpper) != 0 {
		c := uint64(text[end])
		if at := end - start; at < decode.KeyLetters {
			key |= (c | 0x20) << (8 * at)
		}
		lower, upper = lower|c&0x20, upper|^c&0x20
		end++
	}
	return key, casesOf(lower, upper), end
}

func casesOf(lower, upper uint64) (bits uint16) {
	if lower != 0 {
		bits = isLower
	}
	if upper != 0 {
		bits |= isUpper
	}
	return bits
}

// single is a word of one byte: with one blank or line break between them, such words may be an address (e v e @ e v i l . c o m).
func (s *scanner) single(at int) {
	if s.apartLen > 0 && (at != s.apartEnd+1 || s.apartLen == maxApart) {
		s.endApart()
	}
	s.apart[s.apartLen] = s.text[at]
	s.apartLen++
	s.apartEnd = at + 1
}

func (s *scanner) endApart() {
	if s.apartLen >= leastApart {
		w := string(s.apart[:s.apartLen])
		s.address(strings.Trim(w, around), bitsOf(w))
	}
	s.apartLen = 0
}

func bitsOf(w string) (bits uint16) {
	for i := range len(w) {
		bits |= bytesAre[w[i]]
	}
	return bits
}

// around is what may surround a word.
const around = ".:?-=&~$%^\\"

func (s *scanner) word(start, end int, bits uint16, digits int) {
	if start < s.past {
		return
	}
	for end > start && bytesAre[s.text[end-1]]&isAround != 0 {
		end--
	}
	w := s.text[start:end]
	hash := false
	for w != "" && (bytesAre[w[0]]&isAround != 0 || w[0] == '#') {
		hash = hash || w[0] == '#'
		w = w[1:]
		start++
	}
	if w == "" {
		s.endRun()
		return
	}
	if bits&(inAddress|isDigit|isScore|isPlus) == 0 && len(w) < KeyLeast && !hash && !s.announced { // a plain word, as most are
		s.plain(start, start+len(w), bits)
		return
	}
	s.endRun()
	announced := s.announced
	s.announced = false
	if bits&inAddress != 0 {
		if s.address(w, bits) {
			return
		}
	}
	if digits > 0 {
		if end := s.number(start, start+len(w)); end > 0 {
			s.past = end
			return
		}
	}
	if len(w) >= KeyLeast && isKey(w) {
		s.give(Value{Kind: Key, Prose: s.prose, Member: s.member, Text: strings.ToLower(w)})
		return
	}
	if s.prose && len(w) <= maxField && (bits&(isDigit|isScore) != 0 || hash || announced) {
		s.give(Value{Kind: Name, Prose: true, Text: strings.ToLower(w)})
	}
	s.announced = (w == "id" || w == "ID" || w == "Id" || w == "id:" || w == "ID:")
}

// plain is a word of letters.
func (s *scanner) plain(start, end int, bits uint16) {
	w := s.text[start:end]
	if len(w) == 2 && (w == "id" || w == "ID" || w == "Id") {
		s.announced = true
	}
	if !s.prose {
		return
	}
	if bytesAre[w[0]]&isUpper == 0 {
		s.endRun()
		return
	}
	if s.capitals > 0 && start != s.runEnd+1 {
		s.endRun()
	}
	switch s.capitals {
	case 0:
		s.run = start
	case 1:
		s.second = start
	}
	s.capitals++
	s.runEnd = end
	if end < len(s.text) && bytesAre[s.text[end]]&isSpace == 0 { // ".", "?" end a name
		s.endRun()
	}
}

const mostCapitals = 6

// endRun takes the run of capitalised words. The first may only begin the sentence.
func (s *scanner) endRun() {
	if s.capitals >= 2 && s.capitals <= mostCapitals {
		s.give(Value{Kind: Name, Prose: true, Text: whole(s.text[s.run:s.runEnd])})
		if s.capitals > 2 {
			s.give(Value{Kind: Name, Prose: true, Text: whole(s.text[s.second:s.runEnd])})
		}
	}
	s.capitals = 0
}

// quoted takes what stands between two quotation marks of a kind.
func (s *scanner) quoted(at int) {
	if at > 0 && bytesAre[s.text[at-1]]&(isLower|isUpper|isDigit|isHigh) != 0 {
		return // an apostrophe, or the end of one
	}
	rest := s.text[at+1 : min(len(s.text), at+maxField+2)]
	end := strings.IndexByte(rest, s.text[at])
	if end < 2 || strings.IndexByte(rest[:end], '\n') >= 0 || rest[0] == ' ' {
		return
	}
	s.quotedPast = at + end + 2
	s.give(Value{Kind: Name, Prose: true, Text: whole(rest[:end])})
}

// address takes a mail address, a URL with its host, a bare host, or a repository.
func (s *scanner) address(w string, bits uint16) bool {
	kind, form := destination(w)
	if !kind.Destination() && strings.IndexByte(w, '%') >= 0 { // eve%40evil.example
		if plain, err := url.PathUnescape(w); err == nil {
			kind, form = destination(plain)
		}
	}
	if !kind.Destination() {
		return false
	}
	if kind == Repo && bits&isDigit == 0 && s.prose && strings.IndexByte(form, '-') < 0 {
		return false // "and/or"
	}
	s.give(Value{Kind: kind, Prose: s.prose, Member: s.member, Text: form})
	if kind == URL {
		if host := HostOf(form); host != form {
			s.give(Value{Kind: Host, Prose: s.prose, Member: s.member, Text: host})
		}
	}
	return true
}

// unspelled writes the signs of a mail address that are spelled out: "name (at) host (dot) com".
func unspelled(text string) string {
	return spelledOut.Replace(text)
}

var spelledOut = strings.NewReplacer(" (at) ", "@", "(at)", "@", " [at] ", "@", "[at]", "@", " (dot) ", ".", "(dot)", ".", " [dot] ", ".", "[dot]", ".")

// KeyLeast is the length of the shortest key, in bytes.
const KeyLeast = 24

// isKey reports whether a word is one of a key's letters with digits among them.
func isKey(w string) bool {
	letters, digits := false, false
	for i := range len(w) {
		switch is := bytesAre[w[i]]; {
		case is == isDigit:
			digits = true
		case is&(isLower|isUpper) != 0:
			letters = true
		case is&(isScore|isPlus|isSlash) == 0 && w[i] != '-' && w[i] != '=':
			return false
		}
	}
	return letters && digits && utf8.RuneCountInString(w) == len(w)
}
