//go:build unix

package main

import (
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"
)

func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

func readableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// writable asks the system and leaves no trace in the folder: mode bits don't tell about a read-only file system.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK) == nil }

// sameVariable reports whether an entry of an environment sets the named variable.
func sameVariable(entry, name string) bool { return strings.HasPrefix(entry, name+"=") }
