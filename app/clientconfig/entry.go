package clientconfig

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// Entry is one server of a client's file, as the client reads it. An entry with Odd set cannot be wrapped; its other fields hold what could
// be read.
type Entry struct {
	Name     string
	Command  string
	Args     []string
	HasArgs  bool     // the entry has args, perhaps empty
	URL      string   // of a remote server; then there is no command
	EnvNames []string // in file order; the values stay in the file
	Odd      string   // why the entry can't be read or wrapped, in our words; usually ""

	raw           string // the entry's whole value
	command, args *hujson.Value
	leading       string // white space for a member inserted after the command
	env           *hujson.Object
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

// Clients name the address of a remote server differently.
var urlKeys = []string{"url", "serverUrl", "httpUrl"}

func (f *File) entry(m *hujson.ObjectMember) Entry {
	e := Entry{Name: literal(m.Name), raw: f.text(&m.Value)}
	object, ok := m.Value.Value.(*hujson.Object)
	if !ok {
		e.Odd = "the entry is " + kindOf(m.Value) + ", not an object"
		return e
	}
	var odd []string
	kind := ""
	for i := range object.Members {
		key, value := literal(object.Members[i].Name), &object.Members[i].Value
		switch key {
		case "command":
			e.command = value
			e.leading = leading(object, i)
			if e.Command = literal(*value); value.Value.Kind() != '"' {
				odd = append(odd, "its command is "+kindOf(*value)+", not text")
			} else if e.Command == "" {
				odd = append(odd, "its command is empty")
			}
		case "args":
			e.args, e.HasArgs = value, true
			list, ok := value.Value.(*hujson.Array)
			if !ok {
				odd = append(odd, "its args are "+kindOf(*value)+", not a list")
				continue
			}
			for j := range list.Elements {
				if list.Elements[j].Value.Kind() != '"' {
					odd = append(odd, fmt.Sprintf("its argument %d is %s, not text", j+1, kindOf(list.Elements[j])))
				}
				e.Args = append(e.Args, literal(list.Elements[j]))
			}
		case "env":
			if e.env, ok = value.Value.(*hujson.Object); !ok {
				odd = append(odd, "its env is "+kindOf(*value)+", not an object")
				continue
			}
			for j := range e.env.Members {
				e.EnvNames = append(e.EnvNames, literal(e.env.Members[j].Name))
			}
		case "type":
			kind = literal(*value)
		}
	}
	for _, key := range urlKeys {
		for i := range object.Members {
			if literal(object.Members[i].Name) == key && e.URL == "" {
				e.URL = literal(object.Members[i].Value)
			}
		}
	}
	switch {
	case e.command != nil && e.URL != "":
		odd = append(odd, "it has a command and a URL, so Sallyport can't tell what the client starts")
	case e.command != nil && kind != "" && kind != "stdio":
		odd = append(odd, "it has a command and a type other than stdio, so Sallyport can't tell what the client starts")
	case e.command == nil && e.URL == "":
		odd = append(odd, "it has no command")
	}
	// The operating system ends an argument at a NUL; half a surrogate pair has no form in UTF-8, so two different ones would become the
	// same command.
	for _, part := range append(e.Argv(), e.Name) {
		if strings.ContainsAny(part, "\x00�") {
			odd = append(odd, "its name, command or arguments have characters that can't be passed to a program")
			break
		}
	}
	if len(odd) > 0 {
		e.Odd = odd[0]
	}
	return e
}

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
