package rules

import (
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// Seam tells whether a match could lie across the place where two texts are joined without a space. Nearly always none can, and looking
// costs as much as a text of half a kilobyte: in a list of short values, fifty times the list.
type Seam struct {
	nodes  []int                // unfinished literals
	full   bool                 // there are more
	inside bool                 // the last byte is part of a word
	Run    int                  // letters of a blob at the end
	caps   int                  // capitals among them
	hex    int                  // hexadecimal digits at the end
	first  [decode.MinBlob]byte // the first of them
	Odd    int                  // bytes since anything ambiguous
}

// maxBegunThere is how many literals can have begun at one place.
const maxBegunThere = 16

func (s *Seam) Begin() { *s = Seam{nodes: s.nodes[:0], Odd: decode.Zone} }

func (s *Seam) Clone() Seam {
	c := *s
	c.nodes = slices.Clone(s.nodes)
	return c
}

// Be copies another seam.
func (s *Seam) Be(other *Seam) {
	nodes := append(s.nodes[:0], other.nodes...)
	*s = *other
	s.nodes = nodes
}

// Start is how a text begins, computed once for all texts that may precede it.
type Start struct {
	head string
	Odd  bool // it can be read in more than one way
	Run  int  // letters of a blob
	caps int  // capitals among them
	hex  int  // hexadecimal digits
}

// StartOf uses m, which is valid if the text is neither shorter than shortText nor longer than zone.
func (l *Literals) StartOf(text string, m *decode.Makeup) Start {
	s := Start{head: text[:min(len(text), decode.Zone)]}
	switch {
	case len(text) < ShortText: // the usual case in a list of short values
		s.short(text, &l.short)
		return s
	case len(text) <= decode.Zone:
		s.Odd, s.Run = m.Marks != 0, m.Blob.Leading()
	default:
		head := decode.MakeupOf(s.head)
		s.Odd, s.Run = head.Marks != 0, head.Blob.Leading()
	}
	s.caps = decode.Capitals(s.head[:s.Run])
	for s.hex < s.Run && decode.HexLetters[s.head[s.hex]] {
		s.hex++
	}
	return s
}

// ShortText is the length below which every place may split letters.
const ShortText = 16

// short is startOf for such a text, in one pass.
func (s *Start) short(text string, kinds *[256]uint8) {
	blob, hex := true, true
	for i := range len(text) {
		is := kinds[text[i]]
		if is&shortOdd != 0 || is&shortParts != 0 && i > 0 && i < len(text)-1 {
			s.Odd = true
		}
		if blob = blob && is&shortBlob != 0; !blob {
			continue
		}
		s.Run++
		if is&shortCapital != 0 {
			s.caps++
		}
		if hex = hex && is&shortHex != 0; hex {
			s.hex++
		}
	}
}

const (
	shortOdd     = 1 << iota // ambiguous wherever it is
	shortParts               // may separate letters
	shortBlob                // a letter of a blob
	shortCapital             // a capital among them
	shortHex                 // a hexadecimal digit
)

// shortKinds classifies a byte in a short text.
func shortKinds() (kinds [256]uint8) {
	for i := range kinds {
		c := byte(i)
		if c >= utf8.RuneSelf || c == '&' || c == '%' || c == '\\' || c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			kinds[i] |= shortOdd
		}
		if !Wordy(decode.FoldByte(c)) {
			kinds[i] |= shortParts
		}
		if decode.Base64Letters[c] {
			kinds[i] |= shortBlob
		}
		if c >= 'A' && c <= 'Z' {
			kinds[i] |= shortCapital
		}
		if decode.HexLetters[c] {
			kinds[i] |= shortHex
		}
	}
	return kinds
}

// Meets reports whether a match could lie across, if a text with this start comes next.
func (s *Seam) Meets(l *Literals, next Start) bool {
	if s.full || next.Odd || s.Odd < decode.Zone {
		return true
	}
	for _, n := range s.nodes {
		if _, ended := l.through(n, next.head, 0); ended {
			return true
		}
	}
	if s.Run == 0 || s.Run+next.Run < decode.MinBlob {
		return false
	}
	if s.caps+next.caps >= 3 {
		return true
	}
	if s.hex == 0 || s.hex+next.hex < decode.MinBlob {
		return false
	}
	first := s.first
	if s.hex < decode.MinBlob {
		copy(first[s.hex:], next.head)
	}
	return decode.HexOfText(unsafe.String(&first[0], decode.MinBlob))
}

