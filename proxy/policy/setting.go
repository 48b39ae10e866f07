package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Scope is the narrowest level that can override a setting. Wider levels fill in for narrower ones.
type Scope int

const (
	Global Scope = iota
	Server
	Tool
)

func (s Scope) String() string {
	switch s {
	case Global:
		return "global"
	case Server:
		return "server"
	case Tool:
		return "tool"
	}
	return "unknown"
}

// Setting is one row of the table.
type Setting struct {
	Key     string
	Doc     string // a sentence or two for `settings list`, the window and docs/settings.md
	Default string // canonical
	Scope   Scope
	Values  string // allowed values, in words: "review, trust-clean"
	Safer   string // which way is safer, in words
	Window  bool   // only the window can set it, never a file or the command line

	kind kind
}

// kind parses the values of a setting and ranks their risk.
type kind interface {
	// parse returns the canonical spelling of a value.
	parse(value string) (string, error)
	// risk grows with how unsafe a canonical value is; equal risks are equally safe.
	risk(canonical string) (float64, error)
}

// rivals is a kind whose values can't replace one another without a person, though none is known to be less safe.
type rivals interface{ rival(a, b string) bool }

func (s Setting) rival(a, b string) bool {
	r, ok := s.kind.(rivals)
	return ok && r.rival(a, b)
}

// Parse reads a value written by a person or in a file and returns its canonical spelling. The error is one line and names the allowed
// values.
func (s Setting) Parse(value string) (canonical string, err error) {
	canonical, err = s.kind.parse(strings.TrimSpace(value))
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Key, err)
	}
	return canonical, nil
}

// Loosens reports whether a change of value makes things less safe. Any doubt counts as true: an unreadable value, or two values of which
// neither is known to be safer.
func (s Setting) Loosens(from, to string) bool {
	if from == to {
		_, err := s.kind.parse(to)
		return err != nil
	}
	before, err := s.riskOf(from)
	if err != nil {
		return true
	}
	after, err := s.riskOf(to)
	if err != nil {
		return true
	}
	return after > before || s.rival(from, to)
}

func (s Setting) riskOf(value string) (float64, error) {
	canonical, err := s.kind.parse(value)
	if err != nil {
		return 0, err
	}
	return s.kind.risk(canonical)
}

// Stricter returns the safer of two canonical values, a if both are as safe. An unreadable value loses; if neither is readable it returns
// the default, or "" for an unknown key.
func Stricter(key, a, b string) string {
	s, ok := Lookup(key)
	if !ok {
		return ""
	}
	riskA, errA := s.riskOf(a)
	riskB, errB := s.riskOf(b)
	switch {
	case errA != nil && errB != nil:
		return s.Default
	case errA != nil:
		return b
	case errB != nil, riskA <= riskB:
		return a
	}
	return b
}

type Values map[string]string

func Defaults() Values {
	values := Values{}
	for _, s := range table {
		values[s.Key] = s.Default
	}
	return values
}

// Value is the value of a key in force: its default if it is absent or unreadable.
func (v Values) Value(key string) string { return v.safe(key) }

// safe is the value of a key, or its default if it is absent or unreadable.
func (v Values) safe(key string) string {
	s, ok := Lookup(key)
	if !ok {
		return ""
	}
	if value, ok := v[key]; ok {
		if canonical, err := s.Parse(value); err == nil {
			return canonical
		}
	}
	return s.Default
}

func (v Values) duration(key string) (time.Duration, bool) {
	value := v.safe(key)
	if value == off {
		return 0, false
	}
	d, err := time.ParseDuration(value)
	return d, err == nil
}

func (v Values) number(key string) int {
	n, _ := strconv.Atoi(v.safe(key))
	return n
}

func (v Values) bytes(key string) int64 {
	n, _ := parseBytes(v.safe(key))
	return n
}
