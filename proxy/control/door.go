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

// door is the socket that a hub listens on, and its name in the file system. Any program of this user can put its own socket under that
// name while the hub lives: the proof then refuses newcomers, and the hub would never know. So the hub checks the name, and if it leads
// elsewhere it binds a new socket and puts that in its place. Existing connections stay.
type door struct {
	path string

	mu     sync.Mutex
	socket *net.UnixListener
	bound  os.FileInfo // the file behind the name when socket was put there
	over   bool        // closed for good
	paused bool        // another Serve will continue
}

// openDoor listens at path, where nothing may exist.
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
	err = os.Chmod(path, 0o600)    // the folder protects the socket; this is for people who look
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

// accept returns the next connection, on the door's current socket.
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

// shut removes the socket, and its name if that is still the socket's.
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

// displaced reports whether the name leads elsewhere. The caller holds mu.
func (d *door) displaced() bool {
	now, err := os.Lstat(d.path)
	return err != nil || !os.SameFile(d.bound, now)
}

// errInTheWay: the socket's name belongs to something that a hub never removes.
var errInTheWay = errors.New("is in the way of the socket: move it away")

// retake restores the hub's socket under its name if that leads elsewhere. displaced means that it did; the error, why it still does.
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
	case there.Mode()&(os.ModeSocket|os.ModeSymlink) == 0: // as at the start: never remove somebody's file
		return true, fmt.Errorf("%s %w", d.path, errInTheWay)
	}
	// Bound under another name and renamed: the name always leads somewhere, and nobody can bind it in between.
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
	old.Close() // those in its queue dial again
	return true, nil
}

// Displaced reports that something had replaced the hub's socket. Count is how often, since the last report.
type Displaced struct {
	Count int
	Why   string // why it is still replaced, "" if the hub has restored it
}

// DisplacedRecord is the timeline's record of it.
func DisplacedRecord(d Displaced) Record {
	summary := "another program took the place of Sallyport's socket; Sallyport took it back"
	if d.Why != "" {
		summary = "another program took the place of Sallyport's socket, and Sallyport could not take it back"
	}
	detail, _ := json.Marshal(map[string]any{"check": "socket", "count": d.Count, "why": d.Why}) // a map of plain values
	return Record{Kind: vocab.RecordProblem, Status: vocab.StatusBlocked, Summary: summary, Detail: detail}
}
