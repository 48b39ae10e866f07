package control

import (
	"os"
	"path/filepath"
	"runtime"
)

// The programs of one installation stand side by side in one folder. Whoever can write there can replace any of them, so
// standing there is what makes a file one of ours.
const (
	wrapperProgram = "sallyport"
	desktopProgram = "sallyport-desktop"
)

// Beside is the path of another program of this installation: the file of that name in the folder of the one that runs, ""
// where there is none.
func Beside(name string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	return besideOf(self, name)
}

// WrapperProgram is the path of this installation's sallyport, "" where it is not there.
func WrapperProgram() string { return Beside(wrapperProgram) }

// besideOf follows links first: what is called through a link in a folder of programs stands with the others.
func besideOf(program, name string) string {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(filepath.Dir(program), name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// hubCommands are the ways to start a hub, best first: hidden in the desktop program where there is a display and that
// program is installed, else without a window.
func hubCommands(exe string) [][]string {
	var all [][]string
	if desktop := besideOf(exe, desktopProgram); desktop != "" && HasDisplay() {
		all = append(all, []string{desktop, "--hidden", "--started-by-wrapper"})
	}
	return append(all, []string{exe, "hub", "--started-by-wrapper"})
}
