package frame

// Span is a part of a line, in byte offsets: Start is its first byte, End the one after its last. The zero Span is absent.
type Span struct{ Start, End int }

// Of is the bytes of the span in raw; nil for an absent span and for one that raw does not hold.
func (s Span) Of(raw []byte) []byte {
	if s.Start < 0 || s.End <= s.Start || s.End > len(raw) {
		return nil
	}
	return raw[s.Start:s.End:s.End]
}

// Empty says that there is nothing: the span is absent or has no bytes.
func (s Span) Empty() bool { return s.End <= s.Start }

// Root is the value in raw without the white space around it.
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

// Type is the kind of a value by its first byte: '{', '[', '"', 'n', 't', 'f', or '0' for every number; 0 for what is none.
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

// isSpace is JSON's white space and nothing else: U+00A0, U+2028 and the like are no white space here.
func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t') }
