package keychain

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/proxy/keychain/secretname"
)

// Ref says where a secret is, so that a setting or a header never holds the secret itself. Its zero value refers to nothing.
type Ref struct {
	variable, entry string // one of them
}

var errNoRef = errors.New("it must be env:VARIABLE or keychain:NAME; it is not repeated here, because it may be the secret itself")

// ParseRef reads "env:VARIABLE" or "keychain:NAME". It refuses anything else, without printing it.
func ParseRef(s string) (Ref, error) {
	if variable, is := strings.CutPrefix(s, "env:"); is && isVariable(variable) {
		return Ref{variable: variable}, nil
	}
	if entry, is := secretname.In(s); is {
		return Ref{entry: entry}, nil
	}
	return Ref{}, errNoRef
}

// isVariable reports whether s is the name of an environment variable as a shell can set it.
func isVariable(s string) bool {
	for i, r := range s {
		letter := r == '_' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

func (r Ref) String() string {
	switch {
	case r.variable != "":
		return "env:" + r.variable
	case r.entry != "":
		return secretname.Text(r.entry)
	}
	return ""
}

// Resolve returns the secret. An error names the reference and says why; there is never a value in its place.
func (r Ref) Resolve(ctx context.Context, secrets Store, getenv func(string) string) (value string, err error) {
	switch {
	case r.variable != "":
		if value = getenv(r.variable); value == "" {
			err = errors.New("the variable is not set where Sallyport was started")
		}
	case r.entry != "":
		value, err = secrets.Get(ctx, r.entry)
		if errors.Is(err, ErrNotFound) {
			err = fmt.Errorf("%w: store it with sallyport secret set %s", err, r.entry)
		}
	default:
		return "", errNoRef
	}
	if err == nil {
		err = checkText(value)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", r, err)
	}
	return value, nil
}
