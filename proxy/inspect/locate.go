package inspect

import "github.com/sallyport/sallyport/proxy/frame"

// Locate returns the place of a finding in raw: its words in the string or key at its path, else the value there, else the nearest existing
// value above it. definition is the value that the path starts from.
func Locate(raw []byte, definition frame.Span, f Finding) frame.Span {
	at := definition
	for path := f.Where; path != ""; {
		segment, rest, ok := cutSegment(path)
		if !ok {
			return at
		}
		var next, key frame.Span
		var name string
		frame.Elements(raw, at, func(i int, e frame.Span) bool {
			if Element("", i) == segment {
				next = e
			}
			return next.Empty()
		})
		frame.Members(raw, at, func(k string, m frame.Member) bool {
			if Member("", k) == segment {
				next, key, name = m.Value, m.Key, k
			}
			return next.Empty()
		})
		if next.Empty() {
			return at
		}
		at, path = next, rest
		if path == "" && !key.Empty() && f.stands(name) && !f.stands(textOf(raw, at)) {
			return within(raw, key, f)
		}
	}
	if frame.Type(raw, at) == '"' {
		return within(raw, at, f)
	}
	return at
}

// within returns the part of a string that a finding is about, without quotes; or the whole string, with quotes, if it has no such part.
func within(raw []byte, v frame.Span, f Finding) frame.Span {
	if f.Start < 0 || f.End <= f.Start || f.End > len(textOf(raw, v)) {
		return v
	}
	at := escapedAt{raw: raw[v.Start+1 : v.End-1]}
	start := at.offset(f.Start)
	return frame.Span{Start: v.Start + 1 + start, End: v.Start + 1 + at.offset(f.End)}
}

func textOf(raw []byte, v frame.Span) string {
	if frame.Type(raw, v) != '"' {
		return ""
	}
	text, _ := frame.String(raw, v)
	return text
}
