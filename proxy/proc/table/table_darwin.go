package table

import "golang.org/x/sys/unix"

func Read(pid int) (Process, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return Process{}, err
	}
	return of(info), nil
}

func All() ([]Process, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	all := make([]Process, 0, len(table))
	for i := range table {
		all = append(all, of(&table[i]))
	}
	return all, err
}

func of(k *unix.KinfoProc) Process {
	const zombie = 5 // SZOMB in sys/proc.h
	start := k.Proc.P_starttime
	return Process{
		PID: int(k.Proc.P_pid), Parent: int(k.Eproc.Ppid), Group: int(k.Eproc.Pgid),
		Start: uint64(start.Sec)*1_000_000 + uint64(start.Usec), Dead: k.Proc.P_stat == zombie,
	}
}