// GoesOn reports whether any next text could complete a match here.
func (s *Seam) GoesOn() bool {
	return s.full || s.Odd < decode.Zone || len(s.nodes) > 0 || s.Run > 0
}

// letters counts on through letters of a blob.
func (s *Seam) letters(run string) {
	s.Run += len(run)
	s.caps += decode.Capitals(run)
	digits := len(run) // where the last hexadecimal ones begin
	for digits > 0 && decode.HexLetters[run[digits-1]] {
		digits--
	}
	if digits > 0 {
		s.hex = 0
	}
	if s.hex < decode.MinBlob {
		copy(s.first[s.hex:], run[digits:])
	}
	s.hex += len(run) - digits
}

// Keep records how the texts end after this one.
func (s *Seam) Keep(l *Literals, text string) {
	end := text[max(0, len(text)-decode.Zone):]
	m := decode.MakeupOf(end)
	s.KeepOdd(l, text, m.Blob.Trailing(m.Size), m.Marks != 0 || len(end) < ShortText && parted(end))
}

// KeepOdd is Keep with the number of blob letters at the end, and whether the end is ambiguous, already known.
func (s *Seam) KeepOdd(l *Literals, text string, run int, odd bool) {
	if run < len(text) {
		s.Run, s.caps, s.hex = 0, 0, 0
	}
	s.letters(text[len(text)-run:])
	if s.Odd = min(s.Odd+len(text), decode.Zone); odd {
		s.Odd = 0
	}
	kept := s.nodes[:0]
	if len(text) < maxLiteral {
		for _, n := range s.nodes {
			if n, _ := l.through(n, text, 0); n != 0 {
				kept = append(kept, n)
			}
		}
	}
	s.nodes, s.full = kept, false
	from := max(0, len(text)-maxLiteral)
	if from > 0 {
		s.inside = l.kind[text[from-1]]&kindWordy != 0
	}
	for i := from; i < len(text); i++ {
		kind := l.kind[text[i]]
		if kind&kindBegins != 0 && (!s.inside || kind&kindWordy == 0 || kind&kindInside != 0) {
			if n, next := l.opens(text, i); n != 0 {
				if n, _ = l.through(n, text, next); n != 0 {
					if len(s.nodes) == maxBegunThere {
						s.full = true
						break
					}
					s.nodes = append(s.nodes, n)
				}
			}
		}
		if s.inside = kind&kindWordy != 0; s.inside { // skip to the end of the word
			for i+1 < len(text) && l.kind[text[i+1]]&(kindWordy|kindInside) == kindWordy {
				i++
			}
		}
	}
	if len(text) > 0 {
		s.inside = l.kind[text[len(text)-1]]&kindWordy != 0
	}
}

// opens returns the node for text[i] and, if a table has it, the next byte; 0 for none; and the next position.
func (l *Literals) opens(text string, i int) (node, next int) {
	if i+1 == len(text) || l.kind[text[i+1]]&kindBlank != 0 {
		return l.next(1, l.class[text[i]]), i + 1
	}
	return l.two(text[i], text[i+1]), i + 2
}

// through walks the tree from a node through text[j:]. It stops at the end of a literal (ended) or of the text: node is then how far it
// came.
func (l *Literals) through(node int, text string, j int) (at int, ended bool) {
	for from := j; ; j++ {
		if j > from && l.nodes[node].literal != 0 {
			ended = true
		}
		if j > 0 && j > from && l.kind[text[j-1]]&kindBlank != 0 {
			for j < len(text) && l.kind[text[j]]&kindBlank != 0 {
				j++
			}
		}
		if j >= len(text) {
			return node, ended
		}
		if node = l.next(node, l.class[text[j]]); node == 0 {
			return 0, ended
		}
	}
}

// parted reports whether letters may be spaced apart in a text too short for marks.
func parted(text string) bool {
	for i := 1; i < len(text)-1; i++ {
		if !Wordy(decode.FoldByte(text[i])) {
			return true
		}
	}
	return false
}
