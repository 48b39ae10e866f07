package guardian

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
	"github.com/sallyport/sallyport/app/follow"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/store"
)

// burst limits how long a stream of edits delays a check: a program that never stops writing must not prevent it.
const burst = 20

// stamp is how a file looks without reading it. A different stamp is reason to read it.
type stamp struct {
	info    os.FileInfo   // nil: it is missing
	shared  []os.FileInfo // of the files whose entries it has copies of; nil: missing
	program bool          // the program of its entries exists
}

func stampOf(f store.ClientFile, sharing []string) stamp {
	_, err := os.Stat(f.Program)
	info, _ := os.Stat(f.Path)
	shared := make([]os.FileInfo, len(sharing))
	for i, path := range sharing {
		shared[i], _ = os.Stat(path)
	}
	return stamp{info, shared, err == nil}
}

func (s stamp) same(o stamp) bool {
	return s.program == o.program && slices.EqualFunc(s.shared, o.shared, follow.Same) && follow.Same(s.info, o.info)
}

// sharedBy notes which files of projects matter to a protected file. The caller holds the lock.
func (g *Guardian) sharedBy(w *wantedFile) {
	var paths []string
	for _, k := range w.snapshot.Entries {
		if path := k.SharedIn(); path != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if !slices.Equal(paths, g.shared[w.Path]) {
		g.shared[w.Path] = paths
		g.rewatch()
	}
}

// rewatch reports that the set of protected files may have changed.
func (g *Guardian) rewatch() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// WatchClients follows protected files. It watches the folder, because clients and editors replace the file. If a folder is missing, it
// watches the nearest one above until it comes back. Not every file system sends events, so it also checks the files now and then.
func (g *Guardian) WatchClients() {
	if g.office.Store == nil {
		return // the wanted state is unknown
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		watcher = nil
		g.notWatched(err)
	} else {
		defer watcher.Close()
	}
	folders := map[string]os.FileInfo{}
	var paths []string
	follow.Files{
		Settle: g.opts.Settle, Longest: burst * g.opts.Settle, Every: g.opts.HomeCheck, Wake: g.wake, Closing: g.opts.Closing,
		Matters: func(file string) bool {
			return slices.ContainsFunc(paths, func(path string) bool { return follow.LeadsTo(file, path) })
		},
		Changed: g.stirred,
		Look: func() {
			if watcher != nil {
				paths = g.arm(watcher, folders)
			}
			g.LookAtAll()
		},
	}.Run(watcher)
}

func (g *Guardian) sharedOf(path string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.shared[path])
}

func (g *Guardian) notWatched(err error) {
	g.office.Lock()
	defer g.office.Unlock()
	g.office.Problem(office.ProblemClientWatch, "can't watch the clients' files: "+err.Error(), "Sallyport checks them every few seconds instead; restart the hub to watch them again")
}

// ProtectedFiles are the files with a wanted state.
func (g *Guardian) ProtectedFiles() (files []store.ClientFile) {
	_ = g.office.Viewing(func(tx *store.Tx) error {
		files = tx.ClientFiles()
		return nil
	})
	return files
}

// stirred reports whether a protected file looks different from last time.
func (g *Guardian) stirred() bool {
	files := g.ProtectedFiles()
	g.mu.Lock()
	defer g.mu.Unlock()
	now := map[string]stamp{}
	stirred := false
	for _, f := range files {
		now[f.Path] = stampOf(f, g.shared[f.Path])
		if before, ok := g.stamps[f.Path]; ok && !before.same(now[f.Path]) {
			stirred = true
		}
	}
	g.stamps = now
	return stirred
}

// arm watches the folders of protected files, and no others. It watches a folder again that was replaced under its old name. paths are the
// files that count, by every name they have.
func (g *Guardian) arm(watcher *fsnotify.Watcher, folders map[string]os.FileInfo) (paths []string) {
	g.stirred() // what is seen now is the base of the next check
	var wanted []string
	for _, f := range g.ProtectedFiles() {
		paths = append(paths, f.Path)
		wanted = append(wanted, follow.Nearest(filepath.Dir(f.Path)), follow.Nearest(filepath.Dir(filepath.Dir(f.Path))))
		for _, shared := range g.sharedOf(f.Path) {
			paths = append(paths, shared)
			wanted = append(wanted, follow.Nearest(filepath.Dir(shared)))
		}
		if target, err := filepath.EvalSymlinks(f.Path); err == nil && target != f.Path {
			paths = append(paths, target)
			wanted = append(wanted, filepath.Dir(target))
		}
	}
	for folder, before := range folders {
		now, err := os.Stat(folder)
		if !slices.Contains(wanted, folder) || err != nil || !os.SameFile(before, now) {
			_ = watcher.Remove(folder) // it may be gone, and the watch with it
			delete(folders, folder)
		}
	}
	var failed error
	for _, folder := range wanted {
		if _, ok := folders[folder]; ok {
			continue
		}
		info, err := os.Stat(folder)
		if err == nil {
			err = watcher.Add(folder)
		}
		if err != nil {
			failed = err
			continue
		}
		folders[folder] = info
	}
	if failed != nil {
		g.notWatched(failed)
		return paths
	}
	g.office.Lock()
	defer g.office.Unlock()
	g.office.Solved(office.ProblemClientWatch)
	return paths
}
