package peer

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/proc"
	"github.com/sallyport/sallyport/proxy/proc/table"
)

// maxAncestors is far beyond any real process tree; a longer chain is an attack.
const maxAncestors = 1024

// Descends reports whether pid is a wrapper or descends from one: a connected one (wrappers), or a process that looks like one, an
// executable of this installation that was told to wrap, probe or guard. A wrapper is its server's subreaper, so a double fork, a new
// session or a terminal in between does not break the chain. What a wrapper's guard started also has a mark, which remains if both were
// killed. In doubt the answer is yes.
func (in *Installation) Descends(pid int, wrappers []int) bool {
	if Marked(pid) {
		return true
	}
	// The chain is read twice and must be the same. If a child has the same parent in both readings, the parent lived in between, so
	// nothing that was read belongs to a later process with its number.
	var before []table.Process
	for range 4 {
		chain, ok := ancestors(pid)
		if !ok {
			continue // a parent may have ended meanwhile: an honest process is read again
		}
		for _, p := range chain {
			if slices.Contains(wrappers, p.PID) || in.looksLikeWrapper(p.PID) {
				return true
			}
		}
		if slices.Equal(before, chain) {
			return false
		}
		before = chain
	}
	return true
}

// ancestors is pid and everything above it, up to the first process or the edge of our namespace.
func ancestors(pid int) ([]table.Process, bool) {
	var chain []table.Process
	for pid > 0 {
		if len(chain) == maxAncestors {
			return nil, false
		}
		p, err := table.Read(pid)
		if err != nil {
			return nil, false
		}
		chain = append(chain, p)
		pid = p.Parent
	}
	return chain, len(chain) > 0
}

// looksLikeWrapper is also true for a process of ours whose arguments can't be read. Another user's executable can't be read, so it is no
// wrapper of ours.
func (in *Installation) looksLikeWrapper(pid int) bool {
	file, err := proc.Executable(pid)
	if err != nil || !in.holds(file) {
		return false
	}
	argv, err := proc.Args(pid)
	if err != nil || len(argv) == 0 {
		return true
	}
	for _, word := range argv[1:] {
		if strings.HasPrefix(word, "-") {
			continue
		}
		return word == "wrap" || word == "probe" || word == "__guard"
	}
	return false
}
