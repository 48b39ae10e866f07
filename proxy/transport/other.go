//go:build !linux

package transport

import "os"

// GiveWay does nothing on this platform.
func GiveWay(bool) bool { return false }

// Mark is 0: this platform has no inherited mark that a process can't remove.
func Mark() uint64 { return 0 }

func seenOutside(int, int) int { return 0 }

func environ() []string { return os.Environ() }
