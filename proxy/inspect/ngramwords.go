package inspect

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// NgramWords reads the words of a text, and the weights that each of them uses.
type NgramWords struct {
	Text       string
	Start, End int // of the word
	Again      int // words before it that were passed over because they came with the same one before; the sum fades over them too

	i               int
	before, earlier uint32
	nth             int
	uses            uses
	passed          int    // Again, so far
	met             [4]int // when a word whose letters don't matter was last met, by its kind
	pairs           pairs
	inRow           int // plain words since one that is not
}

// loop is how many words apart a pair of words must be to count again: a line that is repeated without end must not add up.
const loop = 32

// maxAgain is how many words passed over count at most: little of the sum is left behind as many.
const maxAgain = 64

// pairs are the last pairs of words, by their hash, and when they were met.
type pairs [64]struct {
	of  uint32
	nth int32
}

// pairPrime spreads the hash of a pair.
const pairPrime = 0x2c1b3c6d

// again takes up a pair, and reports whether it was met among the last ones.
func (p *pairs) again(of uint32, nth int) bool {
	last := &p[of>>26]
	known := last.of == of && last.nth > 0 && nth-int(last.nth) < loop
	last.of, last.nth = of, int32(nth)+1
	return known
}

// The words whose letters don't matter, and the marks between words.
const (
	addressWord uint32 = 101 + iota
	mailWord
	nameWord
	numberWord
)

// kindsApart is how many words apart two of a kind must be: records of names, numbers and addresses must not add up to an order.
const kindsApart = 12

// byteOf is, by byte, its folded form and what it is in a text.
var byteOf = func() (of [256]uint16) {
	for c := range of {
		folded := decode.FoldByte(byte(c))
		mark := 8
		switch {
		case folded >= '0' && folded <= '9':
			mark = aDigit
		case folded == '_':
			mark = aName
		case rules.Wordy(folded) || c >= 0x80:
			mark = aWord
		case folded == ' ':
			mark = 1
		}
		for n, marks := range []string{".!?;", ":", ",", "\"'`", "<[({#*>]|"} {
			if strings.IndexByte(marks, folded) >= 0 {
				mark = 3 + n
			}
		}
		of[c] = uint16(mark)<<8 | uint16(folded)
	}
	return of
}()

// What a byte is: below aWord, a mark between words.
const (
	aWord  = 0x10
	aName  = 0x30
	aDigit = 0x50
)

// NgramText is a text as the vote reads it where it holds what can be read in several ways.
func NgramText(text string) string { return decode.Fold(&decode.View{Text: text}).Text }

// Next goes to the next word. Single letters are none: they are what is left of names, code and letters that are apart. Neither is a word that
// was one of the two before, one that came with the same one before it (loop), or a name, number or address behind another (kindsApart): what is
// repeated without end must not add up.
func (n *NgramWords) Next() bool {
	text, i := n.Text, n.i
	for {
		gap := i
		for i < len(text) && byteOf[text[i]] < aWord<<8 {
			i++
		}
		if i == len(text) {
			return false
		}
		start := i
		h, end := plainWord(text, start)
		if n.inRow++; end == 0 {
			h, end = anyWord(text, start)
			n.inRow = 0
		}
		if i = end; i-start == 1 && text[start] < 0x80 {
			continue
		}
		if kind := h - addressWord; kind < uint32(len(n.met)) && n.again(kind) {
			continue
		}
		h *= wordPrime
		if h == n.before || h == n.earlier {
			continue
		}
		mark := markBetween(text[gap:start])
		if start == 0 { // as behind a blank
			mark = 1
		}
		n.uses = usesOf(h, n.before, n.earlier, uint32(mark))
		n.before, n.earlier = h, n.before
		if n.pairs.again(n.uses.pair*pairPrime, n.nth) {
			n.passed = min(n.passed+1, maxAgain)
			continue
		}
		n.Again, n.passed = n.passed, 0
		n.Start, n.End, n.i = start, i, i
		n.nth++
		return true
	}
}

// Buckets are which weights the word has.
func (n *NgramWords) Buckets() [4]uint32 {
	return [...]uint32{bucket(n.uses.word), bucket(n.uses.pair), bucket(n.uses.apart), bucket(n.uses.marked)}
}

// uses are what the weights of a word are looked up by: the word, with the one before, with the one before that, and with the mark before it.
type uses struct{ word, pair, apart, marked uint32 }

func usesOf(word, before, earlier, mark uint32) uses {
	return uses{word, word + before*0x85ebca6b + 0x7feb352d, word + earlier*0xc2b2ae35 + 0x846ca68b, word + mark*0x27d4eb2f + 0x165667b1}
}

func (u uses) weight(weights *[NgramBuckets]int8) int {
	return weightOf(weights, u.word) + weightOf(weights, u.pair) + weightOf(weights, u.apart) + weightOf(weights, u.marked)
}

