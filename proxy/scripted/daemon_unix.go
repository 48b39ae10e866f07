//go:build unix

package scripted

import (
	"io"
	"os"
	"os/exec"
	"syscall"
)

// daemonise starts a process that escapes: a session of its own, its parent gone, ignoring everything but KILL. It ends by itself after ten
// minutes, in case a test loses it.
func daemonise(pidFile string, held io.Writer) error {
	cmd := exec.Command("/bin/sh", "-c", `trap '' TERM HUP INT; sleep 600 & echo $! >> "$1"`, "sh", pidFile)
	if file, ok := held.(*os.File); ok {
		cmd.Stdout = file
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Run()
}

func killSelf() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
