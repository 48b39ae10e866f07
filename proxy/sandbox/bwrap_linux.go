package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// bwrapPlaces are fixed: the client's PATH must not choose the program that makes the sandbox.
var bwrapPlaces = []string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// Bubblewrap returns the program that makes the sandbox, or an error that says why there is none.
func Bubblewrap() (string, error) { return findBwrap(bwrapPlaces) }

// findBwrap accepts only a bubblewrap that root installed.
func findBwrap(places []string) (string, error) {
	for _, place := range places {
		path, err := filepath.EvalSymlinks(place)
		if err != nil {
			continue
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || stat.Uid != 0 && stat.Uid != overflowID() || info.Mode().Perm()&0o022 != 0 {
			return "", errors.New(place + " can be changed by others than root: fix that, or install the package bubblewrap anew")
		}
		return path, nil
	}
	return "", errors.New("bubblewrap is not installed: install the package bubblewrap (it brings /usr/bin/bwrap), or set sandbox to off for this server")
}

// overflowID is the kernel's placeholder for an owner without a number in our user namespace: in a rootless container, root's files have
// it.
func overflowID() uint32 {
	raw, err := os.ReadFile("/proc/self/uid_map")
	if err != nil || strings.Join(strings.Fields(string(raw)), " ") == "0 0 4294967295" {
		return 0
	}
	raw, err = os.ReadFile("/proc/sys/kernel/overflowuid")
	if err != nil {
		return 0
	}
	id, err := strconv.ParseUint(strings.TrimSpace(string(raw)), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(id)
}
