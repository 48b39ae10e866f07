package schema

import (
	"cmp"
	"math/big"
	"math/bits"
	"strings"
)

// decimal is a JSON number as written, normalised: 0.hl × 10^point, where the digits of high and low, read as one, neither begin nor end
// with a zero. Zero has no digits. Nothing is ever expanded, so that 1e9999 costs as much as 1.
type decimal struct {
	negative  bool
	high, low string
	point     int
}

// decimalOf reads a JSON number. It is not ok for other texts, nor for an exponent beyond maxExponent.
func decimalOf(s string) (d decimal, ok bool) {
	if s != "" && s[0] == '-' {
		d.negative, s = true, s[1:]
	}
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return decimal{}, false
	}
	d.high, s = s[:whole], s[whole:]
	if s != "" && s[0] == '.' {
		s = s[1:]
		fraction := digits(s)
		if fraction == 0 {
			return decimal{}, false
		}
		d.low, s = s[:fraction], s[fraction:]
	}
	exponent := 0
	if s != "" {
		if s[0]|0x20 != 'e' {
			return decimal{}, false
		}
		s = s[1:]
		if unsigned := strings.TrimLeft(s, "+-"); len(s)-len(unsigned) > 1 || digits(unsigned) == 0 || digits(unsigned) != len(unsigned) {
			return decimal{}, false
		}
		if exponent, ok = exponentOf(s); !ok {
			return decimal{}, false
		}
	}
	d.point = len(d.high) + exponent
	d.normalise()
	return d, true
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func (d *decimal) normalise() {
	all := len(d.high)
	if d.high = strings.TrimLeft(d.high, "0"); d.high == "" {
		low := strings.TrimLeft(d.low, "0")
		all += len(d.low) - len(low)
		d.low = low
	} else {
		all -= len(d.high)
	}
	d.point -= all
	if d.low = strings.TrimRight(d.low, "0"); d.low == "" {
		d.high = strings.TrimRight(d.high, "0")
	}
	if d.zero() {
		*d = decimal{}
	}
}

func (d *decimal) zero() bool { return d.high == "" && d.low == "" }

func (d *decimal) digits() int { return len(d.high) + len(d.low) }

func (d *decimal) digit(i int) byte {
	if i < len(d.high) {
		return d.high[i]
	}
	return d.low[i-len(d.high)]
}

// integer reports whether the value is whole, as 6.0 and 1e2 are.
func (d *decimal) integer() bool { return d.digits() <= d.point || d.zero() }

func (d *decimal) sign() int {
	switch {
	case d.zero():
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

func (d *decimal) compare(o *decimal) int {
	sign := d.sign()
	if sign != o.sign() || sign == 0 {
		return cmp.Compare(sign, o.sign())
	}
	return sign * d.compareSize(o)
}

func (d *decimal) compareSize(o *decimal) int {
	if d.point != o.point {
		return cmp.Compare(d.point, o.point)
	}
	for i := range min(d.digits(), o.digits()) {
		if a, b := d.digit(i), o.digit(i); a != b {
			return cmp.Compare(a, b)
		}
	}
	return cmp.Compare(d.digits(), o.digits())
}

// chunk is how many digits multipleOf takes at once: the most that fit into 64 bits.
const chunk = 18

// bound is a number of a schema, with what the schema has for it.
type bound struct {
	decimal
	written string
	long    *big.Int // what the digits spell, if it is a divisor with too many for a chunk
}

func (m *bound) prepare() *bound {
	if m.digits() > chunk {
		m.long, _ = new(big.Int).SetString(m.high+m.low, 10)
	}
	return m
}

// divides reports whether a value is the bound times an integer. The bound is not zero.
func (m *bound) divides(d *decimal) bool {
	if d.zero() {
		return true
	}
	// Both as integers without zeros at their end, times a power of ten. The value would have to be divisible by more tens than it has.
	tens := (d.point - d.digits()) - (m.point - m.digits())
	if tens < 0 {
		return false
	}
	if m.long == nil {
		return d.dividedBy(m.chunk(0), tens)
	}
	rest, step, part := new(big.Int), new(big.Int), new(big.Int)
	for i := 0; i < d.digits(); i += chunk {
		rest.Mul(rest, step.SetUint64(power(min(chunk, d.digits()-i))))
		rest.Mod(rest.Add(rest, part.SetUint64(d.chunk(i))), m.long)
	}
	step.Exp(big.NewInt(10), big.NewInt(int64(tens)), m.long)
	return rest.Mod(rest.Mul(rest, step), m.long).Sign() == 0
}

// dividedBy reports whether the digits, times ten to the tens, can be divided by a small number.
func (d *decimal) dividedBy(divisor uint64, tens int) bool {
	rest := uint64(0)
	for i := 0; i < d.digits(); i += chunk {
		rest = timesPlus(rest, power(min(chunk, d.digits()-i)), d.chunk(i), divisor)
	}
	for scale := uint64(10) % divisor; tens > 0; tens >>= 1 {
		if tens&1 != 0 {
			rest = timesPlus(rest, scale, 0, divisor)
		}
		scale = timesPlus(scale, scale, 0, divisor)
	}
	return rest == 0
}

// timesPlus is a*b+c modulo m.
func timesPlus(a, b, c, m uint64) uint64 {
	high, low := bits.Mul64(a, b)
	low, carry := bits.Add64(low, c, 0)
	return bits.Rem64(high+carry, low, m)
}

// chunk is the number that the next digits spell, at most as many as fit.
func (d *decimal) chunk(i int) uint64 {
	n := uint64(0)
	for j := i; j < min(i+chunk, d.digits()); j++ {
		n = 10*n + uint64(d.digit(j)-'0')
	}
	return n
}

func power(digits int) uint64 {
	n := uint64(1)
	for range digits {
		n *= 10
	}
	return n
}
