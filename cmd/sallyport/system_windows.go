package main

import (
	"io/fs"
	"strings"
)

// On Windows, mode bits say nothing about access; the folder's access list does, which the hub checks.

func openToOthers(fs.FileInfo) bool { return false }

func readableByOthers(fs.FileInfo) bool { return false }

func writable(string) bool { return true }

// sameVariable reports whether an entry of an environment sets the named variable. On Windows, case does not matter.
func sameVariable(entry, name string) bool {
	is, _, _ := strings.Cut(entry, "=")
	return strings.EqualFold(is, name)
}
