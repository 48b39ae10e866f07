// Package pin is what a server declares about itself, and how two declarations compare.
//
// Start with Item (one pinned definition: its kind, name, the bytes delivered and their Digest), Snapshot (everything one
// connection declared) and Compare (what changed, in words a person reads). Everything here is pure: no I/O, no clock.
//
// Invariant: a Digest covers every byte of meaning of a definition. Two definitions with one digest are equal to every
// JSON parser up to the orders that never count (items, object members, and `required`, `enum`, `type` arrays where the
// word stands as a JSON Schema keyword).
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

// Key names one item of a server as people type it and JSON carries it: "instructions", "launch", or KIND:NAME ("tool:echo",
// "resource-template:file:///{path}").
func Key(kind Kind, name string) string {
	if kind == Instructions || kind == Launch {
		return string(kind)
	}
	return string(kind) + ":" + name
}

// Digest is SHA-256 over the canonical form, in lower-case hex, 64 characters. "" is no digest.
type Digest string

// Item is one definition as a server delivered it. Raw is the JSON value in the bytes delivered (a JSON string for
// instructions). Name is the decoded name (uriTemplate for templates, uri for resources, "" for instructions). One that two
// parsers could read differently has its bytes in Unread and no Raw: it is known by its name and served to nobody (Declared).
type Item struct {
	Kind     Kind              `json:"kind"`
	Name     string            `json:"name,omitempty"`
	Raw      json.RawMessage   `json:"raw"`
	Digest   Digest            `json:"digest"`
	Findings []inspect.Finding `json:"findings,omitempty"`
	Unread   []byte            `json:"unread,omitempty"`
}

// Key is the item's name among the items of its server.
func (i Item) Key() string { return Key(i.Kind, i.Name) }
