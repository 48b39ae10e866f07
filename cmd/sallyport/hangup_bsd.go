//go:build unix && !linux

package main

// pollHangup: poll always reports POLLHUP, and there is nothing else to ask for.
const pollHangup = 0
