package launch

import (
	"os"
	"slices"
	"strconv"

	"github.com/sallyport/sallyport/proxy/proc"
	"github.com/sallyport/sallyport/proxy/proc/table"
)

// sees: processes can be inspected on this platform.
const sees = true

// below is the process and all its descendants. It skips a process that ends meanwhile.
func below(pid int) []running {
	children := map[int][]int{}
	_ = table.Each(func(child int) error {
		if p, err := table.Read(child); err == nil {
			children[p.Parent] = append(children[p.Parent], child)
		}
		return nil
	})
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

func readProcess(pid int) (running, bool) {
	exe, _, err := proc.Path(pid)
	if err != nil {
		return running{}, false
	}
	p := running{pid: pid, exe: exe}
	p.argv, _ = proc.Args(pid)
	p.env, _ = proc.Environ(pid)
	p.dir, _ = proc.Folder(pid)
	stat, _ := table.Read(pid)
	p.parent = stat.Parent
	return p, true
}

// holds reports whether a process has both pipes open. A library may have moved them away from 0 and 1, to keep printed text out of the
// conversation.
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

// maxDescriptors limits the descriptors checked per process.
const maxDescriptors = 1024
