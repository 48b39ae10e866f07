package rules

import "github.com/sallyport/sallyport/proxy/inspect/decode"

// starts tells of the first eight letters of a word whether a literal can begin there. Two words in five do in prose, and every tenth in rows of
// values. The others are passed over without a look into the tree, which costs as much as all the rest.
type starts struct {
	some  [1 << startBits / 64]uint64
	words []opening // by hash
}

// opening is a word that literals begin with, or the first eight letters of a longer one.
type opening struct {
	key  uint64
	node uint32 // 0 for none
	next uint32 // a bit for what a next word can begin with, by its last five bits
}

const startBits = 15

// Of a literal that counts within a word, the first letters are looked up: four, or three if it is shorter.
const (
	fourLetters  = 1<<32 - 1
	threeLetters = 1<<24 - 1
)

// The lots under which whole words and first letters are entered.
const (
	wholeLot = 0x9e3779b97f4a7c15
	fourLot  = 0xc2b2ae3d27d4eb4f
	threeLot = 0x165667b19e3779f9
)

func (s *starts) has(key, lot uint64) uint64 {
	at := key * lot >> (64 - startBits)
	return s.some[at>>6] >> (at & 63) & 1
}

func (s *starts) enter(key, lot uint64) {
	at := key * lot >> (64 - startBits)
	s.some[at>>6] |= 1 << (at & 63)
}

// find is the entry of a word by its key, nil if no literal begins with it. letter is true if its letters are to be looked at one by one.
func (s *starts) find(key uint64) (word *opening, letter bool) {
	whole := s.has(key, wholeLot)
	first := s.has(key&fourLetters, fourLot) | s.has(key&threeLetters, threeLot)
	if whole|first == 0 {
		return nil, false
	}
	return s.entry(key), first != 0
}

func (s *starts) entry(key uint64) *opening {
	for at := s.slot(key); s.words[at].node != 0; at = (at + 1) & (len(s.words) - 1) {
		if s.words[at].key == key {
			return &s.words[at]
		}
	}
	return nil
}

func (s *starts) slot(key uint64) int { return int(key*wholeLot>>32) & (len(s.words) - 1) }

// startsOf enters the first word of each literal.
func (l *Literals) startsOf(words []string, open func(id int) bool) {
	s := &l.starts
	size := 1
	for size <= len(words) { // a look for one that is not there must end
		size *= 2
	}
	s.words = make([]opening, size)
	for id, w := range words {
		key, n := firstKey(w)
		switch {
		case n == 0 || len(w) == 1:
			continue
		case n < len(w) || n == decode.KeyLetters || !open(id):
			word := s.put(key, w[n:], n == decode.KeyLetters)
			if word.node == 0 {
				word.node = uint32(l.nodeOf(w[:n]))
			}
		case n > 3:
			s.enter(key&fourLetters, fourLot)
		default:
			s.enter(key, threeLot)
			for c := range 128 {
				if n == 2 && decode.KeyLetter(byte(c)) {
					s.enter(key|uint64(c)<<16, threeLot)
				}
			}
		}
	}
}

// put enters the first word of a literal, and what follows it. A new one has no node yet.
func (s *starts) put(key uint64, rest string, longer bool) *opening {
	at := s.slot(key)
	for s.words[at].node != 0 && s.words[at].key != key {
		at = (at + 1) & (len(s.words) - 1)
	}
	word := &s.words[at]
	if word.node == 0 {
		s.enter(key, wholeLot)
		word.key = key
	}
	switch {
	case longer || rest == "" || rest == " ":
		word.next = 1<<32 - 1
	case len(rest) > 1 && rest[0] == ' ':
		word.next |= 1 << (rest[1] & 31)
	}
	return word
}

// firstKey is the key of the word that a literal begins with, and how many letters are in the key.
func firstKey(literal string) (key uint64, n int) {
	for n < len(literal) && n < decode.KeyLetters && decode.KeyLetter(literal[n]) {
		key |= uint64(literal[n]) << (8 * n)
		n++
	}
	return key, n
}

// nodeOf is the node of the first bytes of a literal.
func (l *Literals) nodeOf(bytes string) int {
	at := 1
	for i := range len(bytes) {
		at = l.next(at, l.class[bytes[i]])
	}
	return at
}
