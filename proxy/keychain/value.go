package keychain

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// MaxValue is the longest value in bytes: the most that Windows keeps in one entry, so that a value can move to another system.
	MaxValue = 2560
	// MaxToken is the longest value of Tokens. An access token that lists groups or rights can have tens of kilobytes.
	MaxToken = 64 << 10
)

// CheckValue refuses what no key or password is, and what is too long.
func CheckValue(value string) error {
	if len(value) > MaxValue {
		return fmt.Errorf("the value has more than %d bytes, the most that every system's keychain takes", MaxValue)
	}
	return checkText(value)
}

// check is CheckValue for what this store takes.
func (s Store) check(value string) error {
	if s.kind != kindToken {
		return CheckValue(value)
	}
	if len(value) > MaxToken {
		return fmt.Errorf("the token has more than %d KiB", MaxToken>>10)
	}
	return checkText(value)
}

// checkText refuses an empty value, and line breaks: one inside a value would end the header that it is sent in.
func checkText(value string) error {
	switch {
	case value == "":
		return errors.New("the value is empty")
	case !utf8.ValidString(value):
		return errors.New("the value is not UTF-8 text")
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("the value has a line break or another control character in it")
	}
	return nil
}
