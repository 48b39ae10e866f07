//go:build !linux

package transport

// Mark is 0: this platform has no inherited mark that a process can't remove.
func Mark() uint64 { return 0 }

func becomeMarked(uint64) {}
