package frame

// Span is a part of a line in byte offsets [Start, End). The zero Span is absent.
type Span struct{ Start, End int }

// Of returns the bytes of the span in raw; nil for an absent span or one out of range.
func (s Span) Of(raw []byte) []byte {
	if s.Start < 0 || s.End <= s.Start || s.End > len(raw) {
		return nil
	}
	return raw[s.Start:s.End:s.End]
}

// Empty reports whether the span is absent or has no bytes.
func (s Span) Empty() bool { return s.End <= s.Start }

// Root returns the value in raw without the white space around it.
func Root(raw []byte) Span {
	start, end := 0, len(raw)
	for start < end && isSpace(raw[start]) {
		start++
	}
	for end > start && isSpace(raw[end-1]) {
		end--
	}
	return Span{start, end}
}

// Type is the kind of a value by its first byte: '{', '[', '"', 'n', 't', 'f', or '0' for every number; 0 for anything else.
func Type(raw []byte, v Span) byte {
	b := v.Of(raw)
	if len(b) == 0 {
		return 0
	}
	switch c := b[0]; c {
	case '{', '[', '"', 'n', 't', 'f':
		return c
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 0
}

// isSpace accepts only JSON's white space: not U+00A0, U+2028 and the like.
func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t') }
