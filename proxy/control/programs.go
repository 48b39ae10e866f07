package control

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/proc"
)

// The programs of one installation are in one folder. A program that can write there can replace any of them, so being in
// that folder makes a file one of ours.
const (
	wrapperProgram = "sallyport"
	desktopProgram = "sallyport-desktop"
)

// Beside returns the path of another program of this installation: the file of that name in the running program's folder, "" if
// there is none.
func Beside(name string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	return besideOf(self, name)
}

// Replaced reports whether the file that the running program was started from has been replaced or removed, as after an update. Linux
// only.
func Replaced() bool {
	_, replaced, err := proc.Path(os.Getpid())
	return err == nil && replaced
}

// WrapperProgram returns the path of this installation's sallyport, "" if it is missing.
func WrapperProgram() string { return Beside(wrapperProgram) }

// DesktopProgram returns the path of this installation's program with the window, "" if it has none.
func DesktopProgram() string { return Beside(desktopProgram) }

// installed returns the paths of this installation's programs, whether they exist or not. Every start of a wrapper needs them, so
// links are resolved only once.
func installed() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	folder := folderOf(self)
	return []string{programIn(folder, wrapperProgram), programIn(folder, desktopProgram)}
}

// folderOf resolves links first, because a program may be called through a link in another folder.
func folderOf(program string) string {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	return filepath.Dir(program)
}

func programIn(folder, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(folder, name)
}

func besideOf(program, name string) string {
	path := programIn(folderOf(program), name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// windowShut is a file that exists from when a person quits the desktop program until they open it again.
func (h Home) windowShut() string { return filepath.Join(h.Dir, "window.shut") }

// ShutWindow keeps wrappers from starting the desktop program again after the person quit it. The hub they start has no window,
// so everything new stays blocked until the person opens the program.
func (h Home) ShutWindow() {
	if f, err := disk.Open(h.windowShut(), os.O_WRONLY|os.O_CREATE); err == nil {
		f.Close()
	}
}

// OpenWindow undoes ShutWindow.
func (h Home) OpenWindow() { _ = os.Remove(h.windowShut()) }

// hubCommands returns the ways to start a hub, best first: hidden in the desktop program, if there is a display, the program is
// installed and the person has not quit it; and without a window.
func hubCommands(home Home, exe string, on screen) [][]string {
	var all [][]string
	_, err := os.Lstat(home.windowShut())
	if desktop := besideOf(exe, desktopProgram); desktop != "" && on.shows() && err != nil {
		all = append(all, []string{desktop, "--hidden", "--started-by-wrapper"})
	}
	return append(all, []string{exe, "hub", "--started-by-wrapper"})
}
