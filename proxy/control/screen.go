package control

import (
	"os"
	"slices"
	"strings"
)

// screenVariables choose the display on which a window opens, the right to use it, and the bus of its icon and notifications. A program
// that chooses them can draw there and press buttons.
var screenVariables = []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"}

// screen holds those of screenVariables that are set, as NAME=value.
type screen []string

// screenFor returns the screen for a hub that this process starts. A wrapper's own environment is that of one server's entry, so its hub
// gets the client's screen; all other programs are started by a person.
func screenFor(role Role) screen {
	if role == RoleWrapper {
		return clientScreen(os.Getpid())
	}
	return screenIn(os.Environ())
}

func screenIn(environ []string) screen {
	var s screen
	for _, name := range screenVariables {
		if value := valueIn(environ, name); value != "" {
			s = append(s, name+"="+value)
		}
	}
	return s
}

func valueIn(environ []string, name string) string {
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

func (s screen) equal(other screen) bool { return slices.Equal(s, other) }

func (s screen) value(name string) string { return valueIn(s, name) }

// HasDisplay reports whether the environment names a display on which a window could open.
func HasDisplay() bool { return screenIn(os.Environ()).shows() }
