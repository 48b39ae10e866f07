package inspect

import "fmt"

// literals finds many short texts in one pass. A literal begins where a word does, or at a mark: so a tree is only entered there,
// by the two bytes it begins with, and the inside of words is skipped. How far it is followed is bounded by the longest literal,
// whatever the text. It reads a text as folded (foldByte) without writing that down.
type literals struct {
	kind   [256]uint8 // of a byte: wordy, begins…
	class  [256]uint8 // of a byte as folded; 0 is every byte that is in no literal
	width  int
	pair   []uint16 // first class*width + second class: the node of two bytes
	next   []uint16 // node*width + class; 0 is none
	ends   []uint16 // of a node: the literal that ends there, and 1; 0 is none
	alone  [256]uint16
	spaced []bool // of a node: it stands for a text that ends in a space
}

// What a byte can be.
const (
	kindWordy  = 1 << iota // part of a word
	kindBegins             // a literal of two bytes or more begins with it
	kindAlone              // it is a literal
	kindInside             // a literal begins with it inside of words too
	kindStop               // a sentence ends with it, where a space follows
	kindBlank              // white space, as folded
)

// maxLiteral is how long a literal may be.
const maxLiteral = 64

// maxBlanks is how many spaces in a row count as one.
const maxBlanks = 64

func newLiterals(words []string) (*literals, error) {
	l := &literals{width: 1}
	for _, w := range words {
		for i := 0; i < len(w); i++ {
			if l.class[w[i]] == 0 {
				l.class[w[i]] = uint8(l.width)
				l.width++
			}
		}
	}
	l.next = make([]uint16, 2*l.width) // node 0 is none, node 1 the root
	l.ends, l.spaced = make([]uint16, 2), make([]bool, 2)
	l.pair = make([]uint16, l.width*l.width)
	for id, w := range words {
		if len(w) == 1 {
			l.alone[w[0]] = uint16(id + 1)
			l.kind[w[0]] |= kindAlone
			continue
		}
		l.kind[w[0]] |= kindBegins
		if w[0] == '_' {
			l.kind[w[0]] |= kindInside
		}
		at := 1
		for i := 0; i < len(w); i++ {
			n := &l.next[at*l.width+int(l.class[w[i]])]
			if *n == 0 {
				if len(l.ends) > 1<<16-1 {
					return nil, fmt.Errorf("more than %d letters of phrases", 1<<16)
				}
				*n = uint16(len(l.ends))
				l.ends = append(l.ends, 0)
				l.spaced = append(l.spaced, w[i] == ' ')
				at = int(*n)
				l.next = append(l.next, make([]uint16, l.width)...)
			} else {
				at = int(*n)
			}
			if i == 1 {
				l.pair[int(l.class[w[0]])*l.width+int(l.class[w[1]])] = uint16(at)
			}
		}
		l.ends[at] = uint16(id + 1)
	}
	l.foldBytes()
	return l, nil
}

// foldBytes makes the tables hold for bytes as they stand in a text.
func (l *literals) foldBytes() {
	class, kind, alone := l.class, l.kind, l.alone
	for c := range 256 {
		folded := foldByte(byte(c))
		l.class[c], l.kind[c], l.alone[c] = class[folded], kind[folded], alone[folded]
		if wordy(folded) {
			l.kind[c] |= kindWordy
		}
		if folded == ' ' {
			l.kind[c] |= kindBlank
		}
		switch folded {
		case '.', '!', '?', ';':
			l.kind[c] |= kindStop
		}
	}
}
