package schema

// seen is a stack of flags: which of the names of a rule an object has. Applications inside each other use the same memory.
type seen struct{ flags []bool }

// open makes room for n flags and returns where they begin.
func (s *seen) open(n int) int {
	here := len(s.flags)
	s.flags = append(s.flags, make([]bool, n)...)
	return here
}

func (s *seen) close(here int) { s.flags = s.flags[:here] }

func (s *seen) set(here, i int) { s.flags[here+i] = true }

func (s *seen) has(here, i int) bool { return s.flags[here+i] }

// marks is which members or elements of a value were evaluated, for unevaluatedProperties and unevaluatedItems. nil: nobody asks.
type marks []uint64

func (m marks) set(i int) {
	if m != nil {
		m[i/64] |= 1 << (i % 64)
	}
}

func (m marks) has(i int) bool { return m[i/64]&(1<<(i%64)) != 0 }

func (m marks) all() {
	for i := range m {
		m[i] = ^uint64(0)
	}
}

func (m marks) add(other marks) {
	for i := range m {
		m[i] |= other[i]
	}
}
