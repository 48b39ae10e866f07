package clientconfig

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// Entry is one server of a client's file, as the client reads it. An entry with Odd set cannot be wrapped; its other fields hold what could
// be read.
type Entry struct {
	Name     string // told apart from all others of the file
	Project  string // the folder that it is for, "" for all
	Path     string // of another file that has it, "" for this one
	Called   string // its name in the file, if it is for one folder; else that is Name
	Command  string
	Args     []string
	HasArgs  bool     // the entry has args, perhaps empty
	URL      string   // of a remote server; then there is no command
	EnvNames []string // in file order; the values stay in the file
	Odd      string   // why the entry can't be read or wrapped, in our words; usually ""
	Alone    bool     // Odd only because the client marks it, so there is nothing to fix

	raw           string        // the entry's whole value
	command, args *hujson.Value // command is nil if vector is set
	vector        *hujson.Value // the command and its first arguments as one list
	keys          struct{ command, args *hujson.Value }
	sound         bool   // nothing but the client's mark makes it Odd
	inline        bool   // the members are between braces
	leading       string // white space for a member inserted after the command
	env           *hujson.Object
	whole         *hujson.Value
	object        *hujson.Object
	shape         *shape

	address Address // if there is a URL
	left    string  // why it can't be guarded, "" if it can
	clear   bool    // it sends everything as it is to another computer
}

// String never shows arguments or a whole URL: they may contain secrets.
func (e Entry) String() string {
	switch {
	case e.Odd != "":
		return fmt.Sprintf("entry %q (%s)", e.Name, e.Odd)
	case e.URL != "":
		return fmt.Sprintf("entry %q (remote)", e.Name)
	}
	return fmt.Sprintf("entry %q (a command and %d arguments)", e.Name, len(e.Args))
}

func (e Entry) GoString() string { return e.String() }

func (e Entry) Argv() []string { return append([]string{e.Command}, e.Args...) }

// Server is the name of the server in the file.
func (e Entry) Server() string {
	if e.Project != "" {
		return e.Called
	}
	return e.Name
}

// unmarked is the entry as if its client didn't mark it: a wrapper in an entry that was switched off since can still be removed.
func (e Entry) unmarked() Entry {
	if e.sound {
		e.Odd, e.Alone = "", false
	}
	return e
}

// reader reads one entry and notes what is odd about it.
type reader struct {
	f   *File
	s   *shape
	e   *Entry
	odd []string
}

func (r *reader) say(format string, args ...any) { r.odd = append(r.odd, fmt.Sprintf(format, args...)) }

func (f *File) entry(name string, v *hujson.Value) Entry {
	e := Entry{Name: name, raw: f.text(v), whole: v}
	object, ok := v.Value.(*hujson.Object)
	if why := f.odd[v]; !ok && why != "" {
		e.Odd = "the entry " + why
		return e
	}
	if !ok {
		e.Odd = "the entry is " + kindOf(*v) + ", not an object"
		return e
	}
	r := &reader{f: f, s: f.Format.spelling(), e: &e}
	e.object, e.shape = object, r.s
	kind := r.members(v, object)
	for _, key := range r.s.addresses() {
		if m := member(object, key); m != nil && e.URL == "" {
			e.URL = literal(m.Value)
		}
	}
	starts := e.command != nil || e.vector != nil
	switch {
	case starts && e.URL != "":
		r.say("it has a command and a URL, so Sallyport can't tell what the client starts")
	case starts && kind != "" && !has(r.s.local, kind):
		r.say("it has a command and a %s other than %s, so Sallyport can't tell what the client starts", r.s.kind, strings.ReplaceAll(r.s.local, " ", " or "))
	case starts && kind == "" && r.s.needed:
		r.say("it has no %s, so Sallyport can't tell what the client starts", r.s.kind)
	case !starts && e.URL == "":
		r.say("it has no command")
	}
	if !starts && e.URL != "" {
		f.remote(&e, kind)
	}
	if stranger := r.s.stranger(object); starts && stranger != "" {
		r.say("its member %s changes how it is started, in a way that this version doesn't know", stranger)
	}
	// The operating system ends an argument at a NUL; half a surrogate pair has no form in UTF-8, so two different ones would become the
	// same command.
	for _, part := range append(e.Argv(), e.Name, e.URL) {
		if strings.ContainsAny(part, "\x00�") {
			r.say("its name, command or arguments have characters that can't be passed to a program")
			break
		}
	}
	why := f.beyond(v, &e)
	e.sound = len(r.odd) == 0 && why == ""
	if mark := r.s.marked(object); mark != "" {
		r.odd, e.Alone = []string{"the client marks it as " + mark + ", so Sallyport leaves it alone"}, true
	}
	if why != "" && !e.Alone {
		r.odd = []string{why}
	}
	if len(r.odd) > 0 {
		e.Odd = r.odd[0]
	}
	return e
}

