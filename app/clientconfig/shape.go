package clientconfig

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// shape is how a client spells one entry. Lists of words have blanks between them.
type shape struct {
	command   string // the member with the command
	commands  string // what that may be: text, list (the command and its arguments), object (with path, args and env)
	args      string // the member with the arguments; "" if the command is always a list
	env       string
	name      string // if the servers are a list: the member with an entry's name
	inner     string // a member of the servers that may contain them instead, as newer versions of the client have it
	kind      string // the member that says what an entry is
	local     string // its values for an entry with a command
	needed    bool   // an entry with a command must have a kind
	alone     string // its values for entries that are part of the client
	marks     string // members that, if true, mark an entry to be left alone
	address   string // the members with a remote server's address; NAME=TRANSPORT if it means that one in an entry without a kind
	kinds     string // the kinds of an entry with an address, KIND=TRANSPORT
	headers   string // the member with its headers; "" if the client takes no address from this file
	literal   bool   // the client fills in references in headers, and not in env
	fresh     string // other members of a new entry, KEY=VALUE as spelled in the file; NAME is its name
	splits    bool   // the client splits a command that is text into words
	bearer    string // the member that names a variable with a token
	variables string // the member with headers whose values are in variables
	passes    string // the member with the names of variables that the client passes on
	starts    string // members that change how an entry is started, beside those of every client
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
	known := append(s.addresses(), s.command, s.args, s.env, s.kind, s.name)
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

// pairs are the words NAME=VALUE of a list, in its order.
func pairs(words string) (all [][2]string) {
	for _, word := range strings.Fields(words) {
		name, value, _ := strings.Cut(word, "=")
		all = append(all, [2]string{name, value})
	}
	return all
}

// paired is the value of a name in a list of words, "" if it has none.
func paired(words, name string) string {
	for _, p := range pairs(words) {
		if p[0] == name {
			return p[1]
		}
	}
	return ""
}

// addresses are the members with a remote server's address.
func (s *shape) addresses() (names []string) {
	for _, p := range pairs(s.address) {
		names = append(names, p[0])
	}
	return names
}

// reachMembers change how a client reaches a remote server, in some client or other. An entry that has one which its client's row does not use
// is left: the wrapper in it would reach the server in another way.
var reachMembers = strings.Fields("oauth auth authorization authentication authProviderType targetAudience targetServiceAccount scopes oauth_resource oauth_client_id client_id " +
	"requestOptions requestInit eventSourceInit apiKey api_key bearer_token bearer_token_env_var api_key_env api_key_header api_key_format token " +
	"headers http_headers env_http_headers headersHelper headers_helper proxy tls cert certificate ca insecure socket unix transport transportType protocol")

// reaches is the first member that changes how a server is reached and that its row does not use, "" if there is none.
func (s *shape) reaches(object *hujson.Object) string {
	known := append(s.addresses(), s.kind, s.headers, s.bearer, s.variables)
	for i := range object.Members {
		name := literal(object.Members[i].Name)
		if slices.Contains(reachMembers, name) && !slices.Contains(known, name) && object.Members[i].Value.Value.Kind() != 'n' {
			return name
		}
	}
	return ""
}

// names is how an entry names an address that is reached by a transport: the member, and the kind if it has one. key is "" if it can't.
func (s *shape) names(kind bool, transport string) (key, as string) {
	if kind {
		for _, p := range pairs(s.kinds) {
			if p[1] == transport {
				return s.addresses()[0], p[0]
			}
		}
		return "", ""
	}
	for _, p := range pairs(s.address) {
		if p[1] == transport {
			return p[0], ""
		}
	}
	return "", ""
}
