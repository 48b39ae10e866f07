//go:build !linux

package transport

// GiveWay does nothing on this platform.
func GiveWay(bool) bool { return false }
