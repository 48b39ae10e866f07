//go:build !linux

package control

// marked is told on Linux alone: docs/platforms.md.
func marked(int) bool { return false }

func killMarked(uint64, map[int]bool) {}
