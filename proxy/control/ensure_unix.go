//go:build unix

package control

import (
	"os/exec"
	"syscall"
)

// detach gives the hub a session of its own: no terminal, and no signal that goes to the wrapper's group.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
