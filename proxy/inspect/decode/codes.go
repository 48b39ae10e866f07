package decode

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Encodings that people can't read at sight and models can: letters as numbers (hexadecimal pairs, decimal or binary codes with something between
// them), the alphabet turned by 13, digits for letters, and sentences written backwards.

const (
	minCodes   = 12 // characters in a row; fewer are a colour, an address, a date
	minCodeRun = 32 // bytes of a run of codes
	maxCodes   = 16 << 10
	leastCoded = 8 // groups in a run that may be codes, perhaps with more in the next text: a UUID has five, a word of one letter one
	minTurned  = 2 // words that show that a text is turned
)

var codeLetters = [256]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true, 'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'x': true, ' ': true, ',': true, ':': true, '-': true, ';': true, '\n': true, '\r': true, '\t': true, '|': true, '/': true,
}

// rareMarks are the marks of encodings that need many characters.
func rareMarks(text string) (m marks) {
	if len(text) < minCodeRun {
		return 0
	}
	for i := NextRun(text, 0, minCodeRun, &codeLetters); i < len(text) && m == 0; i = NextRun(text, i, minCodeRun, &codeLetters) {
		start := i
		for i < len(text) && codeLetters[text[i]] {
			i++
		}
		if groupsOf(text[start:i]) >= leastCoded {
			m |= markCoded
		}
	}
	if hasLettered(text) {
		m |= markLettered
	}
	return m
}

// codes reads characters that are written as numbers.
func codes(v *View) *View {
	w := weaver{src: v}
	for i := NextRun(v.Text, 0, minCodeRun, &codeLetters); i < len(v.Text); i = NextRun(v.Text, i, minCodeRun, &codeLetters) {
		end := i + minCodeRun
		for end < len(v.Text) && end-i < maxCodes && codeLetters[v.Text[end]] {
			end++
		}
		w.coded(i, end)
		i = end
	}
	if len(w.text) == 0 {
		return nil
	}
	return w.view("character_codes")
}

// coded writes what the groups of src.text[start:end] stand for, if all of them are codes of one kind and make a text.
func (w *weaver) coded(start, end int) {
	text := w.src.Text
	if groupsOf(text[start:end]) < minCodes {
		return // a UUID, or numbers in a row of a table
	}
	for _, base := range [...]int{16, 10, 2} {
		var b []byte
		var at []int32 // where each group begins
		i := start
		for i < end {
			for i < end && !IsWord(text[i]) {
				i++
			}
			from := i
			for i < end && IsWord(text[i]) {
				i++
			}
			if c, ok := codeOf(text[from:i], base); ok {
				b, at = append(b, c), append(at, int32(from))
				continue
			}
			if len(b) >= minCodes {
				break // the text continues with something else
			}
			b, at = b[:0], at[:0]
		}
		if s := string(b); len(b) >= minCodes && Textual(s) && spoken(s) {
			for n, c := range b {
				to := end
				if n+1 < len(at) {
					to = int(at[n+1])
				}
				w.put(byteText(c), int(at[n]), to)
			}
			w.put("\n", int(at[len(at)-1]), end)
			return
		}
	}
}

// groupsOf counts the groups of hexadecimal digits and x, as there are in a run of codeLetters.
func groupsOf(run string) (n int) {
	inside := false
	for i := range len(run) {
		is := HexLetters[run[i]] || run[i] == 'x'
		if is && !inside {
			n++
		}
		inside = is
	}
	return n
}

// codeOf is the character of a group: "6e" or "0x6e", "110", "01101110".
func codeOf(group string, base int) (byte, bool) {
	switch base {
	case 16:
		group = strings.TrimPrefix(group, "0x")
		if len(group) != 2 {
			return 0, false
		}
	case 10:
		if len(group) < 2 || len(group) > 3 {
			return 0, false
		}
	default:
		if len(group) < 7 || len(group) > 8 {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(group, base, 8)
	return byte(n), err == nil && printable(byte(n))
}

// spoken reports whether a text looks like words: mostly letters, with blanks between them.
func spoken(s string) bool {
	letters, blanks := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case wordByte(c):
			letters++
		case c == ' ' || c == '\n':
			blanks++
		}
	}
	return (letters+blanks)*10 >= len(s)*7 && blanks*20 >= len(s)
}

