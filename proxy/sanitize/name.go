package sanitize

import (
	"crypto/sha256"
	"encoding/hex"
)

// The longest names of items, in characters.
const (
	standardName = 128
	strictName   = 80
)

// suffix is the length of what Apart adds.
const suffix = len("-") + 8

// Name is the name by which a client knows a tool or a prompt, unless Apart has to tell two of them apart. "" means that nothing of it can
// be seen.
func Name(name, profile string) string {
	s := nameShape(profile)
	if profile == Off || len(name) <= strictName && plain(name) {
		return name
	}
	return textOf(s.of(glyphsOf(name, s.reads()), profile == Strict))
}

// Apart is the name for an item whose Name another item has: it ends in the hash of the server's own name, and is as long as Name at most.
func Apart(name, profile string) string {
	s := nameShape(profile)
	rest := Name(name, profile)
	if s.chars > 0 {
		s.chars -= suffix
		rest = textOf(s.of(glyphsOf(rest, s.reads()), profile == Strict))
	}
	sum := sha256.Sum256([]byte(name))
	return rest + "-" + hex.EncodeToString(sum[:4])
}

// plain reports whether a name is in visible ASCII, without spaces. Nearly every one is.
func plain(name string) bool {
	for i := range len(name) {
		if name[i] <= ' ' || name[i] >= 0x7f {
			return false
		}
	}
	return true
}

func nameShape(profile string) shape {
	switch profile {
	case Off:
		return shape{}
	case Strict:
		return shape{chars: strictName, line: true}
	}
	return shape{chars: standardName}
}
