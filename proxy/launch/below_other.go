//go:build !linux

package launch

// sees: processes can't be inspected on this platform.
const sees = false

// below returns nothing: reading other processes' arguments is untried on this platform. What only a running server shows is recorded as
// not seen (docs/platforms.md).
func below(int) []running { return nil }

func holds(int, ...uint64) bool { return false }
