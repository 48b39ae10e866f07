//go:build !linux && !windows

package transport

import "os"

func environ() []string { return os.Environ() }
