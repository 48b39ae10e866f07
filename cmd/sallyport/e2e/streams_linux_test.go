package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A client's pipes may be shared. However we end, another process that reads them after us must not get EAGAIN.
func TestAClientsPipesStayBlockingForWhoeverSharesThem(t *testing.T) {
	h := install(t)
	dir := folder(t)
	argv := script(t, dir, "one.json", strings.NewReplacer(daemonsRule, "", "DRIFT", filepath.Join(dir, "drift")).Replace(stormServer))
	s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
	s.handshake("2025-06-18")
	s.request("tools/list", `{}`)
	for fd := range 2 {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", s.cmd.Process.Pid, fd))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), "flags:")
		flags, err := strconv.ParseUint(strings.Fields(rest)[0], 8, 32)
		if err != nil || flags&syscall.O_NONBLOCK != 0 {
			t.Errorf("descriptor %d: flags %o, %v", fd, flags, err)
		}
	}
}
