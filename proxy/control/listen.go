package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/peer"
)

// ErrRunning means that another hub owns this home.
var ErrRunning = errors.New("a hub runs already")

// ErrInside means that a wrapped server started this program, so it may not be a hub.
var ErrInside = errors.New("a guarded server started this: start the hub from your own terminal")

// Listener is the socket of a home's only hub, and the locks that make it the only one. Close it last, after the store: to a hub that
// is waiting to take over, its release means that everything is released.
type Listener struct {
	home  Home
	path  string
	door  *door
	locks []*os.File
	close sync.Once
}

// Path is the socket's path.
func (l *Listener) Path() string { return l.path }

// Listen makes this process the hub of home. It returns ErrRunning if there is one, and ErrInside if a server started this process.
func Listen(home Home) (*Listener, error) {
	if peer.OfServer() {
		return nil, ErrInside
	}
	if err := home.Make(); err != nil {
		return nil, err
	}
	l := &Listener{home: home}
	if err := l.listen(); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Listener) listen() error {
	// Two locks, because two hubs can meet in two places: one data folder reached with two XDG_RUNTIME_DIRs, and one
	// socket folder that two data folders share. The data folder's comes first, always.
	if err := l.lock(filepath.Join(l.home.Dir, "hub.lock")); err != nil {
		return err
	}
	path, err := l.home.socketToListen()
	if err != nil {
		return err
	}
	if beside := path + ".lock"; filepath.Dir(path) != l.home.Dir {
		if err := l.lock(beside); err != nil {
			return err
		}
	}
	// We hold the lock, so an existing socket was left by a killed hub. Anything else stays.
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("look at the socket: %w", err)
	case info.Mode()&os.ModeSocket == 0:
		return fmt.Errorf("%s is in the way of the socket: move it away", path)
	default:
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove the socket of a hub that is gone: %w", err)
		}
	}
	if l.door, err = openDoor(path); err != nil {
		return err
	}
	l.path = path
	return l.home.recordSocket(path)
}

func (l *Listener) lock(path string) error {
	f, err := disk.Open(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return fmt.Errorf("open the hub's lock: %w", err)
	}
	held, err := disk.Lock(f)
	if err == nil && !held {
		err = ErrRunning
	}
	if err != nil {
		f.Close()
		return err
	}
	l.locks = append(l.locks, f)
	return nil
}

// Close removes the socket, then releases the locks. The lock files stay: if one were removed, two hubs could hold "the" lock.
func (l *Listener) Close() error {
	var err error
	l.close.Do(func() {
		if l.door != nil {
			err = l.door.shut()
		}
		for _, f := range l.locks {
			f.Close()
		}
	})
	return err
}

// stands reports whether the home is still the one that was opened. A hub whose home vanished ends; otherwise it would own files
// that nobody can reach.
func (l *Listener) stands() bool {
	for _, f := range l.locks { // one in each of our folders
		held, err := f.Stat()
		if err != nil {
			return false
		}
		if now, err := os.Lstat(f.Name()); err != nil || !os.SameFile(held, now) {
			return false
		}
	}
	return true
}

// TakeOver is Listen for a hub that may replace another: one started by a person replaces one started by a wrapper, and the
// desktop app any hub without a window. It asks, waits until the other has released everything, and listens. It returns ErrRunning if
// the other one stays.
func TakeOver(ctx context.Context, home Home, options DialOptions) (*Listener, error) {
	ctx, cancel := context.WithTimeout(ctx, takeOverTimeout)
	defer cancel()
	options.Role = RoleHub
	l, err := Listen(home)
	if !errors.Is(err, ErrRunning) {
		return l, err
	}
	// Wrappers that lose their hub start one. This lock tells them that one is already starting.
	if starting, err := disk.Open(home.startingLock(), os.O_RDWR|os.O_CREATE); err == nil {
		defer starting.Close()
		_, _ = disk.Lock(starting)
	}
	for {
		if l, err = Listen(home); !errors.Is(err, ErrRunning) {
			return l, err
		}
		if err := askToStepDown(ctx, home, options); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w and does not give way: end it, or look at its log", ErrRunning)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

const takeOverTimeout = 15 * time.Second

// askToStepDown returns nil if the other hub agreed or has just gone.
func askToStepDown(ctx context.Context, home Home, options DialOptions) error {
	c, err := DialWith(ctx, home, options)
	if errors.Is(err, ErrNoHub) {
		return nil
	}
	if err != nil {
		return err
	}
	defer c.Close()
	var refusal *Error
	switch _, err := askStepDown(ctx, c, nothing{}); {
	case errors.As(err, &refusal):
		return fmt.Errorf("%w: %s", ErrRunning, refusal.Message)
	case err == nil:
		// It now flushes, and drops this connection when done.
		select {
		case <-c.Done():
		case <-ctx.Done():
		}
	}
	return nil
}

// startingLock is held by a process that is about to start a hub, so that ten wrappers starting at once start one hub.
func (h Home) startingLock() string { return filepath.Join(h.Dir, "starting.lock") }
