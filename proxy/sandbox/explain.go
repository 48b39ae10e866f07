package sandbox

import (
	"os"
	"strconv"
	"strings"
)

// Explain translates bubblewrap's error messages.
func Explain(said string) string {
	line := ""
	for l := range strings.Lines(said) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(l), "bwrap: "); ok {
			line = rest
			break
		}
	}
	quoted := strconv.QuoteToGraphic(line)
	contains := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(line, p) {
				return true
			}
		}
		return false
	}
	switch {
	case line == "":
		return "its sandbox ended before it began: see sallyport doctor"
	case contains("user namespace", "new namespace", "uid map", "gid map", "loopback") && appArmorBars():
		return "this system's AppArmor keeps programs from making user namespaces (Ubuntu 23.10 and newer): allow it for bubblewrap, " +
			"with the profile that comes in the package apparmor-profiles (bwrap-userns-restrict), or set sandbox to off for this server; bubblewrap says " + quoted
	case contains("user namespace", "new namespace", "uid map", "gid map", "loopback"):
		return "this system does not let a user make namespaces: sysctl kernel.unprivileged_userns_clone=1 (Debian) or user.max_user_namespaces=15000 " +
			"allow it, inside a container its own settings do, or set sandbox to off for this server; bubblewrap says " + quoted
	case contains("Can't mount proc"):
		return "a process namespace cannot have its own /proc here, as in most containers: run the client outside of it, or set sandbox to off for this server; bubblewrap says " + quoted
	case contains("Unknown option"):
		return "this bubblewrap is too old: 0.5 or newer is needed; it says " + quoted
	}
	return "bubblewrap says " + quoted
}

func appArmorBars() bool {
	raw, err := os.ReadFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
	return err == nil && strings.TrimSpace(string(raw)) == "1"
}
