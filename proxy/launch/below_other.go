//go:build !linux

package launch

// sees: processes can't be inspected on this platform.
const sees = false

// below returns nothing: nobody has tried to read other processes' arguments on this platform. What only a running server shows is then
// recorded as not seen (docs/platforms.md).
func below(int) []running { return nil }

func holds(int, ...uint64) bool { return false }
