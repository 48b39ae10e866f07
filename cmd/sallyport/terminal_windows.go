package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// isTerminal says whether a person may sit at the other end of f.
func isTerminal(f *os.File) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil
}

// terminalColumns is the width of the terminal f, 80 where it does not say.
func terminalColumns(f *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info); err != nil {
		return 80
	}
	return int(info.Window.Right-info.Window.Left) + 1
}
