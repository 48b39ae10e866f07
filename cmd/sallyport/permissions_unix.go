//go:build unix

package main

import "io/fs"

func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

func readableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
