// Package pin models what a server declares, and compares two declarations.
//
// Start with Item (one pinned definition: its kind, name, the bytes delivered and their Digest), Snapshot (everything one connection
// declared) and Compare (what changed, in words for people). Everything here is pure: no I/O, no clock.
//
// Invariant: a Digest covers every meaningful byte of a definition. Two definitions with one digest are equal to every JSON parser, except
// for orders that never count (items, object members, and `required`, `enum`, `type` arrays as JSON Schema keywords).
package pin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/inspect"

	"github.com/sallyport/sallyport/proxy/frame"
)

// Kind is what sort of thing is pinned.
type Kind string

const (
	Instructions     Kind = "instructions"
	Tool             Kind = "tool"
	Prompt           Kind = "prompt"
	ResourceTemplate Kind = "resource-template"
	Resource         Kind = "resource"
	Skill            Kind = "skill"
)

// Key names one item of a server, as people type it and JSON carries it: "instructions", "launch", or KIND:NAME ("tool:echo",
// "resource-template:file:///{path}").
func Key(kind Kind, name string) string {
	if kind == Instructions || kind == Launch {
		return string(kind)
	}
	return string(kind) + ":" + name
}

// ToolName is the name of the tool that a key is of, as its server calls it; not ok for other keys, "" then.
func ToolName(key string) (name string, ok bool) {
	if name, ok = strings.CutPrefix(key, string(Tool)+":"); !ok {
		return "", false
	}
	return name, true
}

// IsTool reports whether a key is of a tool.
func IsTool(key string) bool { return strings.HasPrefix(key, string(Tool)+":") }

// Digest is SHA-256 over the canonical form, 64 lower-case hex characters. "" means no digest.
type Digest string

// Item is one definition as a server delivered it. Raw is the JSON value in the bytes delivered (a JSON string for instructions). Name is
// the decoded name (uriTemplate for templates, uri for resources and skills, "" for instructions). An ambiguous definition has its bytes in
// Unread and no Raw: it is known by its name and served to nobody (Declared).
type Item struct {
	Kind     Kind              `json:"kind"`
	Name     string            `json:"name,omitempty"`
	Raw      json.RawMessage   `json:"raw"`
	Digest   Digest            `json:"digest"`
	Findings []inspect.Finding `json:"findings,omitempty"`
	Unread   []byte            `json:"unread,omitempty"`
	Text     string            `json:"text,omitempty"` // of a skill: its SKILL.md as last read (Told)
}

func (i Item) Key() string { return Key(i.Kind, i.Name) }

// DigestOf is SHA-256 over the canonical form of one value that holds kind, name and definition; with joined strings, part of one could
// pass for part of another. raw is the definition in the bytes delivered, a JSON string for instructions. Every field counts, also those a
// later version of the protocol may add.
//
// ErrLoneSurrogate, ErrNotJSON and ErrTooDeep mean that the definition is ambiguous: it is blocked.
func DigestOf(kind Kind, name string, raw []byte) (Digest, error) {
	if err := check(raw); err != nil {
		return "", fmt.Errorf("pin %s: %w", kind, err)
	}
	return digestChecked(kind, name, raw)
}

// digestChecked is DigestOf for a value that passed check.
func digestChecked(kind Kind, name string, raw []byte) (Digest, error) {
	if !utf8.ValidString(name) {
		return "", fmt.Errorf("pin %s: name: %w", kind, ErrNotJSON)
	}
	form, err := canonical(raw, root(kind))
	if err != nil {
		return "", fmt.Errorf("pin %s: %w", kind, err)
	}
	whole := append(make([]byte, 0, len(form)+len(name)+64), `{"definition":`...)
	return named(append(whole, form...), kind, name), nil
}

