package rules

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// node stands for a prefix of a literal. The child of a node for a class is at its base plus the class, if that one's parent is the node (a
// double array: J. Aoe, An Efficient Digital Search Algorithm by Using a Double-Array Structure, 1989). So each step is one look, however many
// children there are.
type node struct {
	base    uint32
	parent  uint32
	literal uint16 // index + 1 of the literal that ends here; 0 for none
	spaced  bool   // its last byte is a space
}

// next is the child for a byte of this class, 0 for none.
func (l *Literals) next(at int, class uint8) int {
	child := uint(l.nodes[at].base) + uint(class)
	if child < uint(len(l.nodes)) && l.nodes[child].parent == uint32(at) {
		return int(child)
	}
	return 0
}

// two is the node of two bytes, with which a literal begins, 0 for none.
func (l *Literals) two(a, b byte) int { return l.next(l.next(1, l.class[a]), l.class[b]) }

// nowhere is the parent of a place that is no child: its base leads behind all.
const nowhere = 1<<32 - 1

// maxNodes is how many prefixes all literals may have together.
const maxNodes = 1<<16 - 1

// tried is how many free places are looked at for children that need several: then they go behind all others.
const tried = 8

// planter makes the nodes out of literals in order, so that those with one beginning are side by side.
type planter struct {
	*Literals
	words []string
	free  int // no place before it is free: a free one has no parent
	end   int // behind it all are free
}

// sortedWord is a literal by its index, and its first bytes, which tell most from each other.
type sortedWord struct {
	head uint64
	id   uint16
}

// grow makes the nodes. It leaves little behind, because a wrapper at rest keeps its garbage.
func (l *Literals) grow(words []string) error {
	order := make([]sortedWord, 0, len(words))
	for id, w := range words {
		if len(w) > 1 {
			var head [8]byte
			copy(head[:], w)
			order = append(order, sortedWord{binary.BigEndian.Uint64(head[:]), uint16(id)})
		}
	}
	slices.SortFunc(order, func(a, b sortedWord) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return strings.Compare(words[a.id], words[b.id])
	})
	n, before := 2, ""
	for _, w := range order {
		n += len(words[w.id]) - shared(before, words[w.id])
		before = words[w.id]
	}
	if n > maxNodes {
		return fmt.Errorf("more than %d letters of phrases", 1<<16)
	}
	l.nodes = make([]node, n+n/8+2*maxClasses)
	l.nodes[0], l.nodes[1] = node{base: nowhere, parent: nowhere}, node{parent: nowhere}
	p := planter{Literals: l, words: words, free: 2, end: 2}
	if len(order) > 0 {
		p.plant(1, 0, order)
	}
	l.nodes = l.nodes[:p.end]
	return nil
}

// maxClasses is how many classes of bytes there can be.
const maxClasses = 256

// plant makes the children of a node: what follows the first bytes of these literals, which are all the same.
func (p *planter) plant(at, depth int, these []sortedWord) {
	w := p.words[these[0].id]
	for len(these) == 1 && depth < len(w) { // as of most nodes
		at = p.child(at, p.place(p.class[w[depth]], p.class[w[depth]], nil), w[depth])
		depth++
	}
	if len(w) == depth {
		p.nodes[at].literal = these[0].id + 1
		these = these[1:]
	}
	if len(these) == 0 {
		return
	}
	var room [maxClasses]uint8
	of := room[:0] // classes of the children
	least, most, last := uint8(maxClasses-1), uint8(0), uint8(0)
	for _, w := range these {
		if class := p.class[p.words[w.id][depth]]; class != last {
			of = append(of, class)
			least, most, last = min(least, class), max(most, class), class
		}
	}
	base := p.place(least, most, of)
	for from := 0; from < len(these); {
		c := p.words[these[from].id][depth]
		to := from + 1
		for to < len(these) && p.words[these[to].id][depth] == c {
			to++
		}
		p.plant(p.child(at, base, c), depth+1, these[from:to])
		from = to
	}
}

// child makes the child of a node for a byte, and returns its place.
func (p *planter) child(at, base int, c byte) int {
	child := base + int(p.class[c])
	p.nodes[at].base = uint32(base)
	p.nodes[child].parent, p.nodes[child].spaced = uint32(at), c == ' '
	return child
}

// place finds places for children of the classes from least to most, takes them, and returns the base for them. of are all of these, nil for a
// single one.
func (p *planter) place(least, most uint8, of []uint8) int {
	if p.end+2*maxClasses > len(p.nodes) {
		p.nodes = append(p.nodes, make([]node, p.end)...)
	}
	for p.nodes[p.free].parent != 0 {
		p.free++
	}
	at := max(p.free, int(least))
	for looked := 0; p.nodes[at].parent != 0 || p.taken(at-int(least), of); at++ {
		if looked++; looked == tried && of != nil {
			at = max(p.end, int(least))
			break
		}
	}
	base := at - int(least)
	p.nodes[at].parent = nowhere // child writes the parent
	for _, class := range of {
		p.nodes[base+int(class)].parent = nowhere
	}
	p.end = max(p.end, base+int(most)+1)
	return base
}

// taken reports whether one of the places for these classes is.
func (p *planter) taken(base int, of []uint8) bool {
	return slices.ContainsFunc(of, func(class uint8) bool { return p.nodes[base+int(class)].parent != 0 })
}

// shared is how many first bytes two texts have in common.
func shared(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
