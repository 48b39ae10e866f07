package reveal

import "os/exec"

// show asks the Finder. Never tested on a Mac.
func show(file, folder string) error {
	command := exec.Command("/usr/bin/open", folder)
	if file != "" {
		command = exec.Command("/usr/bin/open", "-R", file)
	}
	if command.Run() != nil {
		return ErrNoManager
	}
	return nil
}
