//go:build !linux && !darwin && !windows

package transport

const noSandbox = "there is none on this system: set sandbox to off for this server, or run it elsewhere"