func weightOf(weights *[NgramBuckets]int8, use uint32) int { return int(weights[bucket(use)]) }

// again reports whether a word of this kind was met among the last ones.
func (n *NgramWords) again(kind uint32) bool {
	last := n.met[kind]
	n.met[kind] = n.nth + 1
	return last > 0 && n.nth-last < kindsApart
}

// wordPrime spreads the hash of a word.
const wordPrime = 0x9e3779b1

// What the letters of a word are hashed with (FNV-1a, 32 bits).
const hashPrime, hashOffset = 16777619, 2166136261

// anyWord hashes the word at text[start], and returns where it ends.
func anyWord(text string, start int) (h uint32, end int) {
	i, kinds, letters := start, uint16(0), 0
	h = hashOffset
	for e := byteOf[text[i]]; ; {
		kinds |= e
		if text[i]&0xc0 != 0x80 { // not inside a character
			letters++
		}
		if e < aDigit<<8 && letters <= ngramStem {
			h = (h ^ uint32(e&0xff)) * hashPrime
		}
		if i++; i == len(text) || unspaced(text[start]) && i-start == 3 {
			break
		}
		if e = byteOf[text[i]]; e < aWord<<8 {
			break
		}
	}
	switch {
	case i-start == 1 && text[start] < 0x80:
	case i+2 < len(text) && text[i] == ':' && text[i+1] == '/' && text[i+2] == '/':
		return addressWord, addressEnd(text, i)
	case i+1 < len(text) && text[i] == '@' && byteOf[text[i+1]] >= aWord<<8:
		return mailWord, addressEnd(text, i)
	case kinds>>8&(aName^aWord) != 0:
		return nameWord, i
	case kinds>>8&(aDigit^aWord) != 0:
		return numberWord, i
	}
	return h, i
}

// plainWord is anyWord for a word of ASCII letters with neither address nor number, as nearly all are: end is 0 for any other. It has no branch for
// each letter.
func plainWord(text string, start int) (h uint32, end int) {
	if len(text) < decode.KeyLetters {
		return 0, 0
	}
	key, n := decode.LetterKey(decode.Eight(text, start))
	if n == 0 {
		return 0, 0
	}
	end = start + n
	for more := n; more == decode.KeyLetters && end < len(text); end += more { // they don't count, but how long the word is does
		_, more = decode.LetterKey(decode.Eight(text, end))
	}
	if end < len(text) {
		if c := text[end]; byteOf[c] >= aWord<<8 || c == ':' || c == '@' {
			return 0, 0
		}
	}
	return keyHash(key, n), end
}

// keyHash is the hash of a word of so many letters, by the first of them in lower case (decode.LetterKey). It has no branch for each.
func keyHash(key uint64, n int) uint32 {
	by := &primes[min(n, ngramStem)]
	h := (hashOffset ^ uint32(key&0xff)) * hashPrime
	h = (h ^ uint32(key>>8&0xff)) * by[1]
	h = (h ^ uint32(key>>16&0xff)) * by[2]
	h = (h ^ uint32(key>>24&0xff)) * by[3]
	h = (h ^ uint32(key>>32&0xff)) * by[4]
	h = (h ^ uint32(key>>40&0xff)) * by[5]
	return (h ^ uint32(key>>48&0xff)) * by[6]
}

// primes are, by the number of letters in a key, what the hash is multiplied with for each of seven: 1 for those that it does not have.
var primes = [ngramStem + 1][ngramStem]uint32{
	1: {hashPrime, 1, 1, 1, 1, 1, 1},
	2: {hashPrime, hashPrime, 1, 1, 1, 1, 1},
	3: {hashPrime, hashPrime, hashPrime, 1, 1, 1, 1},
	4: {hashPrime, hashPrime, hashPrime, hashPrime, 1, 1, 1},
	5: {hashPrime, hashPrime, hashPrime, hashPrime, hashPrime, 1, 1},
	6: {hashPrime, hashPrime, hashPrime, hashPrime, hashPrime, hashPrime, 1},
	7: {hashPrime, hashPrime, hashPrime, hashPrime, hashPrime, hashPrime, hashPrime},
}

// unspaced reports whether a character that begins with this byte is of a script that puts no blanks between words, so that it is read as a
// word by itself: kana, Han, Hangul (which does, but joins what belongs to a word).
func unspaced(c byte) bool { return c >= 0xe3 && c <= 0xed }

func bucket(x uint32) uint32 {
	x = (x ^ x>>15) * 0x2c1b3c6d
	return x >> (32 - ngramBits)
}

func addressEnd(text string, i int) int {
	for i < len(text) && text[i] > ' ' && text[i] != '"' && text[i] != ')' && text[i] != '>' && text[i] != '\'' {
		i++
	}
	return i
}
