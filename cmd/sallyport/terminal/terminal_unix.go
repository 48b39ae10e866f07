//go:build linux || darwin

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Is says whether a person may sit at the other end of f. Only a terminal has a window size; musl's isatty asks the same.
func Is(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// columnsOf is the width of the terminal f, 80 if unknown.
func columnsOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 {
		return 80
	}
	return int(size.Col)
}
