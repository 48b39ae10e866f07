//go:build !linux

package control

// marked is told on Linux alone: docs/platforms.md.
func marked(int) bool { return false }

func ofServer() bool { return false }

func below(int) (bool, error) { return false, nil }

func leftMarks() (map[uint64]bool, error) { return nil, nil }

func killMarked(uint64, map[int]bool) {}

func showNothing() {}