// members reads the members of an object that contains a command, or may. It returns the kind of the entry.
func (r *reader) members(v *hujson.Value, object *hujson.Object) (kind string) {
	e, s := r.e, r.s
	e.inline = r.f.opens(v)
	for i := range object.Members {
		name, value := &object.Members[i].Name, &object.Members[i].Value
		switch key := literal(*name); {
		case key == s.command:
			e.keys.command, e.leading = name, leading(object, i)
			r.command(value)
		case key == s.args && s.args != "":
			if e.args != nil {
				r.say("it has arguments in two places, so Sallyport can't tell what the client starts")
			}
			e.args, e.keys.args, e.HasArgs = value, name, true
			list, ok := value.Value.(*hujson.Array)
			if !ok {
				r.say("its %s are %s, not a list", s.args, kindOf(*value))
				continue
			}
			e.Args = append(e.Args, r.words(list.Elements, 1)...)
		case key == s.env && s.env != "" && value.Value.Kind() != 'n': // null is none
			env, ok := value.Value.(*hujson.Object)
			if !ok {
				r.say("its %s is %s, not an object", s.env, kindOf(*value))
				continue
			}
			e.env = env
			for j := range env.Members {
				e.EnvNames = append(e.EnvNames, literal(env.Members[j].Name))
			}
		case key == s.kind && s.kind != "":
			kind = literal(*value)
		}
	}
	return kind
}

// words are the texts of a list; first is the number of its first one.
func (r *reader) words(list []hujson.ArrayElement, first int) (words []string) {
	for i := range list {
		if list[i].Value.Kind() != '"' {
			r.say("its argument %d is %s, not text", first+i, kindOf(list[i]))
		}
		words = append(words, literal(list[i]))
	}
	return words
}

func (r *reader) command(value *hujson.Value) {
	e := r.e
	switch v := value.Value.(type) {
	case *hujson.Array:
		if !has(r.s.commands, "list") {
			break
		}
		e.vector = value
		if len(v.Elements) == 0 || v.Elements[0].Value.Kind() != '"' || literal(v.Elements[0]) == "" {
			r.say("its command is a list that doesn't begin with a command")
			return
		}
		e.Command = literal(v.Elements[0])
		e.Args = append(r.words(v.Elements[1:], 1), e.Args...)
		return
	case *hujson.Object:
		if !has(r.s.commands, "object") {
			break
		}
		nested := &reader{f: r.f, s: &shape{command: "path", commands: "text", args: "args", env: "env", starts: r.s.starts}, e: e}
		nested.members(value, v)
		if stranger := nested.s.stranger(v); stranger != "" {
			nested.say("the member %s of its command changes how it is started, in a way that this version doesn't know", stranger)
		}
		r.odd = append(r.odd, nested.odd...)
		return
	}
	e.command = value
	e.Command = literal(*value)
	switch {
	case value.Value.Kind() != '"' || !has(r.s.commands, "text"):
		wanted := "text"
		if !has(r.s.commands, "text") {
			wanted = "a list"
		}
		r.say("its command is %s, not %s", kindOf(*value), wanted)
	case e.Command == "":
		r.say("its command is empty")
	case r.s.splits && strings.Trim(e.Command, unsplit) != "":
		r.say("its command is a line that the client splits into words; spell it as a list, or move its arguments to %s", r.s.args)
	}
}

// unsplit are the characters that a shell keeps in one word.
const unsplit = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

// leading is the white space for a member inserted after this one, copied from its neighbours.
func leading(object *hujson.Object, i int) string {
	own := string(object.Members[i].Name.BeforeExtra)
	switch {
	case i > 0 || strings.Contains(own, "\n"):
	case len(object.Members) > 1:
		own = string(object.Members[1].Name.BeforeExtra)
	case own == "":
		own = string(object.Members[i].Value.BeforeExtra)
	}
	if !blank(own) {
		return " "
	}
	return own
}

// Environ is the env of an entry as a client passes it to the server, NAME=VALUE in file order. It contains secrets, so it must go only to
// the server. Numbers and booleans are passed on as written.
func (e Entry) Environ() []string {
	if e.env == nil {
		return nil
	}
	env := make([]string, 0, len(e.env.Members))
	for i := range e.env.Members {
		value := e.env.Members[i].Value
		said := literal(value)
		if l, ok := value.Value.(hujson.Literal); ok && l.Kind() != '"' {
			said = string(l)
		}
		env = append(env, literal(e.env.Members[i].Name)+"="+said)
	}
	return env
}
