package rules

// lexicon numbers words in the order in which they come. A map takes a hundred kilobytes for the words of the catalogue, which a wrapper at rest
// keeps, because it collects no garbage.
type lexicon struct {
	all   []string
	slots []uint16 // index + 1 of a word, by hash; as many as are a power of two
}

// newLexicon has room for so many words; they may be more.
func newLexicon(n int) *lexicon {
	l := &lexicon{all: make([]string, 0, n)}
	l.resize(n)
	return l
}

// id is the number of a word; known is false if it is a new one.
func (l *lexicon) id(word string) (id int, known bool) {
	at := l.slot(word)
	if l.slots[at] != 0 {
		return int(l.slots[at]) - 1, true
	}
	l.all = append(l.all, word)
	l.slots[at] = uint16(len(l.all))
	if 2*len(l.all) > len(l.slots) {
		l.resize(2 * len(l.all))
	}
	return len(l.all) - 1, false
}

// slot is where a word is, or where it would be.
func (l *lexicon) slot(word string) int {
	const prime, offset = 16777619, 2166136261 // FNV-1a
	h := uint32(offset)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * prime
	}
	at := int(h) & (len(l.slots) - 1)
	for l.slots[at] != 0 && l.all[l.slots[at]-1] != word {
		at = (at + 1) & (len(l.slots) - 1)
	}
	return at
}

func (l *lexicon) resize(n int) {
	size := 2
	for size < 2*n {
		size *= 2
	}
	l.slots = make([]uint16, size)
	for id, word := range l.all {
		l.slots[l.slot(word)] = uint16(id + 1)
	}
}
