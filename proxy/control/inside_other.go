//go:build !linux

package control

// StartedInside would say whether a program inside a wrapped server started this process. It cannot be told here: docs/desktop.md.
func StartedInside() bool { return false }
