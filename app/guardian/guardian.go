// Package guardian puts the wrapper in front of servers in clients' files, follows those files, and removes it again: which servers of a
// client are guarded (Coverage), Protect and Unprotect, changes to a protected file, and a person's decisions about them (DecideFile). A
// file is only changed if it is still as it was read, with a backup and a note in the store, so that a kill in the middle leaves the old
// file or the new one.
//
// Its lock is taken before the office's and never under it: reading a file may wait for the system to ask the person.
package guardian

import (
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Hub is what the guardian needs from the hub.
type Hub struct {
	PushAll     func()                                                  // brings every wrapper up to date; under the office's lock
	AutoProtect func() bool                                             // whether new entries of a protected file are wrapped at once
	Plaintext   func() bool                                             // whether remote servers on other computers may be reached over http
	Started     func(client, name string) bool                          // whether a client has started an entry since it was last written
	NotStarted  func(tx *store.Tx, client string, names []string) error // resets that
}

// Options say whose files to guard. All must be set.
type Options struct {
	Home      control.Home
	Program   string              // the path of sallyport for clients' files
	System    clientconfig.System // whose clients are looked at
	Settle    time.Duration       // how long a watched file must be quiet before it is read
	HomeCheck time.Duration       // how often files are checked without an event
	LookAgain time.Duration       // after a change of a file that its client writes too; 2 s
	Closing   chan struct{}       // closed when the hub ends
}

// Guardian is the department. Its lock covers every change to clients' files.
type Guardian struct {
	office *office.Office
	hub    Hub
	opts   Options

	mu     sync.Mutex
	wake   chan struct{}   // buffered 1: the set of protected files changed
	looked map[string]bool // files this hub has checked: changes found at the first check happened while no hub ran
	stamps map[string]stamp
	shared map[string][]string // of a protected file, the files whose entries it has copies of
}

func New(o *office.Office, hub Hub, opts Options) *Guardian {
	return &Guardian{office: o, hub: hub, opts: opts, wake: make(chan struct{}, 1), looked: map[string]bool{}, stamps: map[string]stamp{}, shared: map[string][]string{}}
}

// installation is this Sallyport, as it edits the file of a client.
func (g *Guardian) installation(program, client string) clientconfig.Installation {
	g.office.Lock()
	defer g.office.Unlock()
	return clientconfig.Installation{Path: program, Client: client, Plaintext: g.hub.Plaintext()}
}

// Quietly runs f while nothing is done to clients' files.
func (g *Guardian) Quietly(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
}

// LookAtAll checks every protected file.
func (g *Guardian) LookAtAll() {
	for _, f := range g.ProtectedFiles() {
		g.mu.Lock()
		err := g.lookAt(f.Path)
		g.mu.Unlock()
		if err != nil {
			g.office.FailedReading(err)
		}
	}
}

// lookAt updates the inbox for a protected file. The caller holds the lock.
func (g *Guardian) lookAt(path string) error {
	for wrapped := false; ; wrapped = true {
		w, err := g.recoverWrite(path)
		var unread *viewError
		if errors.As(err, &unread) {
			g.cannotView(path, unread.error)
			return nil
		}
		if err != nil || w == nil {
			return err
		}
		view, err := clientedit.Look(path, clientconfig.FormatOf(w.by.Client))
		if g.cannotView(path, err) {
			return nil
		}
		g.sharedBy(w)
		changes, err := g.takeHonest(w, view)
		if err != nil {
			return err
		}
		if !wrapped && g.wrapNew(w, view, changes) {
			continue
		}
		defer func() { g.looked[path] = true }()
		return g.settleFile(w, view, judgeFile(changes, w, view.File))
	}
}

// unavailable is a response for an error that is not the caller's fault.
func unavailable(err error) error {
	return office.Answer(control.CodeUnavailable, "%s", office.OneLine(err.Error()))
}

func changedSince(path string) error {
	return office.Answer(control.CodeStale, "%s changed since it was shown: check it again", path)
}

// cannotView records the problem of an unreadable file, or ends it. Such a file is never treated as empty.
func (g *Guardian) cannotView(path string, err error) bool {
	g.office.Lock()
	defer g.office.Unlock()
	for _, code := range []string{office.ProblemClientGone, office.ProblemClientDenied, office.ProblemClientUnreadable} {
		if strings.HasPrefix(g.office.Stands(code).What, path) {
			g.office.Solved(code)
		}
	}
	switch {
	case err == nil:
		return false
	case errors.Is(err, os.ErrNotExist):
		g.office.Problem(office.ProblemClientGone, path+" is gone, so the servers you protected don't start", "to restore a copy, see `sallyport backups`")
	case errors.Is(err, os.ErrPermission):
		g.office.Problem(office.ProblemClientDenied, path+" can't be read, so Sallyport can't tell whether its servers are guarded", "allow Sallyport to read it")
	default:
		g.office.Problem(office.ProblemClientUnreadable, path+" can't be read, so Sallyport can't tell whether its servers are guarded: "+strings.TrimPrefix(err.Error(), path+": "), "fix the file")
	}
	return true
}
