package control

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/proc"
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

// Replaced says whether another file stands where the program that runs was started from, or none: after an update. It is told on Linux.
func Replaced() bool {
	_, replaced, err := proc.Path(os.Getpid())
	return err == nil && replaced
}

// WrapperProgram is the path of this installation's sallyport, "" where it is not there.
func WrapperProgram() string { return Beside(wrapperProgram) }

// installed are the paths of the programs of this installation, there or not. Every start of a wrapper asks, so links are
// followed once.
func installed() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	folder := folderOf(self)
	return []string{programIn(folder, wrapperProgram), programIn(folder, desktopProgram)}
}

// folderOf follows links first: what is called through a link in a folder of programs stands with the others.
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

// windowShut is there from when a person quit the desktop program until they open it again.
func (h Home) windowShut() string { return filepath.Join(h.Dir, "window.shut") }

// ShutWindow keeps wrappers from starting the desktop program again: the person quit it. The hub they start has no window,
// so what is new stays blocked until the person opens it.
func (h Home) ShutWindow() {
	if f, err := disk.Open(h.windowShut(), os.O_WRONLY|os.O_CREATE); err == nil {
		f.Close()
	}
}

// OpenWindow takes ShutWindow back.
func (h Home) OpenWindow() { _ = os.Remove(h.windowShut()) }

// hubCommands are the ways to start a hub, best first: hidden in the desktop program where there is a display, that program
// is installed and the person has not quit it, else without a window.
func hubCommands(home Home, exe string, on screen) [][]string {
	var all [][]string
	_, err := os.Lstat(home.windowShut())
	if desktop := besideOf(exe, desktopProgram); desktop != "" && on.shows() && err != nil {
		all = append(all, []string{desktop, "--hidden", "--started-by-wrapper"})
	}
	return append(all, []string{exe, "hub", "--started-by-wrapper"})
}
