package rules

import "github.com/sallyport/sallyport/proxy/inspect/decode"

// starts tells of the first eight letters of a word whether a literal can begin there. Two words in five do in prose, and every tenth in rows of
// values. The others are passed over without a look into the tree, which costs as much as all the rest.
type starts struct {
	some  [1 << startBits / 64]uint64
	slots []uint16 // by hash: index + 1 of a word
	words []opening
}

// opening is a word that literals begin with, or the first eight letters of a longer one.
type opening struct {
	key    uint64
	next   uint64    // a bit for what can follow (nextBit)
	node   uint16    // it fits: there are no more than maxNodes
	own    uint16    // index + 1 of the literal that it is itself; 0 for none
	waits  [2]uint16 // the only slots of phrases that it is by itself (phrase.slot)
	begins bool      // there are more, or it may begin a pattern
}

// anyNext is the next of a word that anything can follow.
const anyNext = 1<<64 - 1

// nextBit is the bit for a next word by its first two bytes, the same for letters of either case.
func nextBit(a, b byte) uint64 { return 1 << ((a&31 ^ b<<1) & 63) }

// goesOn reports whether a literal may go on behind the word, which ends at text[end].
func (o *opening) goesOn(l *Literals, text string, end int) bool {
	switch {
	case end+2 >= len(text):
		return true
	case text[end] != ' ':
		return l.next(int(o.node), l.class[text[end]]) != 0
	}
	return o.next&nextBit(text[end+1], text[end+2]) != 0 || l.kind[text[end+1]]&kindBlank != 0
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

// whole is 1 if a literal may begin with a word, by its key: nearly always, one does then.
func (s *starts) whole(key uint64) uint64 { return s.has(key, wholeLot) }

// letter is 1 if the letters of a word are to be looked at one by one.
func (s *starts) letter(key uint64) uint64 {
	return s.has(key&fourLetters, fourLot) | s.has(key&threeLetters, threeLot)
}

// find is the entry of a word by its key, nil if no literal begins with it.
func (s *starts) find(key uint64) *opening {
	for at := s.slot(key); s.slots[at] != 0; at = (at + 1) & (len(s.slots) - 1) {
		if word := &s.words[s.slots[at]-1]; word.key == key {
			return word
		}
	}
	return nil
}

func (s *starts) slot(key uint64) int { return int(key*wholeLot>>32) & (len(s.slots) - 1) }

// startsOf enters the first word of each literal.
func (l *Literals) startsOf(words []string, open func(id int) bool) {
	s := &l.starts
	size := 1
	for size <= len(words) { // a look for one that is not there must end
		size *= 2
	}
	s.slots, s.words = make([]uint16, size), make([]opening, 0, len(words)/2)
	for id, w := range words {
		key, n := firstKey(w)
		switch {
		case n == 0 || len(w) == 1:
			continue
		case n < len(w) || n == decode.KeyLetters || !open(id):
			word := s.put(key)
			word.follows(w[n:], n == decode.KeyLetters)
			if word.node == 0 {
				word.node = uint16(l.nodeOf(w[:n]))
				word.own, word.begins = l.nodes[word.node].literal, true
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

// put is the entry of the first word of a literal, a new one without a node if it has none.
func (s *starts) put(key uint64) *opening {
	if word := s.find(key); word != nil {
		return word
	}
	at := s.slot(key)
	for s.slots[at] != 0 {
		at = (at + 1) & (len(s.slots) - 1)
	}
	s.enter(key, wholeLot)
	s.words = append(s.words, opening{key: key})
	s.slots[at] = uint16(len(s.words))
	return &s.words[len(s.words)-1]
}

// follows enters what a literal has behind the word; longer if the word itself may go on.
func (o *opening) follows(rest string, longer bool) {
	switch {
	case rest == "" && !longer:
	case longer || rest == " ":
		o.next = anyNext
	case rest[0] == ' ' && (len(rest) == 2 || rest[2] == ' '): // any kind of white space may follow
		for c := range 256 {
			o.next |= nextBit(rest[1], byte(c))
		}
	case rest[0] == ' ':
		o.next |= nextBit(rest[1], rest[2])
	}
}

// waiting enters of each word that only continues patterns, which: slots tells whether a literal does, and of which slots.
func (s *starts) waiting(slots func(id int) (few [2]uint16, only bool)) {
	for i := range s.words {
		if word := &s.words[i]; word.own != 0 {
			few, only := slots(int(word.own) - 1)
			word.waits, word.begins = few, !only
		}
	}
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
