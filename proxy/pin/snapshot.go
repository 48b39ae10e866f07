package pin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/sallyport/sallyport/proxy/inspect"
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
	return Item{Kind: kind, Name: name, Raw: raw, Digest: digest, Findings: inspect.Definition(raw)}, nil
}

// nameOf is the decoded name by which the protocol calls an item of this kind.
func nameOf(kind Kind, raw []byte) (string, error) {
	var key string
	switch kind {
	case Instructions:
		if kindOf(raw) != '"' {
			return "", ErrNoName
		}
		return "", nil
	case Tool, Prompt:
		key = "name"
	case ResourceTemplate:
		key = "uriTemplate"
	case Resource:
		key = "uri"
	default:
		return "", fmt.Errorf("unknown kind %q", kind)
	}
	if kindOf(raw) != '{' {
		return "", ErrNoName
	}
	all, err := members(raw)
	if err != nil {
		return "", err
	}
	for _, m := range all {
		if m.key != key {
			continue
		}
		if kindOf(m.raw) != '"' {
			return "", ErrNoName
		}
		name, err := decode(m.raw)
		if err != nil {
			return "", err
		}
		if name == "" {
			return "", ErrNoName
		}
		return name, nil
	}
	return "", ErrNoName
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