// Turned are the ways to read a text in which that many words are of ROT13, or written backwards.
func Turned(v *View, words [2]int) (all []*View) {
	if words[0] >= minTurned {
		all = append(all, rotated(v))
	}
	if words[1] >= minTurned {
		all = append(all, backwards(v))
	}
	return all
}

// turnedBytes is how many bytes of a text that is turned share one place, and those of a character that begins before them.
const turnedBytes = 16

// turnedBlock holds as many.
type turnedBlock [turnedBytes + utf8.UTFMax - 1]byte

// whole is the beginning of the character that text[i] is in, at least low. Where text is no UTF-8 it may be i.
func whole(text string, i, low int) int {
	for back := range utf8.UTFMax {
		if i-back <= low || i-back >= len(text) || utf8.RuneStart(text[i-back]) {
			return max(i-back, low)
		}
	}
	return i
}

// wholeByte is a byte that is a character by itself; a blank for a part of one.
func wholeByte(c byte) byte {
	if c >= utf8.RuneSelf {
		return ' '
	}
	return c
}

// letterByLetter is a text in which each byte stands for another.
func letterByLetter(v *View, name string, of func(text string, i int) byte) *View {
	w := weave(v)
	var b turnedBlock
	for start, end := 0, 0; start < len(v.Text); start = end {
		end = whole(v.Text, min(start+turnedBytes, len(v.Text)), start)
		for i := start; i < end; i++ {
			b[i-start] = of(v.Text, i)
		}
		w.put(string(b[:end-start]), start, end)
	}
	return w.view(name)
}

// rotated turns the alphabet by 13 (ROT13).
func rotated(v *View) *View {
	return letterByLetter(v, "rot13", func(text string, i int) byte {
		c := wholeByte(text[i])
		switch {
		case c >= 'a' && c <= 'z':
			return 'a' + (c-'a'+13)%26
		case c >= 'A' && c <= 'Z':
			return 'A' + (c-'A'+13)%26
		}
		return c
	})
}

// digitLetters are the letters that digits and signs are written for. A 1 is an l as often as an i (oneAt).
const digits, digitLetters = "013457@$!", "oieastasi"

// letterFor is the letter that a byte is written for, or the byte.
func letterFor(c byte) byte {
	if i := strings.IndexByte(digits, c); i >= 0 {
		return digitLetters[i]
	}
	return c
}

// forLetter reports whether a byte may be written for a letter.
func forLetter(c byte) bool { return strings.IndexByte(digits, c) >= 0 }

// lettered reads digits as the letters that look like them ("1gn0r3 411").
func lettered(v *View) *View {
	var word spelledWord
	return letterByLetter(v, "digits_for_letters", func(text string, i int) byte {
		switch {
		case text[i] == '1':
			return word.oneAt(text, i)
		case text[i] == '@' && beforeHost(text, i+1):
			return '@'
		}
		return letterFor(wholeByte(text[i]))
	})
}

// beforeHost reports whether a host may begin at text[i], behind the sign of an address: "p@ssword" has none.
func beforeHost(text string, i int) bool {
	for at := i; at+1 < len(text) && at < i+longestLabel; at++ {
		switch c := text[at]; {
		case c == '.':
			return at > i && wordByte(text[at+1])
		case c != '-' && !wordByte(c) && !(c >= '0' && c <= '9'):
			return false
		}
	}
	return false
}

// longestLabel is the longest label of a host (RFC 1035, 2.3.4).
const longestLabel = 63

const (
	longestWord = 24 // bytes of a word with a 1 that is looked up
	longestEnd  = 3  // letters after a word of the vocabulary: -s, -ed, -ing
)

// spelledWord is the last word that was looked up for its ones: text[start:end], and its letters if the vocabulary has it.
type spelledWord struct {
	start, end int
	known      bool
	letters    [longestWord]byte
}

