package extensions

import "syscall"

func changeOf(file *syscall.Stat_t) syscall.Timespec { return file.Ctim }
