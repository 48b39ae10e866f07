package decode

import (
	"encoding/binary"
	"math/bits"
)

// Zone is the longest text with a Makeup: of two texts read as one, this many bytes of each count.
const Zone = 256

// Makeup classifies the bytes of a short text. Every question about the ends of texts that may be read as one (seam), and about blobs in a
// text, starts from it; it takes two passes of eight bytes at a time.
type Makeup struct {
	Marks marks
	Size  int
	Blob  bitmap // letters of base64 and base64url
}

// bitmap has a bit for each byte of a text of at most zone bytes, the first byte's lowest.
type bitmap [Zone / 64]uint64

// blanks are eight neutral bytes.
const blanks = ' ' * EachByte

func MakeupOf(text string) (s Makeup) {
	b := bytesOf(text)
	s.Marks, s.Size = allMarks(text), len(b)
	for at := 0; at < len(b); at += 8 {
		x, last := uint64(blanks), len(b)-at
		if last >= 8 {
			x = binary.LittleEndian.Uint64(b[at:])
		} else if len(b) >= 8 { // the rest, with the bytes already read shifted out
			x = binary.LittleEndian.Uint64(b[len(b)-8:])>>uint(64-8*last) | blanks<<uint(8*last)
		} else {
			for i := last - 1; i >= 0; i-- {
				x = x<<8 | uint64(b[i])
			}
		}
		s.Blob[at>>6&3] |= gather(blobLetters(x)) << (uint(at) & 63)
	}
	return s
}

// blobLetters sets the top bit of each of eight bytes that is in Base64Letters.
func blobLetters(x uint64) uint64 {
	low := x &^ HighBits
	others := (between(low, '0', '9') | is(low|0x04*EachByte, '/') | is(low|0x02*EachByte, '/') | is(low, '_')) &^ x // + / - _
	return lettersOf(x) | others
}

// between sets the top bit of each of eight bytes (below 0x80) that is from first to last.
func between(x uint64, first, last byte) uint64 {
	return (x + uint64(0x80-first)*EachByte) &^ (x + uint64(0x7f-last)*EachByte) & HighBits
}

// is sets the top bit of each of eight bytes (below 0x80) that is c.
func is(x uint64, c byte) uint64 { return (HighBits - (x ^ uint64(c)*EachByte)) & HighBits }

// gather packs the top bits of eight bytes into eight bits, the first byte's lowest.
func gather(x uint64) uint64 { return (x >> 7) * 0x0102040810204080 >> 56 }

// Leading counts the set bits from the first on.
func (m *bitmap) Leading() int {
	for i, word := range m {
		if word != ^uint64(0) {
			return 64*i + bits.TrailingZeros64(^word)
		}
	}
	return Zone
}

// Trailing counts the set bits up to the last of size.
func (m *bitmap) Trailing(size int) int {
	n := 0
	for at := size; at > 0; {
		first := (at - 1) &^ 63
		have := at - first
		ones := bits.LeadingZeros64(^(m[first>>6] << uint(64-have)))
		if ones < have {
			return n + ones
		}
		n, at = n+have, first
	}
	return n
}

// long reports whether sixteen bits in a row are set, for a text of that size.
func (m *bitmap) long(size int) bool {
	r := *m
	some := uint64(0)
	for n := uint(1); n < MinBlob; n *= 2 { // a bit is set where two, four, eight, sixteen in a row end
		some = 0
		before := uint64(0)
		for i := 0; i<<6 < size; i++ {
			x := r[i]
			r[i] = x & (x<<n | before>>(64-n))
			before, some = x, some|r[i]
		}
		if some == 0 {
			return false
		}
	}
	return true
}

func Capitals(text string) (n int) {
	b := bytesOf(text)
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		n += bits.OnesCount64(between(x&^HighBits, 'A', 'Z') &^ x)
	}
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			n++
		}
	}
	return n
}

// holds reports whether the text may contain a blob of text. Most runs of sixteen letters have too few capitals for base64 and no sixteen
// hexadecimal digits or as many letters as glued words have in a row.
func (s *Makeup) holds(text string) bool {
	return s.Blob.long(s.Size) && (Capitals(text) >= mixedLeast || NextRun(text, 0, MinBlob, &HexLetters) < len(text) || NextRun(text, 0, minGlued, &plainLetters) < len(text)) && hasBlob(text)
}

// View is the text as a view with this makeup.
func (s *Makeup) View(text string) View {
	return View{Text: text, marks: s.Marks, marked: true, whole: !s.holds(text)}
}
