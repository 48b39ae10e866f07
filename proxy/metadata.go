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
// changes in it, changes in this order: the sanitizer (sanitizer.profile), the person's standing rule (inspect.descriptions), then, with the
// whole line, what a terminal would obey (toClient). What is pinned, digested and reviewed are the server's own bytes.
func (s *listings) definition(v *declared.View, kind pin.Kind, name string, raw []byte) (out []byte, ok bool) {
	key := pin.Key(kind, name)
	if kind == pin.Resource && name == "" { // not pinned, so nobody asked for its address yet
		uri, _ := declared.NameOf(kind, raw, frame.Root(raw))
		key = pin.Key(kind, uri)
	}
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
	return s.stand(v, key, out)
}

// stand applies the person's standing rule to what the sanitizer left of an item; not ok if the client gets nothing of it.
func (s *exchange) stand(v *declared.View, item string, clean []byte) (out []byte, ok bool) {
	standing := v.Stand(s.rules.file.Load(), item, clean)
	if standing.Level != "" {
		s.journal.described(v.Policy.Descriptions, item, clean, standing)
	}
	return standing.Definition, !standing.Withheld
}

// greeting cleans the characters of one of the server's own texts in its response to initialize, and applies the person's standing rule to
// its instructions.
func (s *handshake) greeting(v *declared.View, line []byte, result frame.Span, member string) []frame.Edit {
	value, ok := frame.Find(line, result, member)
	if !ok {
		return nil
	}
	clean := sanitize.Characters(value.Of(line), v.Policy.Sanitizer)
	if !bytes.Equal(clean, value.Of(line)) {
		s.journal.cleaned(v.Policy.Sanitizer)
	}
	if member == string(pin.Instructions) && !isEmptyText(value.Of(line)) {
		if clean, ok = s.stand(v, member, clean); !ok {
			clean = []byte(`""`)
		}
	}
	if bytes.Equal(clean, value.Of(line)) {
		return nil
	}
	return []frame.Edit{{Start: value.Start, End: value.End, With: clean}}
}
