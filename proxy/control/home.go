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

// Home says where one installation's files live. All paths are absolute.
type Home struct {
	Root     string // SALLYPORT_HOME where it was given, else ""
	Dir      string // the data folder; everything below but Settings and Socket is inside
	Settings string // settings.json
	Store    string // sallyport.db
	Backups  string
	Spool    string
	Logs     string
	Socket   string // where the socket is wanted; a path too long for the platform is replaced by Listen and Dial
}

const socketName = "hub.sock"

// shortFolder is where sockets are whose own path is too long.
func shortFolder() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("sallyport-%d", os.Getuid()))
}

// HomeAt is a home that lies in dir whole, as SALLYPORT_HOME asks for.
func HomeAt(dir string) (Home, error) {
	dir, err := filepath.Abs(dir) // a hub that a wrapper starts has another working folder
	if err != nil {
		return Home{}, fmt.Errorf("find the home: %w", err)
	}
	h := homeIn(dir, dir, dir)
	h.Root = dir
	return h, nil
}

// FindHome is the home that the environment names: SALLYPORT_HOME, else the platform's folders.
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

// Make creates the folders that are missing and checks all of them: ours, open to nobody else, and no symbolic links. A
// folder that is not so is refused and left as it is, because who could write to it has perhaps done so.
func (h Home) Make() error {
	for _, dir := range []string{h.Dir, filepath.Dir(h.Settings), h.Backups, h.Spool, h.Logs} {
		if err := disk.OwnFolder(dir); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a home that is there and not ours alone; a home that is not there is fs.ErrNotExist.
func (h Home) check() error { return disk.CheckFolder(h.Dir) }

// recordedSocket is the file in the data folder that holds the socket's path wherever that is not beside it: a wrapper may
// have been started with another TMPDIR or XDG_RUNTIME_DIR than the hub.
func (h Home) recordedSocket() string { return filepath.Join(h.Dir, "socket") }

// socketToListen is the path a hub listens at. The caller holds the home's lock, so that nobody else writes the record.
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

// socketsToDial are the paths at which this home's hub may be found, best first.
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

// recordSocket notes where the socket is, or that it is where one would look. The caller holds the home's lock.
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

// Private are the folders of this home, which no server in a sandbox may see. They are created where they are missing: what
// does not exist cannot be hidden, and could be made by a server that wants to be found there.
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
