package control

import (
	"os/exec"
	"syscall"
)

// detach leaves the console and the job of the client's process tree. Compiled, not run.
func detach(cmd *exec.Cmd) {
	const detachedProcess, breakawayFromJob = 0x8, 0x01000000
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess | breakawayFromJob,
	}
}
