package clientconfig

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// An entry with an address is edited where it stands: the address becomes the command and its arguments, the names of its headers become
// names of variables, and their values stay as they are spelled. Each edit is a Piece, so that every one can be undone on its own.

// Piece is one edit of an entry.
type Piece struct {
	Part string `json:"part"` // which part of the entry
	Was  string `json:"was"`
	Now  string `json:"now"`
}

// pieces collects the edits of one entry.
type pieces struct {
	f      *File
	edits  []splice
	pieces []Piece
	kept   []Piece // of the record, when edits are undone
	failed bool
	// sameURL says that the record's address is still the one in the entry. Its text and key then count however the person changed the arguments,
	// which are in the same piece: an account added there has no place in the entry.
	sameURL bool
}

// put replaces a span. When edits are undone, the record's text is used if the file still has what was written.
func (p *pieces) put(part string, at span, text string) {
	if at.from > at.to || at.to > len(p.f.raw) {
		p.failed = true
		return
	}
	was := string(p.f.raw[at.from:at.to])
	for _, k := range p.kept {
		if k.Part == part && (k.Now == was || p.sameURL && (part == "key" || part == "address")) {
			text = k.Was
		}
	}
	p.edits = append(p.edits, splice{at, text})
	p.pieces = append(p.pieces, Piece{part, was, text})
}

// has reports whether an edit of this part was recorded.
func (p *pieces) has(part string) bool {
	return slices.ContainsFunc(p.kept, func(k Piece) bool { return k.Part == part })
}

// prefix is what a dotted key has in front of its last part.
func (f *File) prefix(name *hujson.Value) string {
	if f.Format.Language == TOML {
		return string(name.BeforeExtra)
	}
	return ""
}

// keySpan is the last part of a key.
func (f *File) keySpan(name *hujson.Value) span {
	at := f.span(name)
	at.from += len(f.prefix(name))
	return at
}

var bareKey = lazy(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// spellKey is a text as a key of the file's language.
func (f *File) spellKey(text string) string {
	if f.Format.Language != JSON && bareKey().MatchString(text) && !slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}, strings.ToLower(text)) {
		return text
	}
	return f.spell(text)
}

// joined is a member between braces.
func (f *File) joined(key, value string) string {
	if f.Format.Language == TOML {
		return f.spellKey(key) + " = " + value
	}
	return f.spellKey(key) + ": " + value
}

// braces is an object with one member.
func (f *File) braces(key, value string) string {
	if f.Format.Language == TOML {
		return "{ " + f.joined(key, value) + " }"
	}
	return "{" + f.joined(key, value) + "}"
}

// flow is the text of a value, for a place between braces.
func (f *File) flow(v *hujson.Value) string {
	text := f.text(v)
	if f.Format.Language == YAML && text[0] != '"' && text[0] != '\'' && !bare().MatchString(text) {
		return f.spell(literal(*v))
	}
	return text
}

// word spells a word of ours, such as the kind of an entry.
func (f *File) word(text string) string {
	if f.Format.Language == YAML {
		return text
	}
	return f.spell(text)
}

