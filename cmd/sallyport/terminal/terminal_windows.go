package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// Is says whether a person may sit at the other end of f.
func Is(f *os.File) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil
}

// columnsOf is the width of the terminal f, 80 if unknown.
func columnsOf(f *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info); err != nil {
		return 80
	}
	return int(info.Window.Right-info.Window.Left) + 1
}
