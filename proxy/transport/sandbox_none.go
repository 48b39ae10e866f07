//go:build !linux

package transport

import "errors"

func bubblewrap() (string, error) { return "", errors.New(noSandbox) }

// AbstractSockets are ways out of a sandbox, and there is none.
func AbstractSockets() []string { return nil }