// wrapAddress are the edits that put a wrapper around a remote server, nil if this version can't make them, and the entry's record.
func (f *File) wrapAddress(e Entry, by Installation) ([]splice, Record) {
	s, a := f.Format.spelling(), e.address
	record := recordOf(e, by)
	record.URL, record.Flags = a.URL, a.Flags()
	p := &pieces{f: f}
	at := f.addressMember(e)
	headers, env := part(e.object, s.headers), part(e.object, s.env)
	words := func(texts []string) string { return "[" + strings.Join(f.spellAll(texts), ", ") + "]" }
	command, list := f.spell(by.Path), words(record.Written())
	if s.args == "" { // the command is one list
		command, list = words(append([]string{by.Path}, record.Written()...)), ""
	}
	hidden, fresh := "", "" // the address for the env, and the env if there is none yet
	if a.Source != "" {
		hidden = urlVariable
		if headers == nil && env == nil {
			fresh = f.braces(urlVariable, f.flow(&at.Value))
		}
	}
	if prefix := f.prefix(&at.Name); f.Format.Language == JSON {
		lead := leading(e.object, slices.IndexFunc(e.object.Members, func(m hujson.ObjectMember) bool { return literal(m.Name) == literal(at.Name) }))
		value := command
		if list != "" {
			value += "," + lead + quote(s.args) + ": " + list
		}
		if fresh != "" {
			value += "," + lead + quote(s.env) + ": " + fresh
		}
		p.put("key", f.span(&at.Name), quote(s.command))
		p.put("address", f.span(&at.Value), value)
	} else if e.inline {
		value := command
		if list != "" {
			value += ", " + prefix + f.joined(s.args, list)
		}
		if fresh != "" {
			value += ", " + prefix + f.joined(s.env, fresh)
		}
		p.put("key", f.keySpan(&at.Name), f.spellKey(s.command))
		p.put("address", f.span(&at.Value), value)
	} else {
		line := f.newLine(f.span(&at.Name).from)
		lines := ""
		if fresh != "" {
			lines = prefix + f.joined(s.env, fresh) + line
		}
		if list != "" {
			lines += prefix + f.joined(s.args, list) + line
		}
		p.put("key", f.span(&at.Name), lines+prefix+f.spellKey(s.command))
		p.put("address", f.span(&at.Value), command)
	}
	if kind := part(e.object, s.kind); kind != nil {
		local, _, _ := strings.Cut(s.local, " ")
		p.put("kind", f.span(&kind.Value), f.word(local))
	}
	p.moveHeaders(e, headers, env, hidden, at)
	p.moveVariables(e)
	if p.failed {
		return nil, record
	}
	record.Pieces = p.pieces
	return p.edits, record
}

// moveHeaders makes variables of headers. hidden is the name of a variable for the address, "" for none.
func (p *pieces) moveHeaders(e Entry, headers, env *hujson.ObjectMember, hidden string, address *hujson.ObjectMember) {
	f, s := p.f, p.f.Format.spelling()
	into := env
	if headers != nil {
		into = headers
		p.put("headers", f.keySpan(&headers.Name), f.spellKey(s.env))
		if env != nil { // it is empty
			p.put("env", f.keySpan(&env.Name), f.spellKey(s.headers))
		}
	}
	if into == nil {
		return
	}
	object := into.Value.Value.(*hujson.Object)
	if len(object.Members) == 0 {
		if hidden != "" {
			if !f.opens(&into.Value) {
				p.failed = true
				return
			}
			p.put("variables", f.span(&into.Value), f.braces(hidden, f.flow(&address.Value)))
		}
		return
	}
	for i := range object.Members {
		name := &object.Members[i].Name
		key := f.spellKey(headerVariable + strconv.Itoa(i+1))
		if i > 0 || hidden == "" {
			p.put(key, f.keySpan(name), key)
			continue
		}
		prefix := f.prefix(name)
		switch {
		case f.Format.Language == JSON:
			key = f.joined(hidden, f.text(&address.Value)) + "," + leading(object, 0) + key
		case f.opens(&into.Value):
			key = prefix + f.joined(hidden, f.flow(&address.Value)) + ", " + prefix + key
		default:
			key = prefix + f.joined(hidden, f.text(&address.Value)) + f.newLine(f.span(name).from) + prefix + key
		}
		p.put("first", f.span(name), key)
	}
}

// moveVariables has the client pass on the variables that hold values of headers.
func (p *pieces) moveVariables(e Entry) {
	f, s := p.f, p.f.Format.spelling()
	for _, key := range []string{s.bearer, s.variables} {
		m := part(e.object, key)
		if m == nil {
			continue
		}
		var names []string
		for _, h := range e.address.Headers {
			if h.From != "" && !slices.Contains(names, h.Key) {
				names = append(names, h.Key)
			}
		}
		p.put("variables of "+key, f.keySpan(&m.Name), f.spellKey(s.passes))
		p.put("names of "+key, f.span(&m.Value), "["+strings.Join(f.spellAll(names), ", ")+"]")
	}
}

