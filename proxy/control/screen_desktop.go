//go:build !unix || darwin

package control

// shows is always true: a program started by a person on this system has a display.
func (s screen) shows() bool { return true }
