//go:build !windows

package control

// passedOn is the list of the TypeScript and the Python SDK (getDefaultEnvironment, get_default_environment).
func passedOn() []string { return []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"} }
