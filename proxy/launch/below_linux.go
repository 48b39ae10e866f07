package launch

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
)

// sees says that processes can be looked at here.
const sees = true

// maxCommand bounds what is read of one process's arguments or environment.
const maxCommand = 1 << 20

// below is the process and all that descends from it. A process that ends while it is read is left out.
func below(pid int) []running {
	children := map[int][]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(child); ok {
			children[parent] = append(children[parent], child)
		}
	}
	var tree []running
	var walk func(pid, depth int)
	walk = func(pid, depth int) {
		if depth > 64 || len(tree) > 4096 {
			return
		}
		if p, ok := readProcess(pid); ok {
			p.depth = depth
			tree = append(tree, p)
		}
		for _, child := range children[pid] {
			walk(child, depth+1)
		}
	}
	walk(pid, 0)
	return tree
}

// parentOf reads the fourth field of stat(5); the name before it may hold anything.
func parentOf(pid int) (int, bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}

func readProcess(pid int) (running, bool) {
	dir := "/proc/" + strconv.Itoa(pid) + "/"
	exe, err := os.Readlink(dir + "exe")
	if err != nil {
		return running{}, false
	}
	p := running{pid: pid, exe: strings.TrimSuffix(exe, " (deleted)"), argv: list(dir + "cmdline"), env: list(dir + "environ")}
	p.dir, _ = os.Readlink(dir + "cwd")
	p.parent, _ = parentOf(pid)
	return p, true
}

// holds says that a process has both pipes open. A library may have moved them away from 0 and 1, to keep what prints
// there out of the conversation.
func holds(pid int, pipes ...uint64) bool {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	names, _ := f.Readdirnames(maxDescriptors)
	f.Close()
	for _, pipe := range pipes {
		if pipe == 0 || !slices.ContainsFunc(names, func(name string) bool {
			to, _ := os.Readlink(dir + "/" + name)
			return to == "pipe:["+strconv.FormatUint(pipe, 10)+"]"
		}) {
			return false
		}
	}
	return true
}

// maxDescriptors bounds what is looked at of one process.
const maxDescriptors = 1024

func list(path string) []string {
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) == 0 || len(raw) > maxCommand {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
}
