package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/peer"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// startTimeout is how long a hub may take from its start to its first answer.
const startTimeout = 15 * time.Second

// hubEnvironment lists the variables a hub gets from its starter, besides its screen. A wrapper has the environment of one server's
// entry, whose secrets must not reach the hub.
var hubEnvironment = []string{
	"HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "TZ", "TMPDIR", "TMP", "TEMP",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE",
	"XDG_DATA_DIRS", "XDG_CONFIG_DIRS",
	"USERPROFILE", "LOCALAPPDATA", "APPDATA", "SYSTEMROOT", "SYSTEMDRIVE",
	"SALLYPORT_KEYCHAIN", // off in tests, whose hubs must leave nothing in a person's keychain
}

// EnsureHub starts a hub if none runs and returns when one answers: hidden in the desktop program if that is beside exe and there is a
// display, else `exe hub --started-by-wrapper`. It returns the pid of the hub it started, 0 if another was first. The hub has its own
// session but is still our child, so it must be spared when our other descendants are killed.
func EnsureHub(ctx context.Context, home Home, exe string) (pid int, err error) {
	c, pid, err := ensureHub(ctx, home, exe, DialOptions{Role: RoleCLI}, nil)
	if c != nil {
		c.Close()
	}
	return pid, err
}

// ensureHub is EnsureHub that keeps the connection. It calls started with the hub's pid before anything else happens.
func ensureHub(ctx context.Context, home Home, exe string, options DialOptions, started func(pid int)) (*Client, int, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if c, err := DialWith(ctx, home, options); !home.vacant(err) {
		return c, 0, err
	}
	if err := home.Make(); err != nil {
		return nil, 0, err
	}
	// Ten wrappers that start at once start one hub: the first to get this lock starts it, the others wait.
	starting, err := disk.Open(home.startingLock(), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, 0, fmt.Errorf("start a hub: %w", err)
	}
	defer starting.Close()
	var (
		pid      int
		ended    <-chan error
		on       = screenFor(options.Role)
		commands = hubCommands(home, exe, on)
	)
	for pause := time.Millisecond; ; pause = min(pause*2, 50*time.Millisecond) {
		if ended == nil {
			ours, err := disk.Lock(starting)
			if err != nil {
				return nil, 0, fmt.Errorf("start a hub: %w", err)
			}
			c, err := DialWith(ctx, home, options)
			if !home.vacant(err) {
				return c, pid, err
			}
			if ours {
				for { // a program that can't be run counts as not installed, as long as there is another
					if pid, ended, err = startHub(home, commands[0], on, started); err == nil {
						break
					}
					if commands = commands[1:]; len(commands) == 0 {
						return nil, 0, fmt.Errorf("start a hub: %w", err)
					}
				}
			}
		}
		c, err := DialWith(ctx, home, options)
		if !home.vacant(err) {
			return c, pid, err
		}
		select {
		case err := <-ended:
			// Another hub may have won the home and be about to listen: dial once more before giving up.
			c, dialed := waitForHub(ctx, home, options)
			if commands = commands[1:]; c == nil && errors.Is(dialed, ErrNoHub) && len(commands) > 0 {
				ended = nil // the window could not open: start a hub without one
				continue
			}
			if c == nil && errors.Is(dialed, ErrNoHub) {
				dialed = fmt.Errorf("start a hub: it ended (%w): see %s", exitOf(err), filepath.Join(home.Logs, "hub.log"))
			}
			return c, 0, dialed
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, pid, fmt.Errorf("start a hub: it does not respond: see %s", filepath.Join(home.Logs, "hub.log"))
		}
	}
}

