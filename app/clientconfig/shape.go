package clientconfig

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// shape is how a client spells one entry. Lists of words have blanks between them.
type shape struct {
	command  string // the member with the command
	commands string // what that may be: text, list (the command and its arguments), object (with path, args and env)
	args     string // the member with the arguments; "" if the command is always a list
	env      string
	name     string // if the servers are a list: the member with an entry's name
	inner    string // a member of the servers that may contain them instead, as newer versions of the client have it
	kind     string // the member that says what an entry is
	local    string // its values for an entry with a command
	needed   bool   // an entry with a command must have a kind
	alone    string // its values for entries that are part of the client
	marks    string // members that, if true, mark an entry to be left alone
	address  string // the members with a remote server's address
	splits   bool   // the client splits a command that is text into words
	starts   string // members that change how an entry is started, beside those of every client
}

// plainShape is Claude Desktop's, and that of every client whose row has none.
var plainShape = shape{command: "command", commands: "text", args: "args", env: "env", kind: "type", local: "stdio", address: "url serverUrl httpUrl"}

// startMembers change how a server is started, in some client or other. An entry that has one which its client's row does not use is left:
// the wrapper in it might run somewhere else, or not at all.
var startMembers = strings.Fields("command cmd args argv arguments commandLine command_line exec executable program entrypoint shell interpreter runtime runner " +
	"container image docker wsl ssh sandbox sandboxEnabled dev url uri serverUrl httpUrl transport")

// stranger is the first member that changes how an entry is started and that its row does not know, "" if there is none.
func (s *shape) stranger(object *hujson.Object) string {
	if s == &plainShape {
		return ""
	}
	known := append(strings.Fields(s.address), s.command, s.args, s.env, s.kind, s.name)
	for i := range object.Members {
		name := literal(object.Members[i].Name)
		if slices.Contains(known, name) || !slices.Contains(startMembers, name) && !has(s.starts, name) {
			continue
		}
		if text, ok := object.Members[i].Value.Value.(hujson.Literal); ok && (text.Kind() == 'n' || text.Kind() == 'f') {
			continue // switched off
		}
		return name
	}
	return ""
}

// marked is the word for which an entry is left alone, "" if there is none.
func (s *shape) marked(object *hujson.Object) string {
	for i := range object.Members {
		name, value := literal(object.Members[i].Name), object.Members[i].Value
		if has(s.marks, name) && value.Value.Kind() == 't' {
			return name
		}
		if kind := literal(value); name == s.kind && has(s.alone, kind) {
			return kind
		}
	}
	return ""
}

// has reports whether a word is one of a list of words.
func has(words, word string) bool { return slices.Contains(strings.Fields(words), word) }
