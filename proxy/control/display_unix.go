//go:build unix && !darwin

package control

import "os"

// HasDisplay says whether the environment names a display that a window could open on.
func HasDisplay() bool { return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "" }
