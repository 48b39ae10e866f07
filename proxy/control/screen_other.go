//go:build !linux

package control

// clientScreen returns nil, because this platform doesn't show another process's environment. On macOS and Windows a window doesn't need
// it.
func clientScreen(int) screen { return nil }

// StartedInside is always false: this platform can't tell whether a program inside a wrapped server started this process (docs/desktop.md).
func StartedInside() bool { return false }
