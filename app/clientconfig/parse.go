package clientconfig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/sallyport/sallyport/app/markup"
)

// Format is how one client writes its file. The zero value is Claude Desktop's: strict JSON, servers under mcpServers.
type Format struct {
	Language Language
	Comments bool   // of JSON: the client reads comments and trailing commas
	Key      string // the member that contains the servers; default mcpServers
	Projects bool   // there are also servers under projects, for one folder each
	Busy     bool   // the client writes the file while it runs, from what it read before

	shape *shape // of an entry; nil for Claude Desktop's
}

// Language is the language of a file.
type Language string

const (
	JSON Language = ""
	TOML Language = "TOML"
	YAML Language = "YAML"
)

func (f Format) key() string {
	return cmp.Or(f.Key, "mcpServers")
}

func (f Format) spelling() *shape {
	if f.shape == nil {
		return &plainShape
	}
	return f.shape
}

const (
	maxFile  = 32 << 20 // bytes; one client keeps its whole history in the same file
	maxDepth = 200      // nesting: the parser recurses, and no client's file comes close

	// Of TOML and YAML, whose parsers recurse too: such a file is settings and nothing else.
	maxMarkup   = 1 << 20
	maxBrackets = 10_000
)

// ErrNotJSON is wrapped by every error about a file whose text is invalid or ambiguous, in any language; SyntaxError has the place.
var ErrNotJSON = errors.New("not valid JSON")

