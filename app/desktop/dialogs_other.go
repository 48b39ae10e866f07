//go:build !linux || !cgo || !webkit2_41

package desktop

// cancelDialogs does nothing here. Whether a dialog on these systems keeps a program from ending was not tried.
func cancelDialogs() {}
