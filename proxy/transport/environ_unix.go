//go:build !windows

package transport

import "strings"

func isOwn(entry string) bool { return strings.HasPrefix(entry, ownPrefix) }
