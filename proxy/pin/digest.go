package pin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"unicode/utf8"
)

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
	whole := make([]byte, 0, len(form)+len(name)+64)
	whole = append(whole, `{"definition":`...)
	whole = append(whole, form...)
	whole = append(whole, `,"kind":`...)
	whole = appendString(whole, string(kind))
	whole = append(whole, `,"name":`...)
	whole = appendString(whole, name)
	whole = append(whole, '}')
	sum := sha256.Sum256(whole)
	return Digest(hex.EncodeToString(sum[:])), nil
}