// addressMember is the member with the address.
func (f *File) addressMember(e Entry) *hujson.ObjectMember {
	for _, key := range f.Format.spelling().addresses() {
		if m := part(e.object, key); m != nil && m.Value.Value.Kind() == '"' {
			return m
		}
	}
	return nil
}

// noPlace says why the address behind a wrapper can't be an entry of its own again, "" if it can.
func (f *File) noPlace(e Entry, a Address) string {
	s := f.Format.spelling()
	switch {
	case s.headers == "":
		return "the client's file takes no address; delete the entry if you no longer want it"
	case a.URL == "" || (e.command == nil || e.args == nil) && (e.vector == nil || e.args != nil):
		return "its address is nowhere in the file"
	case a.Source != "" && a.Source != "env:"+urlVariable:
		return "its address is in a variable of your own"
	}
	if key, _ := s.names(part(e.object, s.kind) != nil, a.Transport); key == "" {
		return "the client's file can't say that it is reached by the transport " + a.Transport
	}
	for _, name := range e.EnvNames {
		if !movedVariable(name) {
			return "its env has the variable " + name + ", for which an entry with an address has no place; take it out first"
		}
	}
	for _, h := range a.Headers {
		bearer := s.bearer != "" && h.From == "env" && h.Word == "Bearer" && h.Name == "Authorization"
		if h.From != "" && !bearer && (s.variables == "" || h.From != "env" || h.Word != "") {
			return "its header " + h.Name + " can't be named in the client's file; delete the entry if you no longer want it"
		}
	}
	return ""
}

// unwrapAddress are the edits that take a wrapper away from around a remote server, nil if this version can't make them.
func (f *File) unwrapAddress(e Entry, a Address, record *Record, sameURL bool) []splice {
	if f.noPlace(e, a) != "" {
		return nil
	}
	s := f.Format.spelling()
	p := &pieces{f: f, sameURL: sameURL}
	if record != nil {
		p.kept = record.Pieces
	}
	kind, env, headers := part(e.object, s.kind), part(e.object, s.env), part(e.object, s.headers)
	key, as := s.names(kind != nil, a.Transport)
	if kind != nil {
		p.put("kind", f.span(&kind.Value), f.word(as))
	}
	value := f.spell(a.URL)
	var only bool // the env is there for the address alone
	if a.Source != "" {
		variable := part(e.env, urlVariable)
		if variable == nil {
			return nil
		}
		value = f.text(&variable.Value)
		only = len(e.env.Members) == 1 && !p.has("headers") && !p.has("variables")
	}
	p.address(e, key, value, only, env)
	if env != nil && !only {
		p.headersAgain(e, a, env, headers)
	}
	p.variablesAgain(e, a)
	if p.failed {
		return nil
	}
	return p.edits
}

