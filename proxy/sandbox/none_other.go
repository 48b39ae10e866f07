//go:build !linux && !darwin && !windows

package sandbox

const none = "there is none on this system: set sandbox to off for this server, or run it elsewhere"