// SyntaxError says where a file becomes unreadable. Line and Column count from 1, Column in characters.
type SyntaxError struct {
	Line, Column int
	Problem      string // in our words; quotes at most a key's name from the file, never a value
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

func (e *SyntaxError) Unwrap() error { return ErrNotJSON }

// File is a client's file as it was read.
type File struct {
	Entries    []Entry // in the order of the file
	HasServers bool    // the file has mcpServers, perhaps empty
	Format     Format

	Shared []Entry  // of folders that share servers, once Share read them; each under the name that its copy in this file has
	Unread []string // files with shared servers that can't be read

	raw     []byte
	shift   int // length of a byte order mark: the parser's offsets start after it
	root    hujson.Value
	servers *hujson.Value // nil if HasServers is false
	odd     map[*hujson.Value]string
}

// Raw is the parsed text. It must not be changed.
func (f *File) Raw() []byte { return f.raw }

func (f *File) Entry(name string) (Entry, bool) {
	for _, e := range f.Entries {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

func (f *File) String() string { return fmt.Sprintf("client file with %d entries", len(f.Entries)) }

func (f *File) GoString() string { return f.String() }

type span struct{ from, to int }

func (f *File) span(v *hujson.Value) span {
	return span{v.StartOffset + f.shift, v.EndOffset + f.shift}
}

func (f *File) text(v *hujson.Value) string {
	s := f.span(v)
	return string(f.raw[s.from:s.to])
}

// Parse reads a client's file. It lists every entry under mcpServers, odd ones too. An error is a *SyntaxError, or says that the file is
// too large; then use and write nothing of the file.
func Parse(raw []byte, format Format) (*File, error) {
	if len(raw) > maxFile {
		return nil, fmt.Errorf("the file has more than %d MiB", maxFile>>20)
	}
	f := &File{Format: format, raw: raw}
	if bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) {
		f.shift = 3
	}
	body := raw[f.shift:]
	if err := f.readable(body); err != nil {
		return nil, err
	}
	if err := f.tree(body); err != nil {
		return nil, err
	}
	if err := f.uniqueKeys(&f.root); err != nil {
		return nil, err
	}
	object, ok := f.root.Value.(*hujson.Object)
	if !ok {
		return nil, f.problem(f.root.StartOffset, "the file is not a "+cmp.Or(string(f.Format.Language), "JSON")+" object")
	}
	if m := member(object, format.key()); m != nil {
		if why := cmp.Or(f.odd[&f.root], f.odd[&m.Value]); why != "" && format.Language == YAML {
			// Entries could come from elsewhere, or go elsewhere.
			return nil, f.problem(m.Value.StartOffset, format.key()+" "+why)
		}
		if err := f.list(&m.Value); err != nil {
			return nil, err
		}
	}
	if format.Projects {
		f.projects(object)
	}
	return f, nil
}

// Rewritten is another text of the same file. What folders share is as it was read for this one.
func (f *File) Rewritten(raw []byte) (*File, error) {
	after, err := Parse(raw, f.Format)
	if err != nil {
		return nil, err
	}
	after.Shared, after.Unread = f.Shared, f.Unread
	return after, nil
}

// tree reads the text into a tree of values.
func (f *File) tree(body []byte) (err error) {
	if f.Format.Language == JSON {
		if f.root, err = hujson.Parse(body); err != nil {
			return f.parserError(body, err)
		}
		return nil
	}
	var text *markup.Text
	var wrong *markup.Error
	switch f.Format.Language {
	case TOML:
		text, err = markup.TOML(body)
	case YAML:
		text, err = markup.YAML(body)
	default:
		return f.problem(0, "a language that this version doesn't know")
	}
	if errors.As(err, &wrong) {
		return f.problem(wrong.Offset, wrong.Problem)
	}
	if err != nil {
		return f.problem(0, "not valid "+string(f.Format.Language))
	}
	f.root, f.odd = text.Root, text.Odd
	return nil
}

// list reads the servers of a file.
func (f *File) list(v *hujson.Value) error {
	if f.Format.spelling().name != "" {
		return f.named(v)
	}
	servers, ok := v.Value.(*hujson.Object)
	if !ok {
		return f.problem(v.StartOffset, f.Format.key()+" is "+kindOf(*v)+", not an object")
	}
	s := f.Format.spelling()
	if inner := member(servers, s.inner); s.inner != "" && inner != nil {
		if within, ok := inner.Value.Value.(*hujson.Object); ok && member(within, s.kind) == nil && member(within, s.command) == nil {
			for i := range servers.Members {
				if entry, ok := servers.Members[i].Value.Value.(*hujson.Object); ok && member(entry, s.kind) != nil {
					return f.problem(servers.Members[i].Name.StartOffset, f.Format.key()+" has servers in two places, a shape of the file that this version doesn't know")
				}
			}
			v, servers = &inner.Value, within
		}
	}
	f.HasServers, f.servers = true, v
	for j := range servers.Members {
		f.Entries = append(f.Entries, f.entry(literal(servers.Members[j].Name), &servers.Members[j].Value))
	}
	return nil
}

// named reads servers that are a list, each with its name in it.
func (f *File) named(v *hujson.Value) error {
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return f.problem(v.StartOffset, f.Format.key()+" is "+kindOf(*v)+", not a list")
	}
	f.HasServers, f.servers = true, v
	times := map[string]int{}
	for i := range list.Elements {
		object, _ := list.Elements[i].Value.(*hujson.Object)
		name := ""
		if m := member(object, f.Format.spelling().name); m != nil {
			name = literal(m.Value)
		}
		times[name]++
		f.Entries = append(f.Entries, f.entry(name, &list.Elements[i]))
	}
	for i := range f.Entries {
		switch e := &f.Entries[i]; {
		case e.Name == "":
			e.Odd = "it has no name"
		case times[e.Name] > 1:
			e.Odd = "another entry has the same name"
		}
	}
	return nil
}

// projects lists the servers for single folders, each named with its folder.
func (f *File) projects(root *hujson.Object) {
	all := member(root, "projects")
	if all == nil {
		return
	}
	names := map[string]bool{}
	for _, e := range f.Entries {
		names[e.Name] = true
	}
	folders, _ := all.Value.Value.(*hujson.Object)
	for i := range membersOf(folders) {
		folder, _ := folders.Members[i].Value.Value.(*hujson.Object)
		m := member(folder, f.Format.key())
		if m == nil {
			continue
		}
		servers, _ := m.Value.Value.(*hujson.Object)
		for j := range membersOf(servers) {
			e := f.entry(literal(servers.Members[j].Name), &servers.Members[j].Value)
			e.Project, e.Called = literal(folders.Members[i].Name), e.Name
			e.Name += " (" + e.Project + ")"
			for names[e.Name] { // somebody gave another one this name
				e.Name += "*"
			}
			names[e.Name] = true
			f.Entries = append(f.Entries, e)
		}
	}
}

// readable checks what the parser doesn't: invalid UTF-8, nesting that would exhaust the stack, and for a client without comments
// everything that the standard library's parser refuses.
func (f *File) readable(body []byte) error {
	if bytes.HasPrefix(f.raw, []byte("\xff\xfe")) || bytes.HasPrefix(f.raw, []byte("\xfe\xff")) {
		return &SyntaxError{1, 1, "the file is UTF-16; save it as UTF-8"}
	}
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			return f.problem(i, "a byte that is not UTF-8")
		}
		i += size
	}
	if f.Format.Language != JSON {
		return f.modest(body)
	}
	if at := tooDeep(body); at >= 0 {
		return f.problem(at, fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	if f.Format.Comments {
		return nil
	}
	var any json.RawMessage
	err := json.Unmarshal(body, &any)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		at := int(syntax.Offset) - 1
		if strings.Contains(syntax.Error(), "unexpected end") {
			return f.problem(len(body), "the file ends too early")
		}
		return f.problem(max(at, 0), describe(body, at))
	default:
		return f.problem(0, "not valid JSON")
	}
}

