package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// givenDevices are what a server may have beside the standard ones that bubblewrap makes: graphics, sound, cameras, virtual
// machines, serial lines and buses of hardware. It is a list of what is given, because what is not must not be forgotten:
// what types (uinput), what listens to keyboards (input, hidraw), consoles, memory, and whole disks, from which our home
// could be read. Terminals are the sandbox's own: in one of the user's a server would read what is typed and write what
// looks like our words.
var givenDevices = []string{"dri", "kfd", "accel", "nvidia", "snd", "video", "media", "v4l", "kvm", "ttyUSB", "ttyACM", "serial", "bus", "i2c-", "spidev", "gpiochip"}

// devices are those that are there and that this user may open.
func devices(folder string) (all []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !slices.ContainsFunc(givenDevices, func(prefix string) bool { return strings.HasPrefix(e.Name(), prefix) }) {
			continue
		}
		if mode := e.Type(); mode&os.ModeDevice != 0 && mode&os.ModeCharDevice == 0 {
			continue
		}
		path := filepath.Join(folder, e.Name())
		if unix.Access(path, unix.R_OK) == nil || unix.Access(path, unix.W_OK) == nil {
			all = append(all, path)
		}
	}
	return all
}
