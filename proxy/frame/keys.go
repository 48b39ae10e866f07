package frame

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"unicode"
	"unicode/utf8"
)

// fewKeys is the number of keys up to which duplicates are searched one by one; beyond it a table is used.
const fewKeys = 32

// keyRecord is one key of an object that is still open. The hash is of the decoded key, folded if folding counts.
type keyRecord struct {
	hash  uint64
	start uint32 // after the opening quote
	size  uint32 // up to the closing quote
}

// keySet finds equal keys. Its hash is seeded at random: a server that could predict collisions could make an object of a million keys cost
// a million squared. An equal hash is only a suspicion, confirmed on the decoded keys.
type keySet struct {
	seeds   [2]uint64
	seeded  bool
	keys    []keyRecord
	table   []uint64
	decoded [2][]byte
}

func (s *keySet) seed() {
	if !s.seeded {
		s.seeds = [2]uint64{rand.Uint64(), rand.Uint64()}
		s.seeded = true
	}
}

// sum hashes a key. With fold, keys that are equal under simple case folding have equal sums.
func (s *keySet) sum(key []byte, tr traits, fold bool) uint64 {
	if tr != 0 {
		s.decoded[0] = appendKey(s.decoded[0][:0], key, fold)
		key = s.decoded[0]
	}
	h := s.seeds[0] ^ uint64(len(key))
	for len(key) > 16 {
		lo, hi := binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[8:])
		if fold {
			lo, hi = lower(lo), lower(hi)
		}
		h = mix(lo^h, hi^s.seeds[1])
		key = key[16:]
	}
	var lo, hi uint64
	switch n := len(key); {
	case n >= 8:
		lo, hi = binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[n-8:])
	case n >= 4:
		lo = uint64(binary.LittleEndian.Uint32(key)) | uint64(binary.LittleEndian.Uint32(key[n-4:]))<<32
	case n > 0:
		lo = uint64(key[0]) | uint64(key[n/2])<<8 | uint64(key[n-1])<<16
	}
	if fold {
		lo, hi = lower(lo), lower(hi)
	}
	return mix(lo^h, hi^s.seeds[1])
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// lower converts A–Z to a–z in eight bytes at once and keeps all others.
func lower(x uint64) uint64 {
	low := x &^ highs
	fromA := low + (0x80-'A')*ones
	aboveZ := low + (0x7f-'Z')*ones
	return x | (fromA^aboveZ)&^x&highs>>2
}

func (s *keySet) among(raw []byte, records []keyRecord, key keyRecord, fold bool) bool {
	for _, other := range records {
		if other.hash == key.hash && s.same(raw, other, key, fold) {
			return true
		}
	}
	return false
}

// doubled looks for two equal records among many, with a table of that size: linear for any keys. It returns the later one.
func (s *keySet) doubled(raw []byte, records []keyRecord, fold bool) (double keyRecord, found bool) {
	size := 1 << bits.Len(uint(2*len(records)))
	if cap(s.table) < size {
		s.table = make([]uint64, size)
	}
	table := s.table[:size]
	clear(table)
	mask := uint64(size - 1)
	for n, key := range records {
		// A slot holds the upper half of the hash and the record's number from 1.
		entry := key.hash&^(1<<32-1) | uint64(n+1)
		slot := key.hash & mask
		for table[slot] != 0 {
			if table[slot]>>32 == entry>>32 {
				other := records[uint32(table[slot])-1]
				if other.hash == key.hash && s.same(raw, other, key, fold) {
					return key, true
				}
			}
			slot = (slot + 1) & mask
		}
		table[slot] = entry
	}
	return keyRecord{}, false
}

func (s *keySet) same(raw []byte, a, b keyRecord, fold bool) bool {
	keyA, keyB := raw[a.start:a.start+a.size], raw[b.start:b.start+b.size]
	if bytes.Equal(keyA, keyB) {
		return true
	}
	s.decoded[0] = appendKey(s.decoded[0][:0], keyA, fold)
	s.decoded[1] = appendKey(s.decoded[1][:0], keyB, fold)
	return bytes.Equal(s.decoded[0], s.decoded[1])
}

// release frees the memory of a huge message, so that an idle wrapper stays small.
func (s *keySet) release() {
	const kept = 16 << 10 // records: 256 KiB, and as much for the table
	if cap(s.keys) > kept {
		s.keys = nil
	}
	if cap(s.table) > 2*kept {
		s.table = nil
	}
	for i := range s.decoded {
		if cap(s.decoded[i]) > 4*kept {
			s.decoded[i] = nil
		}
	}
}

// appendKey appends a key as the most lenient parser would compare it: unescaped, with fold under simple case folding, and with U+FFFD for
// each lone surrogate, as Go's and other decoders do.
func appendKey(dst, content []byte, fold bool) []byte {
	start := len(dst)
	dst, _ = appendUnescaped(dst, content, replaceLone)
	if !fold {
		return dst
	}
	return foldInPlace(dst, start)
}

// FoldedKey is a raw key, between its quotes, as the most lenient parser compares it.
func FoldedKey(content []byte) string { return string(appendKey(nil, content, true)) }

// foldInPlace replaces b[start:] with its case-folded form.
func foldInPlace(b []byte, start int) []byte {
	for i := start; i < len(b); i++ {
		if c := b[i]; c >= utf8.RuneSelf {
			tail := string(b[i:]) // keys outside ASCII are rare
			b = b[:i]
			for _, r := range tail {
				b = utf8.AppendRune(b, foldRune(r))
			}
			return b
		} else if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}

// foldRune returns one representative for all runes equal under simple case folding, as Go's encoding/json matches field names: U+017F is
// s, U+212A is k.
func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}
