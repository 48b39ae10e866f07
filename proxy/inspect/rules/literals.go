package rules

import (
	"fmt"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// Literals finds many short texts in one pass. A literal begins where a word does, or at a mark: so a tree is only entered there,
// by the two bytes it begins with, and the inside of words is skipped. How far it is followed is bounded by the longest literal,
// whatever the text. It reads a text as folded (foldByte) without writing that down.
type Literals struct {
	kind  [256]uint8 // of a byte: wordy, begins…
	class [256]uint8 // of a byte as folded; 0 is every byte that is in no literal
	width int
	pair  []uint16 // first class*width + second class: the node of two bytes
	third []uint16 // row*width + third class: the node of three bytes
	nodes []node   // 0 is none, 1 the root
	alone [256]uint16
	code  [256]uint8 // of a byte: its class in five bits
	heads [512]uint64
	short [256]uint8 // of a byte in a short text: shortOdd…
}

// begins says whether a literal could begin with three bytes. Most words of a text begin as none does, and are told apart here by one
// look at four kilobytes.
func (l *Literals) begins(a, b, c byte) bool {
	at := uint(l.code[a])<<10 | uint(l.code[b])<<5 | uint(l.code[c])
	return l.heads[at>>6]>>(at&63)&1 != 0
}

// node stands for the beginning of a literal. Most have one child, so they are a list and not a table: all of them fit into a
// cache that is near, and are made in a tenth of the time of what they stand for.
type node struct {
	child, sibling uint16
	literal        uint16 // the one that ends there, and 1; 0 is none
	class          uint8  // of its last byte
	spaced         bool   // its last byte is a space
	row            uint16 // of third, and 1; 0 for a node that does not stand for two bytes
}

// next is the node that follows on a byte of this class, 0 for none.
func (l *Literals) next(at int, class uint8) int {
	if row := l.nodes[at].row; row != 0 { // nearly all that begin end here, and these nodes have many children
		return int(l.third[int(row-1)*l.width+int(class)])
	}
	for n := l.nodes[at].child; n != 0; n = l.nodes[n].sibling {
		if l.nodes[n].class == class {
			return int(n)
		}
	}
	return 0
}

// What a byte can be.
const (
	kindWordy   = 1 << iota // part of a word
	kindBegins              // a literal of two bytes or more begins with it
	kindAlone               // it is a literal
	kindInside              // a literal begins with it inside of words too
	kindStop                // a sentence ends with it, where a space follows
	kindBlank               // white space, as folded
	kindAssigns             // a value may follow it
	kindEnds                // the name of a secret may end with it
)

// maxLiteral is how long a literal may be.
const maxLiteral = 64

// maxBlanks is how many spaces in a row count as one.
const maxBlanks = 64

func newLiterals(words []string) (*Literals, error) {
	l, letters := &Literals{width: 1}, 0
	for _, w := range words {
		if len(w) >= maxLiteral {
			return nil, fmt.Errorf("phrase %q is longer than %d bytes", w, maxLiteral-1)
		}
		letters += len(w)
		for i := 0; i < len(w); i++ {
			if l.class[w[i]] == 0 {
				l.class[w[i]] = uint8(l.width)
				l.width++
			}
		}
	}
	l.nodes = make([]node, 2, letters+2)
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
			class := l.class[w[i]]
			n := l.next(at, class)
			if n == 0 {
				if n = len(l.nodes); n > 1<<16-1 {
					return nil, fmt.Errorf("more than %d letters of phrases", 1<<16)
				}
				l.nodes = append(l.nodes, node{sibling: l.nodes[at].child, class: class, spaced: w[i] == ' '})
				l.nodes[at].child = uint16(n)
			}
			at = n
			if i == 1 {
				l.pair[int(l.class[w[0]])*l.width+int(l.class[w[1]])] = uint16(at)
			}
		}
		l.nodes[at].literal = uint16(id + 1)
	}
	l.rows()
	l.foldBytes()
	l.headsOf(words)
	l.short = shortKinds()
	return l, nil
}

func (l *Literals) headsOf(words []string) {
	for c := range 256 {
		if class := l.class[c]; class != 0 {
			l.code[c] = 1 + (class-1)%31
		}
	}
	for _, w := range words {
		if len(w) < 2 {
			continue
		}
		at := uint(l.code[w[0]])<<10 | uint(l.code[w[1]])<<5
		if len(w) == 2 { // anything may follow
			l.heads[at>>6] |= 0xffffffff << (at & 63)
			continue
		}
		third := at | uint(l.code[w[2]])
		l.heads[third>>6] |= 1 << (third & 63)
		if w[1] == ' ' { // several count as one
			third = at | uint(l.code[' '])
			l.heads[third>>6] |= 1 << (third & 63)
		}
	}
}

// rows makes the table of three bytes.
func (l *Literals) rows() {
	rows := 0
	for _, at := range l.pair {
		if at != 0 {
			rows++
		}
	}
	l.third = make([]uint16, rows*l.width)
	rows = 0
	for _, at := range l.pair {
		if at == 0 {
			continue
		}
		for n := l.nodes[at].child; n != 0; n = l.nodes[n].sibling {
			l.third[rows*l.width+int(l.nodes[n].class)] = n
		}
		rows++
		l.nodes[at].row = uint16(rows)
	}
}

// foldBytes makes the tables hold for bytes as they stand in a text.
func (l *Literals) foldBytes() {
	class, kind, alone := l.class, l.kind, l.alone
	for c := range 256 {
		folded := decode.FoldByte(byte(c))
		l.class[c], l.kind[c], l.alone[c] = class[folded], kind[folded], alone[folded]
		if Wordy(folded) {
			l.kind[c] |= kindWordy
		}
		if folded == ' ' {
			l.kind[c] |= kindBlank
		}
		if secrets.Assigns(folded) {
			l.kind[c] |= kindAssigns
		}
		if secrets.EndsName(byte(c)) {
			l.kind[c] |= kindEnds
		}
		switch folded {
		case '.', '!', '?', ';':
			l.kind[c] |= kindStop
		}
	}
}
