//go:build !linux

package peer

// Marked works on Linux only: docs/platforms.md.
func Marked(int) bool { return false }

func OfServer() bool { return false }

func below(int) (bool, error) { return false, nil }

func LeftMarks() (map[uint64]bool, error) { return nil, nil }

func KillMarked(map[uint64]bool, map[int]uint64) {}

func ShowNothing() {}
