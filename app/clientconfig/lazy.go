package clientconfig

import (
	"regexp"
	"sync"
)

// lazy compiles a pattern at its first use: the wrapper links this package, and its start must not pay for it.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
