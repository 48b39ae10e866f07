package transport

import (
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/proxy/proc"
)

// atStart is the environment given to this process, and Go's view of it. The kernel's copy never changes.
var atStart = sync.OnceValues(func() (given, seen []string) {
	given, _ = proc.Environ(os.Getpid())
	return given, asGoSees(given)
})

// environ is this process's environment as it was given. Go drops empty entries and all but one of a repeated name, which a server started
// without us would see, so the kernel's copy is used, unless this process has changed its environment since.
func environ() []string {
	current := os.Environ()
	if given, seen := atStart(); given != nil && slices.Equal(seen, current) {
		return slices.Clone(given)
	}
	return current
}

// asGoSees does to an environment what the syscall package does: the first entry of a name wins, empty ones are dropped, one without "="
// stays.
func asGoSees(given []string) []string {
	seen := make(map[string]bool, len(given))
	var out []string
	for _, entry := range given {
		if entry == "" {
			continue
		}
		if name, _, named := strings.Cut(entry, "="); named {
			if seen[name] {
				continue
			}
			seen[name] = true
		}
		out = append(out, entry)
	}
	return out
}
