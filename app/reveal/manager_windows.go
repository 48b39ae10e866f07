package reveal

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// show asks the Explorer. Nobody has run it. It ends with status 1 even where it did as it was told.
func show(file, folder string) error {
	command := exec.Command(filepath.Join(os.Getenv("SystemRoot"), "explorer.exe"))
	// Its own rules: the comma belongs to the option, and only the path is quoted. No path of Windows holds a quote.
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
