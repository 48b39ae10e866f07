package schema

// outline is what one pass over raw JSON tells before anything is decoded.
type outline struct {
	depth int  // levels of containers; 0 for a scalar
	nodes int  // values and keys
	wild  bool // a number has an exponent beyond maxExponent
}

// maxExponent is how far from zero the exponent of a number can be. Ten bytes like 1e999999999 would otherwise take a rule that
// expands them gigabytes.
const maxExponent = 10_000

// sketch measures raw JSON without recursion and without memory. On anything that is not JSON it stays in range, and decode refuses it later.
func sketch(raw string) outline {
	var o outline
	depth := 0
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '{' || c == '[':
			depth++
			o.depth = max(o.depth, depth)
			o.nodes++
			i++
		case c == '}' || c == ']':
			depth--
			i++
		case c == '"':
			o.nodes++
			i, _ = endOfString(raw, i)
		case c == '-' || c >= '0' && c <= '9':
			o.nodes++
			end := endOfNumber(raw, i)
			o.wild = o.wild || wildExponent(raw[i:end])
			i = end
		case c >= 'a' && c <= 'z':
			o.nodes++
			for i < len(raw) && raw[i] >= 'a' && raw[i] <= 'z' {
				i++
			}
		default:
			i++
		}
	}
	return o
}

// endOfString returns the index after the string that begins at i, and whether it has escapes.
func endOfString(raw string, i int) (end int, escaped bool) {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			i++
		}
	}
	return len(raw), escaped
}

func endOfNumber(raw string, i int) int {
	for ; i < len(raw); i++ {
		switch c := raw[i]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
		default:
			return i
		}
	}
	return i
}

// wildExponent reports whether the exponent of a number, as written, is beyond maxExponent.
func wildExponent(number string) bool {
	for i := 0; i < len(number); i++ {
		if number[i]|0x20 != 'e' {
			continue
		}
		_, ok := exponentOf(number[i+1:])
		return !ok
	}
	return false
}

// exponentOf reads the digits after the e of a number. It is not ok beyond maxExponent.
func exponentOf(digits string) (exponent int, ok bool) {
	negative := false
	if digits != "" && (digits[0] == '+' || digits[0] == '-') {
		negative = digits[0] == '-'
		digits = digits[1:]
	}
	for i := 0; i < len(digits); i++ {
		exponent = 10*exponent + int(digits[i]-'0')
		if exponent > maxExponent {
			return 0, false
		}
	}
	if negative {
		exponent = -exponent
	}
	return exponent, true
}
