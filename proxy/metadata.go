package proxy

import (
	"bytes"

	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/sanitize"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// definition is an allowed definition as the client gets it, under the name by which the client knows it; not ok if it is not listed. What
// changes in it, changes in this order: the sanitizer (sanitizer.profile), then, with the whole line, what a terminal would obey
// (toClient). What is pinned, digested and reviewed are the server's own bytes.
func (s *listings) definition(v *declared.View, kind pin.Kind, name string, raw []byte) (out []byte, ok bool) {
	name, ok = v.Delivered(kind, name)
	if !ok {
		s.journal.counted(v.Policy.Sanitizer, "left an item out of a listing: the short form of its name is taken", vocab.StatusBlocked, "sanitizer")
		return nil, false
	}
	if s.unnameable(v, name) {
		return nil, false
	}
	out = sanitize.Definition(kind, raw, name, v.Policy.Sanitizer)
	if v.Policy.Sanitizer == sanitize.Standard && !bytes.Equal(out, raw) { // strict changes nearly every definition
		s.journal.cleaned(v.Policy.Sanitizer)
	}
	return out, true
}

// greeting cleans the characters of one of the server's own texts in its response to initialize.
func (s *handshake) greeting(v *declared.View, line []byte, result frame.Span, member string) []frame.Edit {
	value, ok := frame.Find(line, result, member)
	if !ok {
		return nil
	}
	clean := sanitize.Characters(value.Of(line), v.Policy.Sanitizer)
	if bytes.Equal(clean, value.Of(line)) {
		return nil
	}
	s.journal.cleaned(v.Policy.Sanitizer)
	return []frame.Edit{{Start: value.Start, End: value.End, With: clean}}
}
