package clientconfig

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// How edits are spelled in each language. In all of them a text between double quotes is spelled as in JSON, and a list between brackets.

// spell is a text as a value of the file's language.
func (f *File) spell(text string) string {
	quoted := quote(text)
	if f.Format.Language == JSON {
		return quoted
	}
	var out strings.Builder
	for _, r := range quoted { // neither TOML nor YAML takes all of these as they are
		if r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func (f *File) spellAll(texts []string) []string {
	spelled := make([]string, len(texts))
	for i, text := range texts {
		spelled[i] = f.spell(text)
	}
	return spelled
}

// opens reports whether a value begins with a brace, so that its members are between braces.
func (f *File) opens(v *hujson.Value) bool {
	at := f.span(v).from
	return at < len(f.raw) && f.raw[at] == '{'
}

// beyond says why an entry's values can't be edited where they are, "" if they can.
func (f *File) beyond(v *hujson.Value, e *Entry) string {
	if f.odd[v] != "" {
		return "the entry " + f.odd[v]
	}
	for _, list := range []*hujson.Value{e.args, e.vector} {
		if list == nil {
			continue
		}
		if array, ok := list.Value.(*hujson.Array); ok {
			if _, ok := f.between(list); len(array.Elements) > 0 && !ok {
				return "its list of arguments is laid out in a way that this version can't edit"
			}
			for i := range array.Elements {
				if why := f.odd[&array.Elements[i]]; why != "" {
					return "one of its arguments " + why
				}
			}
		}
		if f.odd[list] != "" {
			return "its list of arguments " + f.odd[list]
		}
	}
	if why := f.odd[e.command]; why != "" && e.command != nil {
		return "its command " + why
	}
	return ""
}

// between is the text between two elements of a list as the list has it, for new elements in front of the first one; false if it can't be
// told.
func (f *File) between(list *hujson.Value) (text string, ok bool) {
	elements := list.Value.(*hujson.Array).Elements
	if len(elements) == 0 {
		return ", ", true
	}
	from, first := f.span(list).from, f.span(&elements[0]).from
	if f.dashed(list) {
		start := strings.LastIndexByte(string(f.raw[:first]), '\n') + 1
		dash := string(f.raw[start:first])
		indent, blanks, ok := strings.Cut(dash, "-")
		ok = ok && strings.Trim(indent, " ") == "" && blanks != "" && strings.Trim(blanks, " ") == ""
		return strings.TrimSuffix(f.newLine(start), " ") + dash, ok
	}
	lead := string(f.raw[from+1 : first])
	switch {
	case blank(lead) && strings.Contains(lead, "\n"):
		return "," + lead, true
	case len(elements) > 1 && string(f.raw[f.span(&elements[0]).to:f.span(&elements[1]).from]) == ",":
		return ",", true
	}
	return ", ", true
}

// dashed reports whether a list has a line with a dash for each element.
func (f *File) dashed(list *hujson.Value) bool {
	return f.Format.Language == YAML && f.raw[f.span(list).from] == '-'
}

// bare are the texts that need no quotes between the brackets of YAML.
var bare = lazy(`^[A-Za-z0-9_./][A-Za-z0-9_./@=+-]*$`)

// moved is the text of a command as an element of a list, nil for a new one between brackets.
func (f *File) moved(e Entry, list *hujson.Value) string {
	text := f.text(e.command)
	if f.Format.Language == YAML && (list == nil || !f.dashed(list)) && text[0] != '"' && text[0] != '\'' && !bare().MatchString(text) {
		return f.spell(e.Command)
	}
	return text
}

// added are arguments for an entry that has none. The blank after the bracket distinguishes them from a list that was empty.
func added(words []string) string { return "[ " + strings.Join(words, ", ") + " ]" }

// addArgs gives an entry arguments. Between braces they come behind the command, else on a line of their own in front of it: behind it,
// there may be a comment.
func (f *File) addArgs(e Entry, words []string) splice {
	switch {
	case f.Format.Language == JSON:
		at := f.span(e.command).to
		return splice{span{at, at}, "," + e.leading + noArgs(words)}
	case e.inline:
		at := f.span(e.command).to
		return splice{span{at, at}, ", " + f.argsKey(e) + added(words)}
	}
	at := f.span(e.keys.command).from
	return splice{span{at, at}, f.argsKey(e) + added(words) + f.newLine(at)}
}

// argsKey is the key of the arguments beside that of the command, with what comes before the value.
func (f *File) argsKey(e Entry) string {
	key := string(e.keys.command.BeforeExtra) + f.Format.spelling().args
	if f.Format.Language == TOML {
		return key + " = "
	}
	return key + ": "
}

// newLine ends a line and begins the next one at the same column as the one with this offset.
func (f *File) newLine(at int) string {
	start := strings.LastIndexByte(string(f.raw[:at]), '\n') + 1
	end := "\n"
	if next := strings.IndexByte(string(f.raw[at:]), '\n'); next > 0 && f.raw[at+next-1] == '\r' {
		end = "\r\n"
	}
	indent := strings.TrimPrefix(string(f.raw[start:at]), "\ufeff")
	return end + strings.Map(func(r rune) rune { // - of a list in front of the first key
		if r == '\t' {
			return r
		}
		return ' '
	}, indent)
}

// dropArgs removes arguments that addArgs gave an entry, false if they aren't where it puts them. words are their elements as the file has
// them.
func (f *File) dropArgs(e Entry, words []string) (splice, bool) {
	command, args := f.span(e.command), f.span(e.args)
	if e.inline {
		if command.to > args.from || string(f.raw[command.to:args.to]) != ", "+f.argsKey(e)+added(words) {
			return splice{}, false
		}
		return splice{span{command.to, args.to}, ""}, true
	}
	key, next := f.span(e.keys.args).from, f.span(e.keys.command).from
	if key > next || string(f.raw[key:next]) != f.argsKey(e)+added(words)+f.newLine(next) {
		return splice{}, false
	}
	return splice{span{key, next}, ""}, true
}
