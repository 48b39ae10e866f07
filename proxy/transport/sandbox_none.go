//go:build !linux

package transport

import "context"

// TrySandbox says that there is none.
func TrySandbox(context.Context) (string, error) { return "", &SandboxError{Reason: noSandbox} }
