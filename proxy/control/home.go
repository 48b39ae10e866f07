package control

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sallyport/sallyport/proxy/disk"
)

// Home holds the paths of one installation's files. All are absolute.
type Home struct {
	Root     string // SALLYPORT_HOME if set, else ""
	Dir      string // the data folder; everything below except Settings and Socket is inside
	Settings string // settings.json
	Store    string // sallyport.db
	Backups  string
	Spool    string
	Logs     string
	Socket   string // preferred path of the socket; Listen and Dial replace one that is too long for the platform
}

const socketName = "hub.sock"

// shortFolder holds sockets whose own path is too long.
func shortFolder() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("sallyport-%d", os.Getuid()))
}

// HomeAt returns a home that is all in dir, as SALLYPORT_HOME asks for.
func HomeAt(dir string) (Home, error) {
	dir, err := filepath.Abs(dir) // a hub started by a wrapper has another working folder
	if err != nil {
		return Home{}, fmt.Errorf("find the home: %w", err)
	}
	h := homeIn(dir, dir, dir)
	h.Root = dir
	return h, nil
}

// FindHome returns the home of the environment: SALLYPORT_HOME, else the platform's folders.
func FindHome(getenv func(string) string) (Home, error) {
	if dir := getenv("SALLYPORT_HOME"); dir != "" {
		return HomeAt(dir)
	}
	return platformHome(getenv)
}

func homeIn(config, data, runtime string) Home {
	return Home{
		Dir:      data,
		Settings: filepath.Join(config, "settings.json"),
		Store:    filepath.Join(data, "sallyport.db"),
		Backups:  filepath.Join(data, "backups"),
		Spool:    filepath.Join(data, "spool"),
		Logs:     filepath.Join(data, "logs"),
		Socket:   filepath.Join(runtime, socketName),
	}
}

// Make creates missing folders and checks all of them: they must be ours, closed to others, and no symbolic links. It refuses any
// other folder and leaves it as it is, because others may have written there.
func (h Home) Make() error {
	for _, dir := range []string{h.Dir, filepath.Dir(h.Settings), h.Backups, h.Spool, h.Logs} {
		if err := disk.OwnFolder(dir); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a home that exists and is not ours alone; for a missing home it returns fs.ErrNotExist.
func (h Home) check() error { return disk.CheckFolder(h.Dir) }

// recordedSocket is the file in the data folder that holds the socket's path if the socket is elsewhere: a wrapper may have been
// started with another TMPDIR or XDG_RUNTIME_DIR than the hub.
func (h Home) recordedSocket() string { return filepath.Join(h.Dir, "socket") }

// socketToListen returns the path a hub listens at. The caller holds the home's lock, so that nobody else writes the record.
func (h Home) socketToListen() (string, error) {
	path := h.Socket
	if len(path) > maxSocketPath {
		if old, err := h.readRecordedSocket(); err == nil && disk.OwnFolder(filepath.Dir(old)) == nil {
			path = old
		} else {
			sum := sha256.Sum256([]byte(h.Dir))
			path = filepath.Join(shortFolder(), hex.EncodeToString(sum[:6])+".sock")
		}
		if len(path) > maxSocketPath {
			return "", fmt.Errorf("socket path %s is longer than %d bytes, and so is one in the temporary folder: set SALLYPORT_HOME or TMPDIR to a shorter path", h.Socket, maxSocketPath)
		}
	}
	if err := disk.OwnFolder(filepath.Dir(path)); err != nil {
		return "", err
	}
	return path, nil
}

// socketsToDial returns the paths at which this home's hub may listen, best first.
func (h Home) socketsToDial() []string {
	var paths []string
	if len(h.Socket) <= maxSocketPath {
		paths = append(paths, h.Socket)
	}
	if path, err := h.readRecordedSocket(); err == nil && path != h.Socket {
		paths = append(paths, path)
	}
	return paths
}

func (h Home) readRecordedSocket() (string, error) {
	f, err := disk.Open(h.recordedSocket(), os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	buf := make([]byte, maxSocketPath+2)
	n, err := f.Read(buf)
	if err != nil {
		return "", err
	}
	path, ended := strings.CutSuffix(string(buf[:n]), "\n")
	if !ended || !filepath.IsAbs(path) || len(path) > maxSocketPath {
		return "", fmt.Errorf("%s holds no socket path: remove it", h.recordedSocket())
	}
	return path, nil
}

// recordSocket stores the socket's path, or removes the record if the path is the preferred one. The caller holds the home's lock.
func (h Home) recordSocket(path string) error {
	name := h.recordedSocket()
	if filepath.Dir(path) == h.Dir {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the old record of the socket: %w", err)
		}
		return nil
	}
	if err := disk.WriteWhole(name, []byte(path+"\n")); err != nil {
		return fmt.Errorf("record the socket: %w", err)
	}
	return nil
}

// Private returns the folders of this home, which are hidden from a sandboxed server. It creates missing ones: a folder that doesn't
// exist can't be hidden, and a server could create it.
func (h Home) Private() ([]string, error) {
	if err := h.Make(); err != nil {
		return nil, err
	}
	folders := []string{h.Dir, filepath.Dir(h.Settings), filepath.Dir(h.Socket)}
	if path, err := h.readRecordedSocket(); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	if len(h.Socket) > maxSocketPath {
		folders = append(folders, shortFolder())
	}
	for _, dir := range folders {
		if err := disk.OwnFolder(dir); err != nil {
			return nil, err
		}
	}
	return folders, nil
}
