//go:build !linux && !windows

package tray

// On macOS the library needs cgo, and its status item needs the main thread, which the window has: neither was tried.
func open(Options) Tray { return nowhere("Sallyport has no tray icon on this system yet") }
