//go:build linux || darwin

package extensions

import (
	"io/fs"
	"syscall"
	"time"
)

// withoutWaiting keeps a pipe that took a file's place from blocking.
const withoutWaiting = syscall.O_NONBLOCK

// recently is how old a change must be before its time tells it from the next one: the system's clock for it ticks every few milliseconds.
const recently = time.Second

// stamp is how a file looks from outside. The system alone sets the time of its last change, so an equal stamp is an equal file.
type stamp struct {
	device, inode uint64
	size          int64
	changed       syscall.Timespec
}

func stampOf(info fs.FileInfo) (s stamp, comparable bool) {
	system, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return s, false
	}
	changed := changeOf(system)
	if time.Since(time.Unix(changed.Unix())) < recently {
		return s, false
	}
	return stamp{uint64(system.Dev), system.Ino, system.Size, changed}, true
}
