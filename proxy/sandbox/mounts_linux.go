package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mount is one line of /proc/self/mountinfo: the folder root of the file system dev, of type kind, is mounted at point.
type mount struct{ dev, root, point, options, kind string }

type mounts []mount

func readMounts() mounts {
	raw, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	return parseMounts(string(raw))
}

func parseMounts(table string) (all mounts) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 6 {
			continue
		}
		m := mount{dev: f[2], root: unescapeMount(f[3]), point: unescapeMount(f[4]), options: f[5]}
		// Any number of optional fields, ended by a dash.
		if dash := slices.Index(f, "-"); dash > 0 && dash+1 < len(f) {
			m.kind = f[dash+1]
		}
		all = append(all, m)
	}
	return all
}

// unescapeMount decodes the octal escapes of blanks, tabs, line ends and backslashes.
func unescapeMount(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// aliases are the other paths under which path, or part of it, is mounted: a bind mount of /data/home at /home, a file system mounted
// twice. Hiding only one of them would leave the other.
func (all mounts) aliases(path string) []string {
	var at *mount
	for i, m := range all {
		if below(path, m.point) && (at == nil || len(m.point) >= len(at.point)) {
			at = &all[i]
		}
	}
	if at == nil {
		return nil
	}
	inner := filepath.Join(at.root, strings.TrimPrefix(path, at.point))
	var others []string
	for _, m := range all {
		if m.dev != at.dev || m.point == at.point {
			continue
		}
		switch {
		case below(m.root, inner): // a folder of it, mounted elsewhere
			others = append(others, m.point)
		case below(inner, m.root):
			other := filepath.Join(m.point, strings.TrimPrefix(inner, m.root))
			if other != path && sameFile(path, other) { // else covered by another mount
				others = append(others, other)
			}
		}
	}
	return others
}

// processTables are mounted proc file systems other than /proc, which is replaced by the sandbox's own.
func (all mounts) processTables() (points []string) {
	for _, m := range all {
		if m.kind == "proc" && !below(m.point, "/proc") {
			points = append(points, m.point)
		}
	}
	return points
}

// controlGroups are mounts through which whole groups of processes can be stopped and killed, from any process namespace.
func (all mounts) controlGroups() (points []string) {
	for _, m := range all {
		if m.kind == "cgroup" || m.kind == "cgroup2" {
			points = append(points, m.point)
		}
	}
	return points
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
