package sandbox

import (
	"strings"
	"testing"
)

func TestWhatBubblewrapCannotDoIsExplained(t *testing.T) {
	for _, c := range []struct{ name, said, want string }{
		{"no namespaces for users", "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces. See <https://deb.li/bubblewrap>.\n", "unprivileged_userns_clone"},
		{"AppArmor, or a container", "bwrap: setting up uid map: Permission denied\n", "namespaces"},
		{"no network namespace", "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted\n", "namespaces"},
		{"no proc in a container", "bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n", "container"},
		{"too old", "bwrap: Unknown option --perms\n", "too old"},
		{"something else", "a line of its own\nbwrap: Can't bind mount /oldroot/x on /newroot/x: \x1b[31m\n", `bubblewrap says "Can't bind mount /oldroot/x on /newroot/x: \x1b[31m"`},
		{"silence", "", "ended before it began"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Explain(c.said)
			if !strings.Contains(got, c.want) || strings.ContainsAny(got, "\n\x1b") {
				t.Errorf("%q", got)
			}
		})
	}
}
