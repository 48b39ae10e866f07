package peer

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/proc"
)

// maxAncestors is far beyond any real tree; a chain that is longer was made to be.
const maxAncestors = 1024

// Descends says whether pid is a wrapper or stands below one: one that is connected (wrappers), or one that only
// looks like one, an executable of this installation that was told to wrap, probe or guard. A wrapper is its server's
// subreaper, so a double fork, a new session or a terminal between the two does not cut the chain. What a wrapper's guard started
// is known by a mark as well, which stays where both were killed. Doubt is yes.
func (in *Installation) Descends(pid int, wrappers []int) bool {
	if Marked(pid) {
		return true
	}
	// The chain is read twice and must read the same. While a child is seen under a parent in both readings the parent
	// lived in between, so nothing read about it was about a later process with its number.
	var before []proc.Process
	for range 4 {
		chain, ok := ancestors(pid)
		if !ok {
			continue // a parent may have ended while we read: an honest one is read again
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

// ancestors is pid and all above it, up to the first process or the edge of our namespace.
func ancestors(pid int) ([]proc.Process, bool) {
	var chain []proc.Process
	for pid > 0 {
		if len(chain) == maxAncestors {
			return nil, false
		}
		p, err := proc.Read(pid)
		if err != nil {
			return nil, false
		}
		chain = append(chain, p)
		pid = p.Parent
	}
	return chain, len(chain) > 0
}

// looksLikeWrapper is true also where a process of ours does not tell what it was told to do. The executable of another
// user's process cannot be read; that is no wrapper of ours.
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
