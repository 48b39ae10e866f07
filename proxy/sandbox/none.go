//go:build !linux

package sandbox

import "errors"

// Bubblewrap says why there is no sandbox here.
func Bubblewrap() (string, error) { return "", errors.New(none) }

// AbstractSockets are ways out of a sandbox, and there is none.
func AbstractSockets() []string { return nil }
