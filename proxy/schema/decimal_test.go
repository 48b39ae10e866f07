package schema

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestNumbersCountAsWritten(t *testing.T) {
	for _, c := range []struct{ name, schema, value, keyword string }{
		{"1.0 is whole", `{"type":"integer"}`, `1.0`, ""},
		{"1e2 is whole", `{"type":"integer"}`, `1e2`, ""},
		{"120e-1 is whole", `{"type":"integer"}`, `120e-1`, ""},
		{"-0.0 is whole", `{"type":"integer"}`, `-0.0`, ""},
		{"125e-1 is not", `{"type":"integer"}`, `125e-1`, "type"},
		{"20 digits are compared by all 20", `{"maximum":12345678901234567890}`, `12345678901234567891`, "maximum"},
		{"a float64 would take them for equal", `{"const":9007199254740993}`, `9007199254740992`, "const"},
		{"equal however they are written", `{"enum":[100]}`, `1.00e2`, ""},
		{"minus zero is zero", `{"const":0}`, `-0`, ""},
		{"1 is not true", `{"enum":[true]}`, `1`, "enum"},
		{"a multiple of 0.01", `{"multipleOf":0.01}`, `19.99`, ""},
		{"no multiple of 0.01", `{"multipleOf":0.01}`, `19.999`, "multipleOf"},
		{"a multiple of a divisor with more digits than a word", `{"multipleOf":12345678901234567890123}`, `24691357802469135780246e0`, ""},
		{"no multiple of it", `{"multipleOf":12345678901234567890123}`, `24691357802469135780247`, "multipleOf"},
		{"a large exponent is not expanded", `{"multipleOf":7,"exclusiveMinimum":6e10000}`, `7e10000`, ""},
		{"a small exponent", `{"minimum":1e-9999}`, `1e-10000`, "minimum"},
		{"equal is not less", `{"exclusiveMaximum":1}`, `1.000`, "exclusiveMaximum"},
		{"draft-04 has booleans for that", `{"$schema":"http://json-schema.org/draft-04/schema#","maximum":1,"exclusiveMaximum":true}`, `1`, "exclusiveMaximum"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := judge(t, c.schema, c.value)
			if c.keyword == "" && v != nil || c.keyword != "" && (v == nil || v.Keyword != c.keyword) {
				t.Errorf("%+v, not %q", v, c.keyword)
			}
		})
	}
}

func TestDecimalsAreComparedAsFractionsAre(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	written := func() string {
		s := ""
		if random.IntN(2) == 0 {
			s = "-"
		}
		s += fmt.Sprint(random.IntN([]int{1, 10, 1000, 1 << 40}[random.IntN(4)]))
		if random.IntN(2) == 0 {
			s += fmt.Sprintf(".%0*d", 1+random.IntN(25), random.IntN(100))
		}
		if random.IntN(2) == 0 {
			s += fmt.Sprintf("%c%+d", "eE"[random.IntN(2)], random.IntN(30)-15)
		}
		return s
	}
	for range 20000 {
		a, b := written(), written()
		x, ok := decimalOf(a)
		y, ok2 := decimalOf(b)
		if !ok || !ok2 {
			t.Fatalf("%s or %s is no number", a, b)
		}
		p, _ := new(big.Rat).SetString(a)
		q, _ := new(big.Rat).SetString(b)
		if x.compare(&y) != p.Cmp(q) {
			t.Fatalf("%s and %s: %d", a, b, x.compare(&y))
		}
		if x.integer() != p.IsInt() {
			t.Fatalf("%s is whole: %v", a, x.integer())
		}
		if y.zero() {
			continue
		}
		whole := new(big.Rat).Quo(p, q).IsInt()
		if by := (&bound{decimal: y}).prepare(); by.divides(&x) != whole {
			t.Fatalf("%s is a multiple of %s: %v", a, b, !whole)
		}
		if (string(appendNumber(nil, x)) == string(appendNumber(nil, y))) != (p.Cmp(q) == 0) {
			t.Fatalf("%s and %s have the wrong form", a, b)
		}
	}
}

func TestWhatIsNoNumberIsNone(t *testing.T) {
	for _, s := range []string{"", "-", "01", "-01", "1.", ".1", "1e", "1e+", "1e+-1", "1.e1", "+1", "1x", "1e1.5", "0x1", "1e10001", "--1", "1e1e1", "NaN"} {
		if d, ok := decimalOf(s); ok {
			t.Errorf("%q is %+v", s, d)
		}
	}
}
