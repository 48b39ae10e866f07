package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// givenDevices are what a server gets besides bubblewrap's standard devices: graphics, sound, cameras, virtual machines, serial lines and
// hardware buses. It is an allow list, because forgetting one dangerous device would be fatal: those that type (uinput) or listen to
// keyboards (input, hidraw), consoles, memory, and whole disks, from which Sallyport's home could be read. Terminals are the sandbox's own:
// in one of the user's, a server could read what is typed and imitate our words.
var givenDevices = []string{"dri", "kfd", "accel", "nvidia", "snd", "video", "media", "v4l", "kvm", "ttyUSB", "ttyACM", "serial", "bus", "i2c-", "spidev", "gpiochip"}

// devices returns the existing ones that this user can open.
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
