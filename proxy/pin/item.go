// Package pin models what a server declares, and compares two declarations.
//
// Start with Item (one pinned definition: its kind, name, the bytes delivered and their Digest), Snapshot (everything one connection
// declared) and Compare (what changed, in words for people). Everything here is pure: no I/O, no clock.
//
// Invariant: a Digest covers every meaningful byte of a definition. Two definitions with one digest are equal to every JSON parser, except
// for orders that never count (items, object members, and `required`, `enum`, `type` arrays as JSON Schema keywords).
package pin

import (
	"encoding/json"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// Kind is what sort of thing is pinned.
type Kind string

const (
	Instructions     Kind = "instructions"
	Tool             Kind = "tool"
	Prompt           Kind = "prompt"
	ResourceTemplate Kind = "resource-template"
	Resource         Kind = "resource"
)

// Key names one item of a server, as people type it and JSON carries it: "instructions", "launch", or KIND:NAME ("tool:echo",
// "resource-template:file:///{path}").
func Key(kind Kind, name string) string {
	if kind == Instructions || kind == Launch {
		return string(kind)
	}
	return string(kind) + ":" + name
}

// Digest is SHA-256 over the canonical form, 64 lower-case hex characters. "" means no digest.
type Digest string

// Item is one definition as a server delivered it. Raw is the JSON value in the bytes delivered (a JSON string for instructions). Name is
// the decoded name (uriTemplate for templates, uri for resources, "" for instructions). An ambiguous definition has its bytes in Unread and
// no Raw: it is known by its name and served to nobody (Declared).
type Item struct {
	Kind     Kind              `json:"kind"`
	Name     string            `json:"name,omitempty"`
	Raw      json.RawMessage   `json:"raw"`
	Digest   Digest            `json:"digest"`
	Findings []inspect.Finding `json:"findings,omitempty"`
	Unread   []byte            `json:"unread,omitempty"`
}

func (i Item) Key() string { return Key(i.Kind, i.Name) }
