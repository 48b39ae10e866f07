package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/program"
)

// These are programs of this user, or of the system, that run what they are told through a socket in the file system: a server in a sandbox
// could ask them to act outside it. docs/sandbox.md lists what is left open and why. Only what exists when the server starts is hidden.

// buses are how systemd, the desktop and every program on a bus take orders.
var buses = []string{"/run/dbus", "/run/systemd/private", "/run/snapd.socket", "/run/snapd-snap.socket", "HOME/.cache/at-spi"}

// displays accept key presses for any window, ours included.
var displays = []string{"/tmp/.X11-unix", "/tmp/.ICE-unix", "HOME/.Xauthority"}

// terminals run whatever is typed into them from outside; so do pm2 and emacs.
var terminals = []string{
	"/tmp/tmux-UID", "/run/screen", "/run/screens", "/tmp/screens", "HOME/.screen", "/tmp/zellij-UID", "/tmp/emacsUID",
	"HOME/.pm2/rpc.sock", "HOME/.pm2/pub.sock",
}

// engines start containers and virtual machines that see the whole file system.
var engines = []string{
	"/run/docker.sock", "/run/docker", "/run/podman", "/run/containerd", "/run/crio", "/run/libvirt", "/run/buildkit",
	"/var/lib/lxd/unix.socket", "/var/snap/lxd/common/lxd/unix.socket", "/var/lib/incus/unix.socket",
	"HOME/.docker/run", "HOME/.docker/desktop", "HOME/.colima/default/docker.sock", "HOME/.rd/docker.sock",
}

// engineCommands are servers that run in a container of their own: only they keep access to the engine's socket.
var engineCommands = []string{"docker", "podman", "nerdctl"}

// reach hides programs that would act outside for a server inside.
func (w *walls) reach(s Server) {
	env := s.Env
	home, _ := program.Lookup(env, "HOME")
	var hide []string
	runtimes := []string{"/run/user/" + userID()}
	if folder, ok := program.Lookup(env, "XDG_RUNTIME_DIR"); ok && filepath.IsAbs(folder) {
		runtimes = append(runtimes, folder)
	}
	for _, folder := range whole(runtimes) {
		// Don't hide an unusual XDG_RUNTIME_DIR that contains more than sockets.
		if slices.ContainsFunc([]string{s.Dir, s.Path, home, os.TempDir(), "/tmp"}, func(needed string) bool { return below(needed, folder) }) || w.in(folder, w.gone) {
			hide = append(hide, folder+"/bus", folder+"/systemd", folder+"/at-spi", folder+"/docker.sock", folder+"/podman")
			continue
		}
		w.empty(folder, "0700")
	}
	hide = append(append(append(hide, buses...), displays...), terminals...)
	if !slices.Contains(engineCommands, filepath.Base(s.Argv[0])) {
		hide = append(hide, engines...)
		hide = append(hide, socketOf(env, "DOCKER_HOST")...)
	}
	for _, name := range []string{"DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS"} {
		hide = append(hide, socketOf(env, name)...)
	}
	if file, ok := program.Lookup(env, "XAUTHORITY"); ok {
		hide = append(hide, file)
	}
	if folder, ok := program.Lookup(env, "TMUX_TMPDIR"); ok {
		hide = append(hide, folder+"/tmux-UID")
	}
	if tmux, ok := program.Lookup(env, "TMUX"); ok {
		socket, _, _ := strings.Cut(tmux, ",")
		hide = append(hide, socket)
	}
	for i, name := range hide {
		name = strings.ReplaceAll(name, "UID", userID())
		if rest, ok := strings.CutPrefix(name, "HOME/"); ok {
			name = ""
			if filepath.IsAbs(home) {
				name = filepath.Join(home, rest)
			}
		}
		hide[i] = name
	}
	for _, what := range whole(hide) {
		if !w.in(what, w.gone) {
			w.hide(what, nil)
		}
	}
}

// socketOf returns the paths in an address such as unix:path=/run/user/1000/bus,guid=… or unix:///run/docker.sock.
func socketOf(env []string, name string) (paths []string) {
	value, _ := program.Lookup(env, name)
	for address := range strings.SplitSeq(value, ";") {
		rest, ok := strings.CutPrefix(address, "unix:")
		if !ok {
			continue
		}
		if path, ok := strings.CutPrefix(rest, "//"); ok {
			paths = append(paths, path)
			continue
		}
		for pair := range strings.SplitSeq(rest, ",") {
			if path, ok := strings.CutPrefix(pair, "path="); ok {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// AbstractSockets are sockets without a file through which a server under shield, which shares the network, can still reach a display or a
// bus. The kernel ties them to the network namespace.
func AbstractSockets() []string {
	raw, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	return abstractSockets(string(raw))
}

func abstractSockets(table string) (names []string) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		// Num RefCount Protocol Flags Type St Inode Path; 00010000 is a listening socket.
		if len(f) == 8 && f[3] == "00010000" && (strings.HasPrefix(f[7], "@/tmp/.X11-unix/") || strings.Contains(f[7], "dbus")) && f[7][0] == '@' {
			names = append(names, f[7])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
