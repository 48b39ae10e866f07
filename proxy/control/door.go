package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/peer"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// door is the socket that a hub listens on, and its name in the file system. Any program of this user can put a socket of its own under
// that name while the hub lives: newcomers are then refused by the proof, and the hub that is still there hears nothing of it. So the
// hub looks at the name, and when it leads elsewhere binds a new socket and puts that in its place. Who is connected stays so.
type door struct {
	path string

	mu     sync.Mutex
	socket *net.UnixListener
	bound  os.FileInfo // what the name led to when socket was put there
	over   bool        // nothing is put there any more
	paused bool        // another Serve goes on with it
}

// openDoor listens at path, where nothing may be.
func openDoor(path string) (*door, error) {
	socket, bound, err := bind(path)
	if err != nil {
		return nil, err
	}
	return &door{path: path, socket: socket, bound: bound}, nil
}

func bind(path string) (*net.UnixListener, os.FileInfo, error) {
	config := net.ListenConfig{Control: peer.TellSenders}
	ln, err := config.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, nil, fmt.Errorf("listen: %w", err)
	}
	socket := ln.(*net.UnixListener)
	socket.SetUnlinkOnClose(false) // it may have another name by then
	err = os.Chmod(path, 0o600)    // the folder is what protects; this is for those who look
	var bound os.FileInfo
	if err == nil {
		bound, err = os.Lstat(path)
	}
	if err != nil {
		socket.Close()
		_ = os.Remove(path)
		return nil, nil, fmt.Errorf("close the socket to others: %w", err)
	}
	return socket, bound, nil
}

// accept is the next connection, on whichever socket the door has by then.
func (d *door) accept() (*net.UnixConn, error) {
	for {
		socket := d.listening()
		conn, err := socket.AcceptUnix()
		if err == nil || socket == d.listening() {
			return conn, err
		}
	}
}

func (d *door) listening() *net.UnixListener {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.socket
}

// pause ends accept; newcomers wait in the socket until resume.
func (d *door) pause() { d.setPaused(true, time.Unix(1, 0)) }

func (d *door) resume() { d.setPaused(false, time.Time{}) }

func (d *door) setPaused(paused bool, until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.paused = paused
	_ = d.socket.SetDeadline(until)
}

// shut takes the socket away, and its name where that is still the socket's.
func (d *door) shut() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return nil
	}
	d.over = true
	if !d.displaced() {
		_ = os.Remove(d.path)
	}
	return d.socket.Close()
}

// displaced says whether the name leads elsewhere than to the socket. The caller holds mu.
func (d *door) displaced() bool {
	now, err := os.Lstat(d.path)
	return err != nil || !os.SameFile(d.bound, now)
}

// errInTheWay: something that no hub removes has the socket's name.
var errInTheWay = errors.New("is in the way of the socket: move it away")

// retake puts the hub's socket back under its name where that leads elsewhere. displaced says that it did; the error, why it does still.
func (d *door) retake() (displaced bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || d.paused || !d.displaced() {
		return false, nil
	}
	switch there, err := os.Lstat(d.path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return true, fmt.Errorf("look at the socket: %w", err)
	case there.Mode()&(os.ModeSocket|os.ModeSymlink) == 0: // as at the start: no file of anybody's is removed
		return true, fmt.Errorf("%s %w", d.path, errInTheWay)
	}
	// Bound under another name and renamed: at no moment does the name lead nowhere, and nobody can bind it in between.
	beside := strings.TrimSuffix(d.path, ".sock") + ".next" // as long as the name, which may be as long as names of sockets are
	_ = os.Remove(beside)
	socket, bound, err := bind(beside)
	if err != nil {
		return true, err
	}
	if err := os.Rename(beside, d.path); err != nil {
		socket.Close()
		_ = os.Remove(beside)
		return true, fmt.Errorf("take the socket's place back: %w", err)
	}
	old := d.socket
	d.socket, d.bound = socket, bound
	old.Close() // who is in its queue dials again
	return true, nil
}

// Displaced is how often something else stood in the place of a hub's socket since the last was told of.
type Displaced struct {
	Count int
	Why   string // why it still does, "" where the hub took its place again
}

// DisplacedRecord is what stands in the timeline of it.
func DisplacedRecord(d Displaced) Record {
	summary := "another program took the place of Sallyport's socket; Sallyport took it back"
	if d.Why != "" {
		summary = "another program took the place of Sallyport's socket, and Sallyport could not take it back"
	}
	detail, _ := json.Marshal(map[string]any{"check": "socket", "count": d.Count, "why": d.Why}) // a map of plain values
	return Record{Kind: vocab.RecordProblem, Status: vocab.StatusBlocked, Summary: summary, Detail: detail}
}