// named is the digest of an object that was begun and that kind and name complete.
func named(begun []byte, kind Kind, name string) Digest {
	begun = frame.AppendString(append(begun, `,"kind":`...), string(kind))
	begun = frame.AppendString(append(begun, `,"name":`...), name)
	return Digest(hashOf(append(begun, '}')))
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Limits on what one connection can declare, over all pages of one listing. Anything beyond is never served or callable; the session
// reports it with one Medium finding inspect.BeyondBounds.
const (
	MaxPages = 100
	MaxItems = 5_000
	MaxBytes = 32 << 20
)

// ErrNoName is the error of ItemOf for an element of a listing without a name that a call could use. It can never be approved.
var ErrNoName = errors.New("a definition without a usable name")

// ItemOf reads one element of a listing in the bytes delivered, or the instructions (a JSON string). It keeps a copy of raw. An error means
// that the element has no name or is ambiguous: it is blocked and cannot be approved.
func ItemOf(kind Kind, raw []byte) (Item, error) {
	if err := check(raw); err != nil {
		return Item{}, fmt.Errorf("pin %s: %w", kind, err)
	}
	name, err := nameOf(kind, raw)
	if err != nil {
		return Item{}, fmt.Errorf("pin %s: %w", kind, err)
	}
	digest, err := digestChecked(kind, name, raw)
	if err != nil {
		return Item{}, err
	}
	raw = bytes.Clone(bytes.TrimSpace(raw))
	item := Item{Kind: kind, Name: name, Raw: raw, Digest: digest, Findings: inspect.Definition(raw)}
	if kind == Skill {
		item.Findings = append(item.Findings, ofSkill(raw)...)
	}
	return item, nil
}

// OutputSchema is the output schema in a tool's definition, nil for none. It need not be one that compiles.
func OutputSchema(tool []byte) json.RawMessage {
	span, ok := frame.Find(tool, frame.Root(tool), "outputSchema")
	if !ok || frame.Type(tool, span) == 'n' {
		return nil
	}
	return span.Of(tool)
}

// nameOf is the decoded name by which the protocol calls an item of this kind.
func nameOf(kind Kind, raw []byte) (string, error) {
	if kind == Instructions && kindOf(raw) == '"' {
		return "", nil
	}
	key := nameKey(kind)
	if key == "" && kind != Instructions {
		return "", fmt.Errorf("unknown kind %q", kind)
	}
	if key == "" || kindOf(raw) != '{' {
		return "", ErrNoName
	}
	all, err := members(raw)
	if err != nil {
		return "", err
	}
	for _, m := range all {
		if m.key == key && kindOf(m.raw) == '"' {
			if name, err := decode(m.raw); err != nil || name != "" {
				return name, err
			}
		}
	}
	return "", ErrNoName
}

// nameKey is the member by whose value the protocol calls an item, "" for a kind without one.
func nameKey(kind Kind) string {
	switch kind {
	case Tool, Prompt:
		return "name"
	case ResourceTemplate:
		return "uriTemplate"
	case Resource, Skill:
		return "uri"
	case Instructions, Launch:
	}
	return ""
}

// Fingerprint identifies a whole snapshot: it is the same for the same items in any order. It covers kind, name and definition through the
// digests; an item listed twice counts twice.
func Fingerprint(items []Item) string {
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = string(item.Digest)
	}
	slices.Sort(lines)
	sum := sha256.New()
	for _, line := range lines {
		sum.Write([]byte(line))
		sum.Write([]byte{'\n'}) // digests are hex, so none contains the separator
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// RequestDigest is equal for two requests that ask for the same: method and params, compared as pins are. It leaves out `_meta` (a progress
// token differs each time) and treats absent arguments as empty. params is nil or an object.
func RequestDigest(method string, params []byte) (Digest, error) {
	if params == nil {
		params = []byte("{}")
	}
	if err := check(params); err != nil {
		return "", fmt.Errorf("request: %w", err)
	}
	all, err := members(params)
	if err != nil {
		return "", fmt.Errorf("request: %w", err)
	}
	all = slices.DeleteFunc(all, func(m field) bool {
		return m.key == "_meta" || m.key == "arguments" && strings.Join(strings.Fields(string(m.raw)), "") == "{}"
	})
	form := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			form = append(form, ',')
		}
		form = append(form, frame.AppendString(nil, m.key)...)
		form = append(form, ':')
		form = append(form, m.raw...)
	}
	return digestChecked("request", method, append(form, '}'))
}
