//go:build unix

package e2e

import (
	"os/exec"
	"syscall"
)

// alone gives a command a process group of its own, so that it can be killed as a whole.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
