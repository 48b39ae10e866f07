package reveal

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// show asks the Explorer, which exits with status 1 even on success. Never tested on Windows.
func show(file, folder string) error {
	command := exec.Command(filepath.Join(os.Getenv("SystemRoot"), "explorer.exe"))
	// Explorer's own rules: the comma belongs to the option, and only the path is quoted. Windows paths can't contain quotes.
	line := `explorer.exe "` + folder + `"`
	if file != "" {
		line = `explorer.exe /select,"` + file + `"`
	}
	command.SysProcAttr = &syscall.SysProcAttr{CmdLine: line}
	if command.Start() != nil {
		return ErrNoManager
	}
	go func() { _ = command.Wait() }()
	return nil
}
