package transport

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sallyport/sallyport/proxy/proc"
)

// bwrapPlaces are fixed: the client's PATH must not choose what the walls are made of.
var bwrapPlaces = []string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

const (
	prSetPdeathsig = 1
	prSetDumpable  = 4
)

// enter starts a guard inside the sandbox that c asks for. path is the program that it will be told to run. That the walls
// do not come up is seen later, when the guard does not answer (wallsFailed).
func enter(c Command, path string) (*Prepared, error) {
	refuse := func(err error) (*Prepared, error) { return nil, &SandboxError{c.Argv[0], err.Error()} }
	bwrap, err := findBwrap(bwrapPlaces)
	if err != nil {
		return refuse(err)
	}
	w, err := plan(c, path)
	if err != nil {
		return refuse(err)
	}
	// Inside, our own file may be hidden or not there at all; an open file has no path to hide.
	program, err := os.Open("/proc/self/exe")
	if err != nil {
		return refuse(err)
	}
	defer program.Close()
	argv := append(append([]string{"bwrap"}, w.args...), "--", "/proc/self/fd/"+strconv.Itoa(guardProgram), guardArg)
	g, err := spawn(bwrap, argv, program)
	if err != nil {
		return refuse(err)
	}
	g.walled = true
	return g, nil
}

// findBwrap takes a bubblewrap that only root can have put there.
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

// overflowID is whom the kernel names where an owner has no number in our user namespace: in a container without root,
// root's files show it.
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

// explainWalls puts into words what bubblewrap says when it cannot work here.
func explainWalls(said string) string {
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

// becomeFirst is for a guard that is the first process of its namespace. If bubblewrap, its parent, is killed, the kernel
// kills it and with it all that is inside. The server is of the same user, and must neither trace it nor read its memory
// and files: it speaks to the wrapper. What descriptors the client left open stay with it: one of a folder would lead the
// server around every mount.
func becomeFirst() {
	if os.Getpid() != 1 {
		return
	}
	open, _ := os.ReadDir("/proc/self/fd")
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetPdeathsig, uintptr(syscall.SIGKILL), 0)
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0)
}

// TrySandbox starts a shell that does nothing under each level, with hold held in place, and says which bubblewrap made the walls.
func TrySandbox(ctx context.Context, hold []string) (string, error) {
	bwrap, err := findBwrap(bwrapPlaces)
	if err != nil {
		return "", &SandboxError{Reason: err.Error()}
	}
	for _, strict := range []bool{false, true} {
		p, err := Start(ctx, Command{Argv: []string{"/bin/sh", "-c", ":"}, Dir: "/", Sandbox: &Sandbox{Strict: strict, Hold: hold}}, io.Discard, nil)
		var refused *SandboxError
		if errors.As(err, &refused) {
			return "", &SandboxError{Reason: refused.Reason}
		}
		if err != nil {
			return "", err
		}
		p.Stop()
	}
	asked, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	said, err := exec.CommandContext(asked, bwrap, "--version").Output()
	if err != nil {
		return bwrap, nil
	}
	return bwrap + ", " + strings.TrimSpace(string(said)), nil
}

// seenOutside is the process below box that has the number inner in there; 0 if there is none.
func seenOutside(box, inner int) int {
	found := 0
	descendants(func(p proc.Process) bool { return p.Parent == box }, func(p proc.Process) {
		if found == 0 && numberInside(p.PID) == inner {
			found = p.PID
		}
	})
	return found
}

// numberInside is the last number of the line NSpid, the innermost.
func numberInside(pid int) int {
	status, err := proc.Text(pid, "status")
	if err != nil {
		return 0
	}
	numbers, err := proc.Line(status, "NSpid:")
	if err != nil || len(numbers) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(numbers[len(numbers)-1])
	return n
}
