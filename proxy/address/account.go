package address

import (
	"errors"
	"strings"
)

// accountMark is between an address and a label. No address has a blank, so one that was labelled is no other address.
const accountMark = " account:"

// maxAccount is how long a label can be, in bytes.
const maxAccount = 64

// CheckAccount refuses a label for an account that is not plain: it is part of which server it is, and is shown wherever that is.
func CheckAccount(label string) error {
	plain := func(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
	switch {
	case label == "":
		return errors.New("the label is empty; write a short word, such as work")
	case len(label) > maxAccount:
		return errors.New("the label is longer than 64 characters; write a short word, such as work")
	case strings.IndexFunc(label, func(c rune) bool { return !plain(c) && !strings.ContainsRune("._-@+", c) }) >= 0 || !plain(rune(label[0])):
		return errors.New("a label has the letters a to z, digits and . _ - @ + only, and begins with a letter or digit")
	}
	return nil
}

// WithAccount is what a remote server is known by: its address as written, and the label of the account that is used there, "" for none.
func WithAccount(raw, label string) string {
	if label == "" {
		return raw
	}
	return raw + accountMark + label
}

// SplitAccount is the address and the label in what WithAccount made.
func SplitAccount(known string) (raw, label string) {
	raw, label, _ = strings.Cut(known, accountMark)
	return raw, label
}
