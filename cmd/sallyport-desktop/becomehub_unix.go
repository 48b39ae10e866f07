//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// becomeHub makes this process the hub without a window. It keeps its number, by which the wrapper that started it spares it.
func becomeHub(wrapper string) error {
	err := syscall.Exec(wrapper, []string{"sallyport", "hub", "--started-by-wrapper"}, os.Environ())
	return fmt.Errorf("become a hub without a window: %w", err)
}
