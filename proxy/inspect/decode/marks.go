package decode

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// marks tell what a text holds that could be read in more than one way, apart from blobs. Nearly no response holds any, so one pass finds
// them, and only what could be there is searched for.
type marks uint16

const (
	Wide              marks = 1 << iota // a non-ASCII byte
	markAmp                             // & begins an entity
	markPercent                         // % an encoded byte
	markSlash                           // \ an escape
	ControlCharacters                   // a control character other than tab, LF and CR
	markLonely                          // letters that may be spaced apart (lonely)
	markQuoted                          // letters in quotes, one in each

	// Not found by MarksOf, but by rareMarks:
	markCoded    // numbers in a row that may be characters
	markLettered // digits within words
)

const (
	EachByte = 0x0101010101010101
	HighBits = 0x80 * EachByte
)

// MarksOf makes one pass, eight bytes at a time (a zero byte is found by its borrow: H. S. Warren, Hacker's Delight, 6-1).
func MarksOf(text string) (m marks) {
	b := bytesOf(text)
	var wide, spelled, before, quotesBefore uint64
	controls, apart, quoted := false, false, 0
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		wide |= x
		spelled |= spells(x)
		if hasControl(x) && !controls {
			controls = controlIn(b[i : i+8])
		}
		letters, quotes := lettersOf(x), is(x&^HighBits, '"')
		apart = apart || standApart(letters) || i > 0 && standApart(before>>32|letters<<32)
		if quotes != 0 {
			quoted += bits.OnesCount64(inQuotes(quotes, letters)) + bits.OnesCount64(inQuotes(quotesBefore>>32|quotes<<32, before>>32|letters<<32)&acrossEights)
		}
		before, quotesBefore = letters, quotes
	}
	if i+4 <= len(b) && i > 0 { // the last eight bytes that begin at a multiple of four
		apart = apart || standApart(lettersOf(binary.LittleEndian.Uint64(b[i-4:])))
	}
	if i < len(b) { // the last eight bytes, of which some were seen
		var x uint64
		switch {
		case len(b) >= 8:
			x = binary.LittleEndian.Uint64(b[len(b)-8:])
		case len(b) >= 4:
			x = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[len(b)-4:]))<<32
		default:
			x = blanks
			for _, c := range b {
				x = x<<8 | uint64(c)
			}
		}
		wide |= x
		spelled |= spells(x)
		controls = controls || hasControl(x) && controlIn(b[max(0, len(b)-8):])
	}
	if wide&HighBits != 0 {
		m |= Wide
	}
	if spelled&HighBits != 0 {
		m |= spelledWith(text)
	}
	if controls {
		m |= ControlCharacters
	}
	if apart && len(text) >= 2*minSpaced-1 {
		m |= markLonely
	}
	if quoted >= minSpaced {
		m |= markQuoted
	}
	return m
}

// inQuotes sets the top bit of each of eight bytes that is a quote before one letter and another quote.
func inQuotes(quotes, letters uint64) uint64 { return quotes & (letters >> 8) & (quotes >> 16) }

// acrossEights are those of four bytes and the next four that are in neither eight: they begin with its last two.
const acrossEights = 0x80800000

// spells sets the top bit of a byte, beside others, if one of eight is a mark that spells others: & % \.
func spells(x uint64) uint64 {
	amp, percent, slash := x^'&'*EachByte, x^'%'*EachByte, x^'\\'*EachByte
	return (amp-EachByte)&^amp | (percent-EachByte)&^percent | (slash-EachByte)&^slash
}

// hasControl reports whether one of eight bytes is a control character, or white space other than a blank.
func hasControl(x uint64) bool {
	del := x ^ 0x7f*EachByte
	return ((x-0x20*EachByte)&^x|(del-EachByte)&^del)&HighBits != 0
}

// Plain reports whether eight bytes are printable ASCII.
func Plain(eight string) bool {
	x := binary.LittleEndian.Uint64(bytesOf(eight))
	return x&HighBits == 0 && !hasControl(x)
}

// allMarks are those of MarksOf, and the rare ones.
func allMarks(text string) marks { return MarksOf(text) | rareMarks(text) }

func spelledWith(text string) (m marks) {
	if strings.IndexByte(text, '&') >= 0 {
		m |= markAmp
	}
	if strings.IndexByte(text, '%') >= 0 {
		m |= markPercent
	}
	if strings.IndexByte(text, '\\') >= 0 {
		m |= markSlash
	}
	return m
}

// lettersOf sets the top bit of each of eight bytes that is an ASCII letter.
func lettersOf(x uint64) uint64 {
	return between(x&^HighBits|0x20*EachByte, 'a', 'z') &^ x // lower case, and other bytes
}

// KeyLetters is how many letters of a word are in its key.
const KeyLetters = 8

// WordKey are the first letters and digits of a word, in lower case, out of the eight bytes that it begins with; and how many they are.
func WordKey(x uint64) (key uint64, n int) {
	low := x &^ HighBits
	return keyOf(x, (x|outside(low|0x20*EachByte, 'a', 'z')&outside(low, '0', '9'))&HighBits)
}

// LetterKey is WordKey for letters only.
func LetterKey(x uint64) (key uint64, n int) {
	return keyOf(x, (x|outside(x&^HighBits|0x20*EachByte, 'a', 'z'))&HighBits)
}

// outside sets the top bit, beside others, of each of eight bytes (below 0x80) that is not from first to last.
func outside(x uint64, first, last byte) uint64 {
	return ^(x + uint64(0x80-first)*EachByte) | (x + uint64(0x7f-last)*EachByte)
}

// keyOf is the key that ends where the first top bit of no is set. It is counted by a product: to look for a bit takes some processors eight steps.
func keyOf(x, no uint64) (key uint64, n int) {
	first := no & -no >> 7
	return (x | 0x20*EachByte) & (first - 1), KeyLetters - int(first*0x0807060504030201>>56)
}

// Eight are the eight bytes of a text from text[i] on, with zeros behind its end. It has eight.
func Eight(text string, i int) uint64 {
	b := bytesOf(text)
	if i+8 <= len(b) {
		return binary.LittleEndian.Uint64(b[i:])
	}
	return binary.LittleEndian.Uint64(b[len(b)-8:]) >> (8 * uint(i+8-len(b)))
}

// KeyLetter reports whether a byte in lower case is one that keys are made of.
func KeyLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// standApart reports whether there are at least two letters and no two adjacent.
func standApart(letters uint64) bool { return letters&(letters>>8) == 0 && letters&(letters-1) != 0 }

// lonely is the first place at or after from where spaced letters may begin. The shortest such run has eleven bytes, so eight of them are
// aligned to four, with no two adjacent letters.
func lonely(text string, from int) int {
	b := bytesOf(text)
	for at := (from + 3) &^ 3; at+8 <= len(b); at += 4 {
		if standApart(lettersOf(binary.LittleEndian.Uint64(b[at:]))) {
			return max(from, at-3)
		}
	}
	return len(text)
}

func controlIn(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return true
		}
	}
	return false
}
