package frame

import (
	"bytes"
	"unicode/utf8"
)

// prefix begins the keys that only we may write: clients trust them.
const prefix = "sallyport/"

// startsOurs is a cheap test for every key: could it begin with our prefix once unescaped and folded?
func startsOurs(content []byte) bool {
	if len(content) < len(prefix) {
		return false
	}
	switch content[0] {
	case 's', 'S', '\\', 0xC5: // U+017F, which folds to s, begins with 0xC5
		return true
	}
	return false
}

// IsOurs reports whether a decoded key belongs in Message.Ours.
func IsOurs(key string) bool {
	if len(key) < len(prefix) || key[0]|0x20 != prefix[0] && key[0] != 0xC5 {
		return false
	}
	folded := foldInPlace([]byte(key[:min(len(key), utf8.UTFMax*len(prefix))]), 0)
	return bytes.HasPrefix(folded, []byte(prefix))
}

// isOurs compares under folding: a client that ignores case would take "Sallyport/decision" for ours as well.
func (s *scanner) isOurs(content []byte, tr traits) bool {
	if tr == 0 && content[len(prefix)-1] != prefix[len(prefix)-1] {
		return false
	}
	s.decoded[0] = appendKey(s.decoded[0][:0], content, true)
	return len(s.decoded[0]) >= len(prefix) && string(s.decoded[0][:len(prefix)]) == prefix
}

// closeOurs completes the open member of f in Ours; its value ended at end.
func (s *scanner) closeOurs(f *frame, end int) {
	m := &s.ours[f.ours-1]
	m.Value = Span{int(f.value), end}
	if !f.leading {
		m.Cut = Span{int(f.comma), end}
		return
	}
	// All members before it are removed too, so the comma after it goes as well.
	m.Cut = Span{m.Key.Start, end}
	if i := skipSpace(s.raw, end); i < len(s.raw) && s.raw[i] == ',' {
		m.Cut.End = i + 1
	}
}

// CutOurs returns the edits that remove every member in Ours, with exactly the commas needed.
func (m *Message) CutOurs() []Edit {
	edits := make([]Edit, 0, len(m.Ours))
	end := 0
	for _, member := range m.Ours {
		if member.Cut.Start < end { // inside one that is removed whole
			continue
		}
		edits = append(edits, Edit{Start: member.Cut.Start, End: member.Cut.End})
		end = member.Cut.End
	}
	return edits
}
