package proxy

import (
	"encoding/json"
	"strings"

	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// What is left of the response to initialize of a server that nobody has reviewed: what a client needs to start a session, in words that have
// no room for a sentence.

// knownCapabilities are the capabilities a server can announce in the legacy eras (2024-11-05 to 2025-11-25), with their boolean members.
var knownCapabilities = map[string][]string{
	"tools":       {"listChanged"},
	"prompts":     {"listChanged"},
	"resources":   {"subscribe", "listChanged"},
	"logging":     nil,
	"completions": nil,
	"tasks":       nil,
}

// bareInfo is a serverInfo that says which program a server is and nothing else: its own name and version where they are words, else the name
// that the person gave it, and version 0. Titles, descriptions, addresses and icons are text of a server that nobody has reviewed.
func bareInfo(v *declared.View, line []byte, info frame.Span) []byte {
	own := map[string]string{"name": legible.SpokenServer(v.State.Name, "a server"), "version": "0"}
	for member := range own {
		if span, ok := frame.Find(line, info, member); ok && frame.Type(line, span) == '"' {
			if word, _ := frame.String(line, span); isWord(word, programWords, 64) {
				own[member] = word
			}
		}
	}
	bare := frame.AppendString([]byte(`{"name":`), own["name"])
	return append(frame.AppendString(append(bare, `,"version":`...), own["version"]), '}')
}

const (
	letters      = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	programWords = letters + "0123456789._/@+-" // the characters of a name or a version as programs have them
)

// isWord reports whether a text is one word of an alphabet, with at most so many characters.
func isWord(text, alphabet string, most int) bool {
	return text != "" && len(text) <= most && strings.Trim(text, alphabet) == ""
}

// editClosedInitialize keeps the protocol version, the server's own name, and known capabilities with their boolean members: everything
// else is text of an unreviewed server.
func editClosedInitialize(line []byte, result frame.Span) []frame.Edit {
	keep := func(key string, m frame.Member) bool {
		return key == "protocolVersion" && frame.Type(line, m.Value) == '"' && isShortWord(m.Value.Of(line)) || key == "serverInfo"
	}
	return frame.EditObject(line, result, keep, append([]byte(`"capabilities":`), bareCapabilities(line, result)...))
}

// bareCapabilities are the known capabilities of a greeting with their boolean members.
func bareCapabilities(line []byte, result frame.Span) []byte {
	capabilities := map[string]map[string]bool{"tools": {"listChanged": true}}
	if span, ok := frame.Find(line, result, "capabilities"); ok {
		frame.Members(line, span, func(name string, c frame.Member) bool {
			flags, known := knownCapabilities[name]
			if !known || frame.Type(line, c.Value) != '{' {
				return true
			}
			if capabilities[name] == nil {
				capabilities[name] = map[string]bool{}
			}
			for _, flag := range flags {
				if value, ok := frame.Find(line, c.Value, flag); ok && string(value.Of(line)) == "true" {
					capabilities[name][flag] = true
				}
			}
			return true
		})
	}
	encoded, _ := json.Marshal(capabilities)
	if extensions := knownExtensions(line, result); len(extensions) > 0 {
		more, _ := json.Marshal(extensions)
		encoded = append(append(append(encoded[:len(encoded)-1], `,"extensions":`...), more...), '}')
	}
	return encoded
}

// knownExtensions are the extensions of the protocol that a server announces and we know, with their boolean members: those are words without
// a sentence's room.
func knownExtensions(line []byte, result frame.Span) map[string]map[string]bool {
	known := map[string]map[string]bool{}
	announced, _ := frame.Find(line, result, "capabilities", "extensions")
	frame.Members(line, announced, func(name string, extension frame.Member) bool {
		switch name {
		case "io.modelcontextprotocol/ui", "io.modelcontextprotocol/tasks", "io.modelcontextprotocol/skills":
		default:
			return true
		}
		if frame.Type(line, extension.Value) != '{' {
			return true
		}
		flags := map[string]bool{}
		frame.Members(line, extension.Value, func(flag string, m frame.Member) bool {
			if value := string(m.Value.Of(line)); (value == "true" || value == "false") && isWord(flag, letters, 32) {
				flags[strings.Clone(flag)] = value == "true"
			}
			return true
		})
		known[strings.Clone(name)] = flags
		return true
	})
	return known
}
