package main

import "strings"

// sameVariable says that an entry of an environment is that of a name. Windows knows no case.
func sameVariable(entry, name string) bool {
	is, _, _ := strings.Cut(entry, "=")
	return strings.EqualFold(is, name)
}
