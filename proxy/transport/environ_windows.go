package transport

import (
	"os"
	"strings"
)

// Not tested on Windows.

func isOwn(entry string) bool {
	return len(entry) >= len(ownPrefix) && strings.EqualFold(entry[:len(ownPrefix)], ownPrefix)
}

func environ() []string { return os.Environ() }
