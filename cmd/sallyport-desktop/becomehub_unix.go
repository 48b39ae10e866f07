//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// becomeHub makes this process the hub without a window. It keeps its process id, so the wrapper that
// started it knows not to end it.
func becomeHub(wrapper string) error {
	err := syscall.Exec(wrapper, []string{"sallyport", "hub", "--started-by-wrapper"}, os.Environ())
	return fmt.Errorf("become a hub without a window: %w", err)
}