func exitOf(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// waitForHub dials for as long as a hub needs between its lock and its socket.
func waitForHub(ctx context.Context, home Home, options DialOptions) (*Client, error) {
	over := time.After(500 * time.Millisecond)
	for {
		c, err := DialWith(ctx, home, options)
		if !errors.Is(err, ErrNoHub) {
			return c, err
		}
		select {
		case <-over:
			return nil, err
		case <-ctx.Done():
			return nil, err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// startHub runs a hub that outlives us: its own session, none of our pipes, another working folder.
func startHub(home Home, command []string, on screen, started func(pid int)) (int, <-chan error, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = filepath.VolumeName(home.Dir) + string(filepath.Separator)
	cmd.Env = []string{} // nil would pass on our whole environment
	if home.Root != "" {
		cmd.Env = append(cmd.Env, "SALLYPORT_HOME="+home.Root)
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains(hubEnvironment, name) || strings.HasPrefix(name, "LC_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, on...)
	detach(cmd)
	if out, err := hubLog(home); err == nil { // else its output goes nowhere
		defer out.Close()
		cmd.Stdout, cmd.Stderr = out, out
	}
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	if started != nil {
		started(cmd.Process.Pid)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return cmd.Process.Pid, ended, nil
}

// maxHubLog is the size at which a hub's log starts over.
const maxHubLog = 4 << 20

func hubLog(home Home) (*os.File, error) {
	f, err := disk.Open(filepath.Join(home.Logs, "hub.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > maxHubLog {
		_ = f.Truncate(0)
	}
	return f, nil
}

// vacant reports whether a home has no hub, from the error of dialing it. A foreign program on the socket doesn't keep a hub from
// starting, unless the home is owned: then it is most likely a hub of another version, and no other hub could start.
func (h Home) vacant(err error) bool {
	return errors.Is(err, ErrNoHub) || errors.Is(err, peer.ErrForeign) && !h.owned()
}

// owned reports whether some process holds the lock that a living hub holds. Call it only in doubt: it takes the lock for a moment, and
// a hub starting at that moment has to try again.
func (h Home) owned() bool {
	f, err := disk.Open(filepath.Join(h.Dir, "hub.lock"), os.O_RDWR)
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	defer f.Close()
	free, err := disk.Lock(f)
	return err != nil || !free
}

// ownedInterval is how long a proved end may stay silent before its ownership of the home is checked.
const ownedInterval = 300 * time.Millisecond

// suspect calls f once the silent listener at socket is known not to be the hub: nobody owns the home, or its owner now listens at another
// socket of that name. The function it returns stops the search and returns the reason.
func (h Home) suspect(ctx context.Context, socket string, f func()) (why func() error) {
	var (
		mu     sync.Mutex
		reason error
	)
	dialed, _ := os.Lstat(socket)
	ctx, stop := context.WithCancel(ctx)
	go func() {
		for after(ctx, ownedInterval) {
			var found error
			if now, err := os.Lstat(socket); dialed == nil || err != nil || !os.SameFile(dialed, now) {
				found = fmt.Errorf("%w: its socket was replaced", ErrNoHub)
			} else if !h.owned() {
				found = fmt.Errorf("%w: it does not respond, and no hub runs there", peer.ErrForeign)
			} else {
				continue
			}
			mu.Lock()
			defer mu.Unlock()
			if ctx.Err() == nil {
				reason = found
				f()
			}
			return
		}
	}()
	return func() error {
		mu.Lock()
		defer mu.Unlock()
		stop()
		return reason
	}
}

// foreign records that a program posed as the hub, at most once a minute.
func (l *Link) foreign(err error) {
	if !errors.Is(err, peer.ErrForeignMessage) {
		return
	}
	if count := l.strange.met(time.Now()); count > 0 {
		l.Record(ForeignRecord(Foreign{Why: err.Error(), Count: count}))
	}
}

// ForeignRecord is the timeline's record of foreign messages, for either end.
func ForeignRecord(f Foreign) Record {
	detail, _ := json.Marshal(map[string]any{"check": "sender", "count": f.Count, "why": f.Why}) // a map of plain values
	return Record{Kind: vocab.RecordProblem, Status: vocab.StatusBlocked, Summary: "another program spoke on a connection between Sallyport's programs; nothing it said counted", Detail: detail}
}