// address puts the address where the command is.
func (p *pieces) address(e Entry, key, value string, only bool, env *hujson.ObjectMember) {
	f, s := p.f, p.f.Format.spelling()
	at := func(name string) int {
		return slices.IndexFunc(e.object.Members, func(m hujson.ObjectMember) bool { return literal(m.Name) == name })
	}
	members := e.object.Members
	command, args, variables := at(s.command), at(s.args), at(s.env)
	name, place := &members[command].Name, f.span(&members[command].Value)
	switch {
	case f.Format.Language == JSON || e.inline || e.vector != nil:
		if e.vector != nil {
			args = command // they are in it
		}
		switch {
		case e.vector == nil && args != command+1:
			p.edits = append(p.edits, f.drop(e.object, s.args)...)
			if only {
				p.edits = append(p.edits, f.drop(e.object, s.env)...)
			}
		case only && variables == args+1:
			place.to = f.span(&env.Value).to
		default:
			place.to = f.span(&members[args].Value).to
			if only {
				p.edits = append(p.edits, f.drop(e.object, s.env)...)
			}
		}
		p.put("key", f.keySpan(name), f.spellKey(key))
	default:
		whole := f.span(name)
		prefix := f.prefix(name)
		switch {
		case args == command-1 && blank(string(f.raw[f.span(&members[args].Value).to:whole.from])):
			whole.from = f.span(&members[args].Name).from
			if only && variables == args-1 && blank(string(f.raw[f.span(&env.Value).to:whole.from])) {
				whole.from = f.span(&env.Name).from
			} else if only {
				p.edits = append(p.edits, f.drop(e.object, s.env)...)
			}
			p.put("key", whole, prefix+f.spellKey(key))
		default:
			p.edits = append(p.edits, f.drop(e.object, s.args)...)
			if only {
				p.edits = append(p.edits, f.drop(e.object, s.env)...)
			}
			p.put("key", f.keySpan(name), f.spellKey(key))
		}
	}
	p.put("address", place, value)
}

// headersAgain makes headers of variables.
func (p *pieces) headersAgain(e Entry, a Address, env, headers *hujson.ObjectMember) {
	f, s := p.f, p.f.Format.spelling()
	names := map[string]string{}
	n := 0
	for _, h := range a.Headers {
		if h.From == "" {
			n++
			names[headerVariable+strconv.Itoa(n)] = h.Name
		}
	}
	if n == 0 && !p.has("headers") && !p.has("variables") {
		return // it was there before
	}
	if n > 0 || p.has("headers") {
		p.put("headers", f.keySpan(&env.Name), f.spellKey(s.headers))
		if headers != nil {
			p.put("env", f.keySpan(&headers.Name), f.spellKey(s.env))
		}
	}
	members := e.env.Members
	if n == 0 && len(members) == 1 {
		p.put("variables", f.span(&env.Value), "{}")
		return
	}
	for i := range members {
		name := literal(members[i].Name)
		to, known := names[name]
		switch {
		case name == urlVariable && i == 0 && len(members) > 1 && names[literal(members[1].Name)] != "":
			whole := span{f.span(&members[0].Name).from, f.span(&members[1].Name).to}
			p.put("first", whole, f.prefix(&members[1].Name)+f.spellKey(names[literal(members[1].Name)]))
		case name == urlVariable:
			p.edits = append(p.edits, f.drop(e.env, urlVariable)...)
		case !known:
			p.failed = true // a variable that no header names
		case i == 1 && literal(members[0].Name) == urlVariable: // done with the first
		default:
			p.put(f.spellKey(name), f.keySpan(&members[i].Name), f.spellKey(to))
		}
	}
}

// variablesAgain names the variables that hold values of headers as the client names them for an address.
func (p *pieces) variablesAgain(e Entry, a Address) {
	f, s := p.f, p.f.Format.spelling()
	var others []Header
	for _, h := range a.Headers {
		if h.From != "" {
			others = append(others, h)
		}
	}
	if len(others) == 0 {
		return
	}
	passes := part(e.object, s.passes)
	if passes == nil {
		p.failed = true
		return
	}
	key, value := s.variables, ""
	if others[0].Word != "" {
		key, value = s.bearer, f.spell(others[0].Key)
		p.failed = p.failed || len(others) > 1
	} else {
		var members []string
		for _, h := range others {
			p.failed = p.failed || h.Word != ""
			members = append(members, f.joined(h.Name, f.spell(h.Key)))
		}
		value = "{ " + strings.Join(members, ", ") + " }"
	}
	p.put("variables of "+key, f.keySpan(&passes.Name), f.spellKey(key))
	p.put("names of "+key, f.span(&passes.Value), value)
}
