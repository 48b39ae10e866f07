//go:build !linux

package control

// clientScreen is nobody's where no other process's environment is read. On macOS and Windows a window needs none of it.
func clientScreen(int) screen { return nil }

// StartedInside would say whether a program inside a wrapped server started this process. It cannot be told here: docs/desktop.md.
func StartedInside() bool { return false }
