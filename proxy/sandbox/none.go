//go:build !linux

package sandbox

import "errors"

// Bubblewrap fails: there is no sandbox on this platform.
func Bubblewrap() (string, error) { return "", errors.New(none) }

// AbstractSockets is empty: there is no sandbox to escape.
func AbstractSockets() []string { return nil }
