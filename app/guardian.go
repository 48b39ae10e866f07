package app

import (
	"errors"
	"os"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/store"
)

// guardian serialises what the hub does with clients' files. Its lock is taken before the office's and never under it: reading a file
// may wait for the system to ask the person.
type guardian struct {
	mu     sync.Mutex
	wake   chan struct{}   // buffered 1: another set of files is protected
	looked map[string]bool // files this hub has looked at: what is found at the first look happened while no hub ran
	lastly map[string]stamp
}

// Quietly runs f while nothing is done to clients' files.
func (h *Hub) Quietly(f func()) {
	h.guard.mu.Lock()
	defer h.guard.mu.Unlock()
	f()
}

// lookAtAll looks at every protected file.
func (h *Hub) lookAtAll() {
	var files []store.ClientFile
	err := h.office.Viewing(func(tx *store.Tx) (err error) {
		files, err = tx.ClientFiles()
		return err
	})
	if err != nil {
		return // said by the call that met it; a hub without a store guards nothing
	}
	for _, f := range files {
		h.guard.mu.Lock()
		err := h.lookAt(f.Path)
		h.guard.mu.Unlock()
		if err != nil {
			h.office.FailedReading(err)
		}
	}
}

// lookAt brings the inbox in line with a protected file. The caller holds the lock.
func (h *Hub) lookAt(path string) error {
	w, err := h.recoverWrite(path)
	var unread *viewError
	if errors.As(err, &unread) {
		h.cannotView(path, unread.error)
		return nil
	}
	if err != nil || w == nil {
		return err
	}
	view, err := viewClient(path)
	if h.cannotView(path, err) {
		return nil
	}
	changes, err := h.takeHonest(w, view)
	if err != nil {
		return err
	}
	if h.wrapNew(w, view, changes) {
		if w, err = h.loadWanted(path); err != nil || w == nil {
			return err
		}
		if view, err = viewClient(path); h.cannotView(path, err) {
			return nil
		}
		if changes, err = h.takeHonest(w, view); err != nil {
			return err
		}
	}
	defer func() { h.guard.looked[path] = true }()
	return h.settleFile(w, view, judgeFile(changes, w, view.file))
}

// cannotView keeps the problem of a file that cannot be read, and ends it. Such a file is never taken for an empty one.
func (h *Hub) cannotView(path string, err error) bool {
	h.office.Lock()
	defer h.office.Unlock()
	for _, code := range []string{office.ProblemClientGone, office.ProblemClientDenied, office.ProblemClientUnreadable} {
		if strings.HasPrefix(h.office.Stands(code).What, path) {
			h.office.Solved(code)
		}
	}
	switch {
	case err == nil:
		return false
	case errors.Is(err, os.ErrNotExist):
		h.office.Problem(office.ProblemClientGone, path+" is gone, so the servers you protected don't start", "to restore a copy, see `sallyport backups`")
	case errors.Is(err, os.ErrPermission):
		h.office.Problem(office.ProblemClientDenied, path+" can't be read, so Sallyport can't tell whether its servers are guarded", "allow Sallyport to read it")
	default:
		h.office.Problem(office.ProblemClientUnreadable, path+" can't be read, so Sallyport can't tell whether its servers are guarded: "+strings.TrimPrefix(err.Error(), path+": "), "fix the file")
	}
	return true
}
