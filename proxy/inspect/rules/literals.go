package rules

import (
	"fmt"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// Literals finds many short texts in one pass. A literal begins at the start of a word or at a mark, so the tree is only entered there, by
// two bytes, and the inside of words is skipped. The longest literal limits how far it is followed, whatever the text. It reads text as
// folded (foldByte) without copying it.
type Literals struct {
	kind  [256]uint8 // by byte: wordy, begins…
	class [256]uint8 // by folded byte; 0 for every byte that is in no literal
	width int
	pair  []uint16 // first class*width + second class: the node of two bytes
	third []uint16 // row*width + third class: the node of three bytes
	nodes []node   // 0 means none, 1 is the root
	alone [256]uint16
	code  [256]uint8 // by byte: its class in five bits
	heads [512]uint64
	short [256]uint8 // by byte in a short text: shortOdd…
}

// begins reports whether a literal could begin with three bytes. Most words begin like no literal, and one look at four kilobytes tells.
func (l *Literals) begins(a, b, c byte) bool {
	at := uint(l.code[a])<<10 | uint(l.code[b])<<5 | uint(l.code[c])
	return l.heads[at>>6]>>(at&63)&1 != 0
}

// node stands for a prefix of a literal. Most have one child, so children are a list and not a table: all nodes fit into a near cache, and
// are built in a tenth of the time.
type node struct {
	child, sibling uint16
	literal        uint16 // index + 1 of the literal that ends here; 0 for none
	class          uint8  // of its last byte
	spaced         bool   // its last byte is a space
	row            uint16 // index + 1 into third; 0 for a node that is not two bytes deep
}

// next is the child for a byte of this class, 0 for none.
func (l *Literals) next(at int, class uint8) int {
	if row := l.nodes[at].row; row != 0 { // nearly all mismatches end here, and these nodes have many children
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
	kindBegins              // begins a literal of two bytes or more
	kindAlone               // is a literal itself
	kindInside              // begins a literal even inside a word
	kindStop                // ends a sentence if a space follows
	kindBlank               // white space, as folded
	kindAssigns             // a value may follow
	kindEnds                // may end the name of a secret
)

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
		if w[0] == '_' || w[0] == '<' {
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

// rows builds the table of three bytes.
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

// foldBytes extends the tables to bytes that are not folded.
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
