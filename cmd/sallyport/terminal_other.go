//go:build !linux && !darwin && !windows

package main

import "os"

// isTerminal says no: on a platform nobody has tried, a decision needs --yes.
func isTerminal(*os.File) bool { return false }

func terminalColumns(*os.File) int { return 80 }
