package decode

import (
	"encoding/binary"
	"math/bits"
)

// Limits of what groups takes: a UUID has 36 bytes and four hyphens.
const (
	maxGroups     = 64 // bytes
	maxGroupMarks = 4
)

// groups reports whether a text is a UUID, a date or such a thing: short groups of digits and of letters from a to f, with few hyphens between
// them. It can be read in one way only, and rows of values have many: base64 has capitals, hexadecimal digits of a text are sixteen in a row,
// codes and letters that are apart are more, glued words are longer, and digits for letters have blanks between them.
func groups(text string) bool {
	if len(text) < 8 || len(text) > maxGroups {
		return false
	}
	b, hyphens := bytesOf(text), uint64(0) // a bit for each
	for at := 0; at < len(b); at += 8 {
		at = min(at, len(b)-8)
		x := binary.LittleEndian.Uint64(b[at:])
		low := x &^ HighBits
		hyphen := is(low, '-')
		if (between(low, '0', '9')|between(low, 'a', 'f')|hyphen)&^x != HighBits {
			return false
		}
		hyphens |= gather(hyphen) << (uint(at) & 63)
	}
	row := ^hyphens << (64 - uint(len(b))) // where one in a row ends, then two, four, eight, sixteen
	for n := uint(1); n < MinBlob; n *= 2 {
		row &= row << n
	}
	return row == 0 && bits.OnesCount64(hyphens) <= maxGroupMarks
}
