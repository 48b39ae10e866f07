//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// alone gives a chain a process group of its own, so that it can be killed as a whole.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
