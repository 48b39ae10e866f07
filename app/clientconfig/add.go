package clientconfig

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Fresh is an entry that a person wants in a client's file: a command, or an address.
type Fresh struct {
	Argv    []string
	Env     []string // of a command, NAME=VALUE: for the file alone
	Address *Address // its headers name where their values are
}

func (n Fresh) String() string   { return "new entry" }
func (n Fresh) GoString() string { return n.String() }

// ErrExists: an entry has this name.
var ErrExists = errors.New("an entry has this name already; take another one, or protect that entry")

// Add puts a new entry into a file, wrapped from the start. Everything else stays byte for byte.
func Add(f *File, name string, fresh Fresh, by Installation, records []Record) (Result, error) {
	if !utf8.ValidString(name) || name == "" || strings.IndexFunc(name, func(c rune) bool { return !unicode.IsPrint(c) || c == utf8.RuneError }) >= 0 {
		return Result{}, errors.New("the name of an entry must be text that can be shown")
	}
	if _, there := f.Entry(name); there {
		return Result{}, ErrExists
	}
	if fresh.Address != nil && inTheClear(fresh.Address.URL) && !by.Plaintext {
		return Result{}, errors.New("the address is on another computer, and http:// sends everything in the clear; use https://, or allow it with the setting remote.plaintext")
	}
	if fresh.Address != nil && eatsDashes(by.Client) {
		return Result{}, errors.New("this client takes the flags of an entry for its own, so that it can't start a wrapper around an address")
	}
	argv, env := fresh.Argv, fresh.Env
	var record Record
	if fresh.Address != nil {
		record = Record{Name: name, Client: by.Client, Wrapper: by.Path, URL: fresh.Address.URL, Flags: fresh.Address.Flags()}
		argv, env = append([]string{by.Path}, record.Written()...), fresh.Address.Environ()
	}
	after, err := withEntry(f, name, argv, env)
	if err != nil {
		return Result{}, err
	}
	if fresh.Address == nil {
		result, err := Wrap(after.raw, f.Format, []string{name}, by, records)
		if err == nil && result.Outcomes[0].Did != DidWrap {
			err = errors.New(result.Outcomes[0].Why)
		}
		return result, err
	}
	if e, _ := after.Entry(name); Classify(e, by, &record).Kind != Wrapped {
		return Result{}, errNoRoom
	}
	return Result{Raw: after.raw, Changed: true, Outcomes: []Outcome{{Name: name, Did: DidWrap}}, Records: []Record{record}}, nil
}

var errNoRoom = errors.New("the list of servers is laid out in a way that this version can't add to; add one entry in an editor, and protect it")

// withEntry is a file with one more entry.
func withEntry(f *File, name string, argv, env []string) (*File, error) {
	raw := placed(f, name, argv, env)
	if raw == nil {
		return nil, errNoRoom
	}
	after, err := Parse(raw, f.Format)
	if err != nil || len(after.Entries) != len(f.Entries)+1 {
		return nil, errNoRoom
	}
	e, there := after.Entry(name)
	if !there || !slices.Equal(e.Argv(), argv) || !slices.Equal(e.Environ(), env) {
		return nil, errNoRoom
	}
	if e.Odd != "" {
		return nil, errors.New(e.Odd)
	}
	others := slices.DeleteFunc(slices.Clone(after.Entries), func(e Entry) bool { return e.Name == name })
	if !slices.EqualFunc(others, f.Entries, func(a, b Entry) bool { return a.Name == b.Name && a.raw == b.raw }) {
		return nil, errNoRoom
	}
	if !same(&f.root, &after.root, map[*hujson.Value]bool{f.servers: true}, map[*hujson.Value]bool{after.servers: true}) {
		return nil, errNoRoom
	}
	return after, nil
}

// placed is the text of a file with one more entry, nil if there is no room.
func placed(f *File, name string, argv, env []string) []byte {
	s, text := f.Format.spelling(), string(f.raw)
	line := "\n"
	if strings.Contains(text, "\r\n") {
		line = "\r\n"
	}
	ended := text
	if text != "" && !strings.HasSuffix(text, "\n") {
		ended += line
	}
	members := membersOfNew(f, name, argv, env)
	switch {
	case f.Format.Language == TOML && s.name != "":
		return []byte(ended + line + "[[" + f.spellKey(f.Format.key()) + "]]" + line + strings.Join(members, line) + line)
	case f.Format.Language == TOML:
		return []byte(ended + line + "[" + f.spellKey(f.Format.key()) + "." + f.spellKey(name) + "]" + line + strings.Join(members, line) + line)
	case f.Format.Language == YAML && (!f.HasServers || !f.opens(f.servers) && f.raw[f.span(f.servers).from] != '['):
		return placedInBlock(f, name, members, ended, line)
	}
	inner := "{" + strings.Join(members, ", ") + "}"
	root := f.root.Value.(*hujson.Object)
	if !f.HasServers {
		return apply(f.raw, []splice{f.set(&f.root, root, f.Format.key(), "{"+quote(name)+": "+inner+"}")})
	}
	object, ok := f.servers.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	return apply(f.raw, []splice{f.set(f.servers, object, name, inner)})
}

// placedInBlock is placed for YAML without braces.
func placedInBlock(f *File, name string, members []string, ended, line string) []byte {
	indent, head := "  ", f.spellKey(name)+":"
	list := f.Format.spelling().name != ""
	lines := func() string {
		if list {
			return indent + "- " + strings.Join(members, line+indent+"  ") + line
		}
		return indent + head + line + indent + "  " + strings.Join(members, line+indent+"  ") + line
	}
	if !f.HasServers {
		return []byte(ended + f.Format.key() + ":" + line + lines())
	}
	first := f.span(f.servers).from
	if object, ok := f.servers.Value.(*hujson.Object); ok && len(object.Members) > 0 {
		first = f.span(&object.Members[0].Name).from
	}
	indent = f.indent(first)
	if indent != string(f.raw[strings.LastIndexByte(string(f.raw[:first]), '\n')+1:first]) {
		return nil
	}
	end := strings.IndexByte(ended[f.span(f.servers).to:], '\n')
	if end < 0 {
		return nil
	}
	end += f.span(f.servers).to + 1
	return []byte(ended[:end] + lines() + ended[end:])
}

// membersOfNew are the members of a new entry.
func membersOfNew(f *File, name string, argv, env []string) (members []string) {
	s := f.Format.spelling()
	add := func(key, value string) { members = append(members, f.joined(key, value)) }
	if s.name != "" {
		add(s.name, f.spell(name))
	}
	for _, p := range pairs(s.fresh) {
		if p[1] == "NAME" {
			p[1] = f.spell(name)
		}
		add(p[0], p[1])
	}
	if needs := s.address != "" && paired(s.address, s.addresses()[0]) == "" && s.headers != ""; s.needed || s.kind != "" && needs {
		local, _, _ := strings.Cut(s.local, " ")
		add(s.kind, f.word(local))
	}
	list := func(words []string) string { return "[" + strings.Join(f.spellAll(words), ", ") + "]" }
	if s.args == "" {
		add(s.command, list(argv))
	} else {
		add(s.command, f.spell(argv[0]))
		add(s.args, list(argv[1:]))
	}
	if len(env) > 0 {
		var vars []string
		for _, variable := range env {
			key, value, _ := strings.Cut(variable, "=")
			vars = append(vars, f.joined(key, f.spell(value)))
		}
		add(s.env, fmt.Sprintf("{%s}", strings.Join(vars, ", ")))
	}
	return members
}
