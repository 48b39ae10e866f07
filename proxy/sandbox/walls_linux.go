package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// walls are the arguments of bubblewrap. It applies them in order, and a later mount covers an earlier one, so everything that hides comes
// last: no folder that is bound back can bring something hidden with it.
type walls struct {
	args []string
	gone []string // folders that are emptied under strict, before anything in them is bound back
	hid  []string // paths hidden so far
}

func (w *walls) add(args ...string) { w.args = append(w.args, args...) }

// Walls returns the arguments for one server, based on the file system as it is now.
func (s *Sandbox) Walls(server Server) ([]string, error) {
	w := &walls{}
	// The server must not see processes of ours, so it can't signal or trace them. The guard is the first process inside and reaps; its own
	// session keeps it from our terminal. System V shared memory and queues have no file to hide.
	w.add("--unshare-pid", "--as-pid-1", "--new-session", "--unshare-ipc")
	if os.Getuid() == 0 {
		w.add("--cap-drop", "ALL") // bubblewrap leaves root its capabilities, and with those one call undoes a mount
	}
	if server.Dir == "" {
		var err error
		if server.Dir, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	if err := held(s); err != nil {
		return nil, err
	}
	hide := whole(s.Hide)
	if s.Strict {
		w.strict(server, hide)
	} else {
		w.shield()
		w.pin(hide)
	}
	w.reach(server)
	w.others(readMounts())
	for _, what := range hide {
		w.hide(what, s.Keep)
	}
	if w.in(server.Dir, append(slices.Clone(w.gone), w.hid...)) {
		w.add("--perms", "0700", "--dir", server.Dir)
	}
	w.add("--chdir", server.Dir)
	for _, folder := range w.hid {
		w.add("--remount-ro", folder)
	}
	return w.args, nil
}

// shield leaves the file system as it is, except devices that type, listen to the keyboard or show other terminals.
func (w *walls) shield() {
	w.add("--dev-bind", "/", "/", "--dev", "/dev")
	for _, device := range devices("/dev") {
		w.add("--dev-bind-try", device, device)
	}
	w.add("--proc", "/proc")
}

// others closes ways to reach processes that don't go through their number in /proc.
func (w *walls) others(all mounts) {
	for _, point := range all.controlGroups() {
		if !w.in(point, w.gone) {
			w.add("--ro-bind-try", point, point)
		}
	}
	for _, point := range all.processTables() {
		if !w.in(point, w.gone) {
			w.hide(point, nil)
		}
	}
}

// hide covers one existing path. Folders become empty, and are made read-only last of all; a file is covered with a device that nobody can
// open on a mount without devices.
func (w *walls) hide(what string, keep []string) {
	if w.in(what, w.hid) {
		return
	}
	info, err := os.Lstat(what)
	if err != nil {
		return
	}
	if !info.IsDir() {
		w.add("--ro-bind", "/dev/null", what)
		return
	}
	w.add("--perms", "0700", "--tmpfs", what)
	w.hid = append(w.hid, what)
	for _, k := range keep {
		if real, err := filepath.EvalSymlinks(k); err == nil && below(real, what) {
			w.add("--ro-bind", real, real)
		}
	}
}

// empty replaces a folder with a private one: the server can write there, and nobody outside sees it.
func (w *walls) empty(folder, mode string) {
	w.add("--perms", mode, "--tmpfs", folder)
	w.gone = append(w.gone, folder)
}

func (*walls) in(what string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return below(what, folder) })
}

func below(what, folder string) bool {
	return what == folder || folder == "/" || strings.HasPrefix(what, folder+"/")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// held refuses a shield that a link on the way would undo. Under strict the server can write nothing that lasts.
func held(box *Sandbox) error {
	if box.Strict {
		return nil
	}
	for _, path := range box.Hold {
		if link := replaceableLink(path); link != "" {
			return errors.New(strconv.QuoteToGraphic(path) + " is reached over the symbolic link " + strconv.QuoteToGraphic(link) +
				", which the server could replace: put the folder itself or a bind mount there, or where SALLYPORT_HOME names it, name its real path")
		}
	}
	return nil
}

// maxWay limits the symbolic links followed on the way to one path, as the kernel does.
const maxWay = 40

// replaceableLink is the first symbolic link on the way to path in a folder this user can write to, "" if there is none.
func replaceableLink(path string) string {
	at, rest := "/", strings.Split(path, "/")
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil {
			at = next
			continue
		}
		if links++; links > maxWay || writable(at) {
			return next
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return ""
}

// whole resolves paths as the kernel does, without symbolic links, adds their other mounts, and sorts shallow ones first. Missing paths are
// dropped.
func whole(paths []string) []string {
	mounts := readMounts()
	var all []string
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || real == "/" {
			continue
		}
		all = append(append(all, real), mounts.aliases(real)...)
	}
	slices.SortFunc(all, byDepth)
	return slices.Compact(all)
}

func byDepth(a, b string) int {
	if d := strings.Count(a, "/") - strings.Count(b, "/"); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// pin holds the folders above hidden ones in place. If a server could rename one, it could put its own settings, store and seal where ours
// are looked for next time; a folder that is a mount point cannot be renamed. Our own program can't be replaced either, or the server would
// choose the next wrapper.
func (w *walls) pin(hidden []string) {
	held := slices.Clone(hidden)
	self, err := filepath.EvalSymlinks(ownPath())
	replaceable := err == nil && (writable(self) || writable(filepath.Dir(self)))
	if replaceable {
		held = append(held, self)
	}
	var all []string
	for _, what := range held {
		for folder := filepath.Dir(what); folder != "/"; folder = filepath.Dir(folder) {
			if writable(filepath.Dir(folder)) {
				all = append(all, folder)
			}
		}
	}
	slices.SortFunc(all, byDepth)
	for _, folder := range slices.Compact(all) {
		w.add("--dev-bind", folder, folder)
	}
	if replaceable {
		w.add("--ro-bind", self, self)
	}
}

func writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }

func ownPath() string {
	path, _ := os.Executable()
	return path
}

func userID() string { return strconv.Itoa(os.Getuid()) }
