//go:build !linux

package transport

import "context"

// TrySandbox says that there is none.
func TrySandbox(context.Context, []string) (string, error) {
	return "", &SandboxError{Reason: noSandbox}
}

// AbstractSockets are ways out of a sandbox, and there is none.
func AbstractSockets() []string { return nil }
