//go:build !linux || !cgo || !webkit2_41 || dev

package desktop

// keepOwnPage does nothing here: a page that is not ours is put back (Shell.Loaded). Another program serves development builds.
func keepOwnPage() {}
