//go:build !windows

package main

import "strings"

// sameVariable says that an entry of an environment is that of a name.
func sameVariable(entry, name string) bool { return strings.HasPrefix(entry, name+"=") }
