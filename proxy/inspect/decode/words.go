package decode

import (
	"encoding/binary"
	"math/bits"
)

const (
	// WordBlock is how many bytes Words reads at a time.
	WordBlock = 64
	// WordRoom is how many bytes of a text there must be from where it reads.
	WordRoom = WordBlock + KeyLetters
	// MaxWords is how many words are in a block at most.
	MaxWords = WordBlock / 2
)

// Words are the plain words of a block of 64 bytes: those of ASCII letters alone, behind which stands a blank or an ordinary mark. Where they begin and end is
// found eight bytes at a time, so that nothing depends on how long each of them is; a branch for it is guessed wrong at nearly every word.
type Words struct {
	N     int
	Start [MaxWords]uint32
	End   [MaxWords]uint32
	Key   [MaxWords]uint64 // the first eight letters, in lower case
}

// Read takes the words from text[from] on, where none goes on that began before, and returns up to where it read. It stops before the first byte that
// is odd (lettersIn), and reports whether there is one. The text must have WordRoom bytes from there on.
func (w *Words) Read(text string, from int) (to int, odd bool) {
	b := bytesOf(text)[from : from+WordRoom]
	letters, others := lettersIn((*[WordBlock]byte)(b))
	plain := others&-others - 1 // before the first odd byte; all if there is none
	letters &= plain
	starts, ends := letters&^(letters<<1), ^letters&(letters<<1)&plain
	n := 0
	for left := ends; left != 0; left &= left - 1 {
		start, end := bits.TrailingZeros64(starts)%WordBlock, bits.TrailingZeros64(left)%WordBlock
		starts &= starts - 1
		k := n % MaxWords
		w.Key[k] = (binary.LittleEndian.Uint64(b[start:]) | 0x20*EachByte) & firstBytes[min(end-start, KeyLetters)]
		w.Start[k], w.End[k] = uint32(from+start), uint32(from+end)
		n++
	}
	w.N = n
	return from + bits.Len64(ends|1) - 1, others != 0
}

// firstBytes are the first so many of eight bytes.
var firstBytes = [...]uint64{0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1}

// lettersIn tells of 64 bytes, by a bit for each, the first byte's lowest, which are ASCII letters; and which are odd: another part of a word, or a mark
// that can make the word before it an address.
func lettersIn(b *[WordBlock]byte) (letters, odd uint64) {
	for i := 0; i < WordBlock; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		low := x &^ HighBits
		letters |= gather(lettersOf(x)) << i
		odd |= gather((x|between(low, '0', ':')|is(low, '@')|is(low, '_'))&HighBits) << i
	}
	return letters, odd
}
