package frame

import (
	"bytes"
	"strconv"
)

// maxExponentDigits limits the exponent of an id that is compared by value: beyond it the spelling counts, because exponent plus length
// must fit 64 bits.
const maxExponentDigits = 17

// AppendIDKey appends a key that is equal for two ids of equal JSON type and value: 1, 1.0 and 10e-1 are one, "1" is another. Numbers are
// compared exactly at any size; strings unescaped; objects and arrays in canonical form. Some clients coerce ids (1 matches "1"), but
// responses are matched by this key and nothing looser.
func AppendIDKey(dst []byte, rawID []byte) []byte {
	if key, ok := appendPlainKey(dst, rawID); ok {
		return key
	}
	v := Root(rawID)
	value := v.Of(rawID)
	switch Type(rawID, v) {
	case '"':
		if content, ok := quoted(value); ok {
			dst = append(dst, 's')
			dst, _ = appendUnescaped(dst, content, keepLone)
			return dst
		}
	case '0':
		if end, ok := scanNumber(value, 0); ok && end == len(value) {
			return appendNumberKey(dst, value)
		}
	case '{', '[':
		if key, err := AppendCanonical(append(dst, 'j'), rawID, v); err == nil {
			return key
		}
	}
	dst = append(dst, 'r')
	return append(dst, value...)
}

// appendPlainKey is the fast path of appendNumberKey for the usual id, a positive integer in plain digits. It writes the same bytes.
func appendPlainKey(dst, number []byte) (key []byte, ok bool) {
	if len(number) == 0 || len(number) > 19 || number[0] == '0' {
		return dst, false
	}
	significant := 0
	for i, c := range number {
		if c -= '0'; c > 9 {
			return dst, false
		} else if c != 0 {
			significant = i + 1
		}
	}
	dst = append(append(dst, 'n'), number[:significant]...)
	dst = append(dst, 'e')
	if power := len(number) - significant; power > 9 {
		return append(dst, '1', byte('0'+power-10)), true
	} else {
		return append(dst, byte('0'+power)), true
	}
}

// appendNumberKey writes a valid number as its sign, its digits without zeros at either end, and the power of ten of the last digit. -0 is
// 0.
func appendNumberKey(dst, number []byte) []byte {
	rest, negative := bytes.CutPrefix(number, []byte("-"))
	mantissa, exponent := rest, []byte(nil)
	if i := bytes.IndexAny(rest, "eE"); i >= 0 {
		mantissa, exponent = rest[:i], rest[i+1:]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := append(append(make([]byte, 0, len(mantissa)), whole...), fraction...)
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) == 0 {
		return append(dst, "n0"...)
	}
	power := int64(-len(fraction))
	significant := bytes.TrimRight(digits, "0")
	power += int64(len(digits) - len(significant))
	if exponent != nil {
		size, minus := bytes.CutPrefix(exponent, []byte("-"))
		size = bytes.TrimLeft(bytes.TrimPrefix(size, []byte("+")), "0")
		if len(size) > maxExponentDigits {
			return append(append(dst, 'r'), number...)
		}
		var e int64
		for _, c := range size {
			e = e*10 + int64(c-'0')
		}
		if minus {
			e = -e
		}
		power += e
	}
	dst = append(dst, 'n')
	if negative {
		dst = append(dst, '-')
	}
	dst = append(dst, significant...)
	return strconv.AppendInt(append(dst, 'e'), power, 10)
}
