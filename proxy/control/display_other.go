//go:build !unix || darwin

package control

// HasDisplay: a program that a person started on this system has one.
func HasDisplay() bool { return true }
