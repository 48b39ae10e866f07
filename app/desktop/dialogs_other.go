//go:build !linux || !cgo || !webkit2_41

package desktop

// cancelDialogs does nothing here. Nobody has tried whether a dialog of these systems keeps a program from ending.
func cancelDialogs() {}