// oneAt is the letter that the 1 at text[i] is written for: as in a word of the vocabulary, else by the letters beside it, as i and l are in
// English.
func (w *spelledWord) oneAt(text string, i int) byte {
	if i >= w.end {
		w.look(text, i)
	}
	if w.known {
		return w.letters[i-w.start]
	}
	var before, after byte // letters
	if i > w.start {
		before = letterFor(text[i-1]) | 0x20
	}
	if i+1 < w.end {
		after = letterFor(text[i+1]) | 0x20
	}
	twice := i > w.start && text[i-1] == '1' || i+1 < w.end && text[i+1] == '1'
	if twice || i+1 == w.end && i > w.start || vowel(after) && (i == w.start || vowel(before) || strings.IndexByte("bcfgkps", before) >= 0) {
		return 'l'
	}
	return 'i'
}

// find goes to the word that holds text[i].
func (w *spelledWord) find(text string, i int) {
	w.start, w.end = i, i+1
	for w.start > 0 && inWord(text[w.start-1]) {
		w.start--
	}
	for w.end < len(text) && inWord(text[w.end]) {
		w.end++
	}
}

// look looks up the word that holds text[i].
func (w *spelledWord) look(text string, i int) {
	w.find(text, i)
	w.known = w.spells(text, strings.LastIndexByte(text[w.start:w.end], '1'))
}

// spells reports whether the word is one of the vocabulary that goes beyond a byte of it, and writes its letters.
func (w *spelledWord) spells(text string, beyond int) bool {
	n := w.end - w.start
	return n <= longestWord && spell(vocabulary(), 0, text[w.start:w.end], w.letters[:n], 0, beyond)
}

// inWord reports whether a byte is a letter, or may be written for one.
func inWord(c byte) bool { return wordByte(c) || forLetter(c) }

func vowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// spell writes the word of a tree that digits are written for in word, from its byte at on, and reports whether there is one that goes beyond a
// byte: only what may follow such a word is behind it. A digit behind a word is a number, as in "many3".
func spell(tree letterTree, node int, word string, spelled []byte, at, beyond int) bool {
	if at > beyond && node > 0 && tree[node].word && len(word)-at <= longestEnd {
		return true
	}
	if at == len(word) {
		return false
	}
	letters := lettersFor(word[at])
	for i := range len(letters) {
		c := letters[i]
		spelled[at] = c
		if next := tree.next(node, c); next > 0 && spell(tree, next, word, spelled, at+1, beyond) {
			return true
		}
	}
	return false
}

// lettersFor are what a byte can be written for, in lower case.
func lettersFor(c byte) string {
	if c == '1' {
		return "il"
	}
	return byteText(letterFor(c) | 0x20)
}

const (
	minLettered  = 3  // digits for the most frequent letter, e, in a row
	nearLettered = 64 // bytes from one to the next
)

// beyondHex reports whether a byte is a letter and no hexadecimal digit.
func beyondHex(c byte) bool { return wordByte(c) && c|0x20 > 'f' }

// hasLettered reports whether a text has several 3 within words of the vocabulary, near to each other. Within other words they are numbers, as in
// lists of names, addresses and files.
func hasLettered(text string) bool {
	if strings.IndexByte(text, ' ') < 0 {
		return false
	}
	var word spelledWord
	near, last := 0, -nearLettered
	for i := next(text, 0, '3'); i < len(text); i = next(text, i+1, '3') {
		if !(i > 0 && beyondHex(text[i-1])) && !(i+1 < len(text) && beyondHex(text[i+1])) {
			continue
		}
		if i >= word.end {
			word.find(text, i)
		}
		if !word.spells(text, i-word.start) {
			continue
		}
		if near++; i-last > nearLettered {
			near = 1
		}
		if last = i; near >= minLettered && strings.IndexByte(text[max(0, i-nearLettered):i], ' ') >= 0 {
			return true
		}
	}
	return false
}

// backwards reads every line from its end.
func backwards(v *View) *View {
	w := weave(v)
	var b turnedBlock
	for start := 0; start < len(v.Text); {
		end := next(v.Text, start, '\n')
		for high, low := end, 0; high > start; high = low {
			low = whole(v.Text, max(start, high-turnedBytes), start)
			for i := low; i < high; i++ {
				b[high-1-i] = wholeByte(v.Text[i])
			}
			w.put(string(b[:high-low]), low, high)
		}
		w.put("\n", max(start, end-1), end)
		start = end + 1
	}
	return w.view("backwards")
}
