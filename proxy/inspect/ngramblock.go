package inspect

import (
	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// plain counts the words that Next would come to, as long as they are plain ones (decode.Words) with neither an address nor a number near. It does one
// thing after the other with all words of a block, so that what is done for one waits for little that is done for another.
func (n *NgramWords) plain(b *wordBlock, weights *[NgramBuckets]int8, s *stretch) {
	for n.i > 0 && n.i+decode.WordRoom <= len(n.Text) && !s.done {
		to, odd := b.words.Read(n.Text, n.i)
		if b.words.N == 0 {
			break
		}
		b.hashAll()
		b.markAll(n.Text, n.i)
		n.i = to
		for k := range n.weigh(b, weights) {
			k %= decode.MaxWords
			s.fade(int(b.passed[k]))
			s.add(int(b.weight[k]), int(b.words.Start[k]), int(b.words.End[k]))
		}
		if odd {
			break
		}
	}
	n.inRow = 0
}

// plainRow is how many plain words in a row are read one by one before others are read in blocks: behind one that is not plain, there is often another.
const plainRow = 3

// wordBlock are the plain words of a block, and what is known of them.
type wordBlock struct {
	words  decode.Words
	hash   [decode.MaxWords]uint32
	mark   [decode.MaxWords]uint8 // before the word
	weight [decode.MaxWords]int16
	passed [decode.MaxWords]uint8 // words that were passed over before it
}

func (b *wordBlock) hashAll() {
	for k := range b.words.N {
		k %= decode.MaxWords
		b.hash[k] = keyHash(b.words.Key[k], int(b.words.End[k]-b.words.Start[k])) * wordPrime
	}
}

// markAll looks up the mark before each word. The word before the first of them ends at text[from].
func (b *wordBlock) markAll(text string, from int) {
	start := int(b.words.Start[0])
	b.mark[0] = markBetween(text[from:start])
	for k := 1; k < b.words.N; k++ {
		k := k % decode.MaxWords
		start := int(b.words.Start[k])
		mark := markOfTwo[marksOf[text[start-2]]<<4|marksOf[text[start-1]]]
		if mark == 0 {
			mark = markBetween(text[b.words.End[(k-1)%decode.MaxWords]:start])
		}
		b.mark[k] = mark
	}
}

// weigh sums up the weights of each of the words, without those that Next passes over. They become the first of the block.
func (n *NgramWords) weigh(b *wordBlock, weights *[NgramBuckets]int8) (count int) {
	before, earlier := n.before, n.earlier
	for k := range b.words.N {
		k %= decode.MaxWords
		start, end, h := b.words.Start[k], b.words.End[k], b.hash[k]
		if end-start > 1 && h != before && h != earlier {
			u := usesOf(h, before, earlier, uint32(b.mark[k]))
			before, earlier = h, before
			if n.pairs.again(u.pair*pairPrime, n.nth) {
				n.passed = min(n.passed+1, maxAgain)
				continue
			}
			of := count % decode.MaxWords
			b.words.Start[of], b.words.End[of] = start, end
			b.weight[of] = int16(u.weight(weights))
			b.passed[of] = uint8(n.passed)
			n.passed = 0
			n.nth++
			count++
		}
	}
	n.before, n.earlier = before, earlier
	return count
}

// markBetween is the mark between two words: the last that is no blank, or a blank, 0 if there is nothing.
func markBetween(gap string) (mark uint8) {
	for i := range len(gap) {
		if m := marksOf[gap[i]]; m > 1 || mark == 0 {
			mark = m
		}
	}
	return mark
}

// marksOf is, by byte, the mark that it is between words, 0 if it is a part of one.
var marksOf = func() (of [256]uint8) {
	for c, e := range byteOf {
		if e < aWord<<8 {
			of[c] = uint8(e >> 8)
		}
	}
	return of
}()

// markOfTwo is the mark before a word by the two bytes before it, 0 if they don't tell: both are blanks.
var markOfTwo = func() (of [256]uint8) {
	for first := range 16 {
		for second := range 16 {
			switch {
			case second > 1 || first == 0:
				of[first<<4|second] = uint8(second)
			case first > 1:
				of[first<<4|second] = uint8(first)
			}
		}
	}
	return of
}()
