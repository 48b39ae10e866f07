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

// Hide keeps the terminal f from showing what is typed, until show is called.
func Hide(f *os.File) (show func(), err error) {
	var before uint32
	if err := windows.GetConsoleMode(windows.Handle(f.Fd()), &before); err != nil {
		return nil, err
	}
	hidden := before&^windows.ENABLE_ECHO_INPUT | windows.ENABLE_LINE_INPUT | windows.ENABLE_PROCESSED_INPUT
	if err := windows.SetConsoleMode(windows.Handle(f.Fd()), hidden); err != nil {
		return nil, err
	}
	return func() { _ = windows.SetConsoleMode(windows.Handle(f.Fd()), before) }, nil
}
