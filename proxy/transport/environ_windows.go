package transport

import "strings"

// Not tested on Windows.

func isOwn(entry string) bool {
	return len(entry) >= len(ownPrefix) && strings.EqualFold(entry[:len(ownPrefix)], ownPrefix)
}
