//go:build !linux

package removal

import "errors"

// ErrNotHere is never returned here.
var ErrNotHere = errors.New("no such user here")

// Become exists where there are packages of ours.
func Become(User, string) error {
	return errors.New("there is no package for this system: run \"sallyport unprotect\" as each user")
}
