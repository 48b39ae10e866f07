package inspect

// literals finds many short texts in one pass (Aho and Corasick, 1975): one table look-up a byte, whatever the text.
type literals struct {
	class [256]uint8 // of a byte; 0 is every byte that is in no literal
	width int
	next  []uint16 // state*width + class
	out   [][]uint16
	loud  []bool // whether out has any: one byte a state, where a slice takes 24
	size  []int  // of each literal
}

func newLiterals(words []string) *literals {
	l := &literals{width: 1}
	for _, w := range words {
		for i := 0; i < len(w); i++ {
			if l.class[w[i]] == 0 {
				l.class[w[i]] = uint8(l.width)
				l.width++
			}
		}
	}
	type node struct {
		to   map[uint8]int
		fail int
		out  []uint16
	}
	nodes := []node{{to: map[uint8]int{}}}
	for id, w := range words {
		l.size = append(l.size, len(w))
		at := 0
		for i := 0; i < len(w); i++ {
			c := l.class[w[i]]
			n, ok := nodes[at].to[c]
			if !ok {
				n = len(nodes)
				nodes = append(nodes, node{to: map[uint8]int{}})
				nodes[at].to[c] = n
			}
			at = n
		}
		nodes[at].out = append(nodes[at].out, uint16(id))
	}
	l.next = make([]uint16, len(nodes)*l.width)
	l.out = make([][]uint16, len(nodes))
	queue := []int{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		fail := nodes[at].fail
		l.out[at] = nodes[at].out
		if at != 0 {
			l.out[at] = append(append([]uint16(nil), nodes[at].out...), l.out[fail]...)
		}
		for c := range l.width {
			n, ok := nodes[at].to[uint8(c)]
			switch {
			case ok:
				if at != 0 {
					nodes[n].fail = int(l.next[fail*l.width+c])
				}
				l.next[at*l.width+c] = uint16(n)
				queue = append(queue, n)
			case at != 0:
				l.next[at*l.width+c] = l.next[fail*l.width+c]
			}
		}
	}
	l.loud = make([]bool, len(l.out))
	for i, out := range l.out {
		l.loud[i] = len(out) > 0
	}
	return l
}

// maxLiteral is how long a literal may be.
const maxLiteral = 64

// find calls f with the number of each literal and where it stands, in order of their ends. Spaces in a row count as one.
func (l *literals) find(s string, f func(id uint16, start, end int)) {
	var at [maxLiteral]int // where the last bytes that counted stand
	state, n := 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' && i > 0 && s[i-1] == ' ' {
			continue
		}
		at[n%maxLiteral] = i
		n++
		state = int(l.next[state*l.width+int(l.class[s[i]])])
		if !l.loud[state] {
			continue
		}
		for _, id := range l.out[state] {
			f(id, at[(n-l.size[id])%maxLiteral], i+1)
		}
	}
}
