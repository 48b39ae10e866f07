//go:build unix && !linux

package main

// pollHangup: poll reports POLLHUP unasked, and there is nothing else to ask for.
const pollHangup = 0
