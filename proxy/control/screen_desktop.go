//go:build !unix || darwin

package control

// shows: a program that a person started on this system has a display.
func (s screen) shows() bool { return true }
