package control

import "golang.org/x/sys/unix"

// Compiled, not run so far. macOS has no subreaper: a process that forks twice leaves the tree, and this check with it.

func readProcess(pid int) (process, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return process{}, err
	}
	start := info.Proc.P_starttime
	return process{pid: pid, parent: int(info.Eproc.Ppid), start: uint64(start.Sec)*1_000_000 + uint64(start.Usec)}, nil
}

func argumentsOf(pid int) ([]string, error) {
	_, argv, err := procargs(pid)
	return argv, err
}
