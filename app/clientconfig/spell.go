package clientconfig

import (
	"strings"

	"github.com/tailscale/hujson"
)

// opens reports whether a value begins with a brace, so that its members are between braces.
func (f *File) opens(v *hujson.Value) bool {
	at := f.span(v).from
	return at < len(f.raw) && f.raw[at] == '{'
}

// beyond says why an entry's values can't be edited where they are, "" if they can.
func (f *File) beyond(v *hujson.Value, e *Entry) string { return "" }

// between is the text between two elements of a list as the list has it, for new elements in front of the first one.
func (f *File) between(list *hujson.Value) string {
	elements := list.Value.(*hujson.Array).Elements
	from, first := f.span(list).from, f.span(&elements[0]).from
	lead := string(f.raw[from+1 : first])
	switch {
	case blank(lead) && strings.Contains(lead, "\n"):
		return "," + lead
	case len(elements) > 1 && string(f.raw[f.span(&elements[0]).to:f.span(&elements[1]).from]) == ",":
		return ","
	}
	return ", "
}
