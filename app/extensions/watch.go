package extensions

import (
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/sallyport/sallyport/app/follow"
)

// maxWatched is how many folders are watched in all; the system gives each user a limited number. Folders beyond are read anew every few
// seconds instead.
const maxWatched = 4000

// Without events, extensions are looked at this often: those with folders that aren't watched, and all, because not every file system sends
// events.
const (
	lookUnwatched = 5 * time.Second
	lookAnyway    = time.Minute
)

// watched is what is watched, and how it looked.
type watched struct {
	folders map[string]os.FileInfo
	partly  bool // some folders aren't
	looked  time.Time
	tops    map[string]os.FileInfo // the folders of all extensions and of their switches
}

// Watch follows the extensions until the hub ends.
func (e *Extensions) Watch() {
	if e.office.Store == nil {
		return // what was accepted is unknown
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		watcher = nil // they are read every few seconds
	} else {
		defer watcher.Close()
	}
	e.watch.folders = map[string]os.FileInfo{}
	follow.Files{
		Settle: e.opts.Settle, Longest: e.opts.Longest, Every: e.opts.HomeCheck, Closing: e.opts.Closing,
		Matters: e.matters,
		Changed: e.stirred,
		Look: func() {
			// A folder that appeared is read again once it is watched: nothing told of what was written to it before.
			for range 3 {
				e.Look()
				if !e.arm(watcher) {
					break
				}
			}
		},
	}.Run(watcher)
}

// tops are the folders in which extensions appear, and in which they are switched.
func (e *Extensions) tops() (all []string) {
	for _, l := range e.places() {
		all = append(all, filepath.Join(l.Folder, "Claude Extensions"), filepath.Join(l.Folder, "Claude Extensions Settings"))
	}
	return all
}

func (e *Extensions) matters(file string) bool {
	for _, top := range e.tops() {
		if follow.LeadsTo(top, file) || follow.LeadsTo(file, top) { // a folder above appears first
			return true
		}
	}
	return false
}

// stirred reports whether there is reason for a look without an event.
func (e *Extensions) stirred() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	now, stirred := map[string]os.FileInfo{}, false
	for _, top := range e.tops() {
		info, _ := os.Stat(top)
		now[top] = info
		stirred = stirred || !follow.Same(e.watch.tops[top], info)
	}
	e.watch.tops = now
	since := time.Since(e.watch.looked)
	return stirred || since >= lookAnyway || e.watch.partly && since >= lookUnwatched
}

// arm watches every folder of every extension. fresh is true if some weren't watched before.
func (e *Extensions) arm(watcher *fsnotify.Watcher) (fresh bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watch.looked = time.Now()
	if watcher == nil {
		e.watch.partly = true
		return false
	}
	wanted := map[string]bool{}
	for _, top := range e.tops() {
		wanted[follow.Nearest(top)] = true
	}
	for _, folder := range e.reader.folders() {
		wanted[folder] = true
	}
	for folder, before := range e.watch.folders {
		if now, err := os.Stat(folder); !wanted[folder] || err != nil || !os.SameFile(before, now) {
			_ = watcher.Remove(folder) // it may be gone, and the watch with it
			delete(e.watch.folders, folder)
		}
	}
	e.watch.partly = false
	for folder := range wanted {
		if _, ok := e.watch.folders[folder]; ok {
			continue
		}
		info, err := os.Stat(folder)
		if err != nil {
			continue // not there yet: stirred sees it appear, or the folder above is watched
		}
		if len(e.watch.folders) >= maxWatched || watcher.Add(folder) != nil {
			e.watch.partly = true
			continue
		}
		e.watch.folders[folder], fresh = info, true
	}
	return fresh
}