// modest refuses a text of a language other than JSON that could exhaust its parser.
func (f *File) modest(body []byte) error {
	if len(body) > maxMarkup {
		return fmt.Errorf("the file has more than %d MiB", maxMarkup>>20)
	}
	brackets := 0
	for i, c := range body {
		if c == '[' || c == '{' {
			if brackets++; brackets > maxBrackets {
				return f.problem(i, fmt.Sprintf("more than %d brackets", maxBrackets))
			}
		}
	}
	at := 0
	for line := range bytes.Lines(body) { // - - - - and a.a.a.a are nested too
		if bytes.Count(line, []byte("- ")) > maxDepth || bytes.Count(line, []byte("? ")) > maxDepth || bytes.Count(line, []byte(".")) > maxDepth {
			return f.problem(at, fmt.Sprintf("a line that may be nested more than %d deep", maxDepth))
		}
		at += len(line)
	}
	return nil
}

// describe names the character at a syntax error, but quotes only punctuation: it may be part of a secret.
func describe(body []byte, at int) string {
	if at < 0 || at >= len(body) {
		return "the file ends too early"
	}
	switch c := body[at]; {
	case c == '/' || c == '#':
		return "a comment, which this client can't read"
	case strings.IndexByte("{}[]:,\"'", c) >= 0:
		return fmt.Sprintf("unexpected %c", c)
	case c < 0x20:
		return "a line break or control character inside a text, or the text ends too early"
	default:
		return "unexpected character"
	}
}

// parserError keeps the place of the parser's error but not its words, which may quote a value.
func (f *File) parserError(body []byte, err error) error {
	line, column := 1, 1
	if _, scan := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scan != nil {
		return f.problem(0, "not valid JSON")
	}
	at := 0
	for range line - 1 {
		at += bytes.IndexByte(body[at:], '\n') + 1
	}
	at = min(at+column-1, len(body))
	if at == len(body) {
		return f.problem(at, "the file ends too early")
	}
	return f.problem(at, describe(body, at))
}

// problem makes an error for an offset counted after the byte order mark.
func (f *File) problem(at int, what string) error {
	before := f.raw[f.shift : f.shift+at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return &SyntaxError{Line: 1 + bytes.Count(before, []byte("\n")), Column: 1 + utf8.RuneCount(before[start:]), Problem: what}
}

// uniqueKeys refuses duplicate keys in one object, at any depth: parsers differ in which of the two counts.
func (f *File) uniqueKeys(v *hujson.Value) error {
	switch v := v.Value.(type) {
	case *hujson.Object:
		seen := make(map[string]bool, len(v.Members))
		for i := range v.Members {
			name := literal(v.Members[i].Name)
			if seen[name] {
				return f.problem(v.Members[i].Name.StartOffset, fmt.Sprintf("the key %.60q appears twice", name))
			}
			seen[name] = true
			if err := f.uniqueKeys(&v.Members[i].Value); err != nil {
				return err
			}
		}
	case *hujson.Array:
		for i := range v.Elements {
			if err := f.uniqueKeys(&v.Elements[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// tooDeep is the offset of the first bracket below maxDepth, or -1. It also counts brackets in comments, which errs towards refusing.
func tooDeep(body []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return i
			}
		case c == '}' || c == ']':
			depth = max(depth-1, 0)
		}
	}
	return -1
}
