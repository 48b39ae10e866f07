package rules

import (
	"fmt"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// Literals finds many short texts in one pass. A literal begins at the start of a word or at a mark, so the tree is only entered there, and the
// inside of words is skipped. The longest literal limits how far it is followed, whatever the text. It reads text as folded (foldByte) without
// copying it.
type Literals struct {
	kind   [256]uint8 // by byte: wordy, begins…
	class  [256]uint8 // by folded byte; 0 for every byte that is in no literal
	nodes  []node     // 0 means none, 1 is the root
	alone  [256]uint16
	code   [256]uint8 // by byte: its class in five bits
	heads  [512]uint64
	short  [256]uint8 // by byte in a short text: shortOdd…
	starts starts
}

// begins reports whether a literal could begin with three bytes. Most marks begin none, and one look at four kilobytes tells.
func (l *Literals) begins(a, b, c byte) bool {
	at := uint(l.code[a])<<10 | uint(l.code[b])<<5 | uint(l.code[c])
	return l.heads[at>>6]>>(at&63)&1 != 0
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

// open are those that count where their last word goes on.
func newLiterals(words []string, open func(id int) bool) (*Literals, error) {
	l, classes := &Literals{}, 0
	for _, w := range words {
		if len(w) >= maxLiteral {
			return nil, fmt.Errorf("phrase %q is longer than %d bytes", w, maxLiteral-1)
		}
		for i := 0; i < len(w); i++ {
			if l.class[w[i]] == 0 {
				classes++
				l.class[w[i]] = uint8(classes)
			}
		}
	}
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
	}
	if err := l.grow(words); err != nil {
		return nil, err
	}
	l.foldBytes()
	l.headsOf(words)
	l.startsOf(words, open)
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
