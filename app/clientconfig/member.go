package clientconfig

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// set gives a member of an object this text as its value; a new member comes last, on its own line if the others are.
func (f *File) set(whole *hujson.Value, object *hujson.Object, key, text string) splice {
	if m := member(object, key); m != nil {
		return splice{f.span(&m.Value), text}
	}
	fresh := quote(key) + ": " + text
	if n := len(object.Members); n > 0 {
		lead := leading(object, n-1)
		end := f.span(&object.Members[n-1].Value).to
		return splice{span{end, end}, "," + lead + fresh}
	}
	open := f.span(whole).from + 1
	if indent := f.indent(f.span(whole).from); strings.Contains(string(f.raw), "\n") {
		line := "\n"
		if strings.Contains(string(f.raw), "\r\n") {
			line = "\r\n"
		}
		// An empty object keeps its content, perhaps a comment, after the member.
		if end := f.span(whole).to - 1; blank(string(f.raw[open:end])) {
			return splice{span{open, end}, line + indent + f.step() + fresh + line + indent}
		}
	}
	return splice{span{open, open}, fresh}
}

// drop removes a member with the comma that becomes superfluous.
func (f *File) drop(object *hujson.Object, key string) []splice {
	for i := range object.Members {
		if literal(object.Members[i].Name) != key {
			continue
		}
		name, value := f.span(&object.Members[i].Name), f.span(&object.Members[i].Value)
		switch {
		case i > 0:
			return []splice{{span{f.span(&object.Members[i-1].Value).to, value.to}, ""}}
		case len(object.Members) > 1:
			return []splice{{span{name.from, f.span(&object.Members[1].Name).from}, ""}}
		}
		return []splice{{span{name.from, f.behindComma(&object.Members[0].Value)}, ""}}
	}
	return nil
}

// behindComma is the end of a last value including a trailing comma.
func (f *File) behindComma(v *hujson.Value) int {
	end := f.span(v).to
	if at := end + len(v.AfterExtra); at < len(f.raw) && f.raw[at] == ',' {
		return at + 1
	}
	return end
}

// indent is the white space at the start of the line with this offset.
func (f *File) indent(at int) string {
	line := string(f.raw[:at])
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// step is one level of the file's indentation.
func (f *File) step() string {
	if root, ok := f.root.Value.(*hujson.Object); ok && len(root.Members) > 0 {
		lead := string(root.Members[0].Name.BeforeExtra)
		if step := lead[strings.LastIndexByte(lead, '\n')+1:]; blank(lead) && step != "" {
			return step
		}
	}
	return "  "
}

// splice replaces one span of the file with text.
type splice struct {
	at   span
	text string
}

// apply makes all splices at once; they must not overlap.
func apply(raw []byte, splices []splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return a.at.from - b.at.from })
	var out bytes.Buffer
	last := 0
	for _, s := range splices {
		out.Write(raw[last:s.at.from])
		out.WriteString(s.text)
		last = s.at.to
	}
	out.Write(raw[last:])
	return out.Bytes()
}

// quote spells a JSON text.
func quote(s string) string { return string(hujson.String(s)) }

// blank reports whether text is only white space, which can be copied or removed without touching a comment.
func blank(text string) bool { return strings.Trim(text, " \t\r\n") == "" }
