package extensions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Options say whose extensions to follow. All must be set.
type Options struct {
	Home      control.Home
	System    clientconfig.System
	Asked     func() bool   // whether a person agreed that other programs' folders are read; macOS would ask them
	Settle    time.Duration // how long a folder must be quiet before it is read: an extension is written file by file
	Longest   time.Duration // how long a folder that is never quiet is left unread
	HomeCheck time.Duration // how often something that sends no events is looked at
	Closing   chan struct{} // closed when the hub ends
}

// Extensions is the department.
type Extensions struct {
	office  *office.Office
	pushAll func() // brings every wrapper up to date; under the office's lock
	opts    Options

	mu     sync.Mutex
	reader *reader
	watch  watched
}

func New(o *office.Office, pushAll func(), opts Options) *Extensions {
	return &Extensions{office: o, pushAll: pushAll, opts: opts, reader: newReader()}
}

// found is an extension as it is on the disk.
type found struct {
	clientconfig.Extension
	contents
	manifest string // SHA-256 of its manifest, "" if that can't be read
}

func (f found) id() string { return store.ExtensionID(f.Folder) }

// places are the folders of Claude Desktop that can contain extensions.
func (e *Extensions) places() (all []clientconfig.Location) {
	for _, l := range clientconfig.Places(e.opts.System) {
		if l.Client == clientconfig.ClaudeDesktop {
			all = append(all, l)
		}
	}
	return all
}

// installed reads all extensions. One that is switched off doesn't run, so its folder isn't read. sure is false if some can't be told. The
// caller holds the lock.
func (e *Extensions) installed() (all []found, sure bool) {
	sure = true
	for _, l := range e.places() {
		listed, err := clientconfig.Extensions(l, e.opts.System)
		sure = sure && err == nil
		for _, one := range listed {
			f := found{Extension: one}
			if !one.Disabled {
				f = e.read(one)
			}
			all = append(all, f)
		}
	}
	return all, sure
}

func (e *Extensions) read(one clientconfig.Extension) found {
	f := found{Extension: one, contents: e.reader.read(one.Folder)}
	if raw, err := clientconfig.Read(filepath.Join(one.Folder, "manifest.json")); err == nil {
		f.manifest = sumOf(raw)
	}
	return f
}

// Look makes the items about extensions match what is on the disk.
func (e *Extensions) Look() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.office.Store == nil || e.opts.System.OS == "darwin" && !e.opts.Asked() {
		return
	}
	all, sure := e.installed()
	_ = e.settle(all, sure) // the store says itself if it can't be written
}

// settle makes the pending items those of the given extensions. Without sure, items about others stay.
func (e *Extensions) settle(all []found, sure bool) error {
	var wanted []*review.Content
	ids := make([]string, len(all))
	err := e.office.Viewing(func(tx *store.Tx) error {
		for i, f := range all {
			pinned, err := store.Extensions(tx).Get(f.Folder)
			known := err == nil
			if err != nil && !office.Absent(err) {
				return err
			}
			ids[i] = f.id()
			wanted = append(wanted, e.content(f, pinned, known))
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.office.Lock()
	defer e.office.Unlock()
	var notices []review.Notice
	changed := false
	err = e.office.Update(func(tx *store.Tx) (bool, error) {
		notices, changed = nil, false
		about := slices.Clone(ids)
		for _, head := range tx.WaitingHeads() {
			if head.Kind == vocab.ItemExtension && sure && !slices.Contains(ids, head.ServerID) {
				about = append(about, head.ServerID)
			}
		}
		for i, id := range about {
			var content *review.Content
			if i < len(wanted) {
				content = wanted[i]
			}
			item, fresh, err := e.office.Settle(tx, content, vocab.ItemExtension, id, e.office.Now())
			if err != nil {
				return false, err
			}
			if !fresh {
				continue
			}
			changed = true
			if e.office.Flooded(id, e.office.Now()) {
				continue // what changes ten times a minute must not fill the timeline or a person's screen
			}
			r := store.Record{Summary: "a desktop extension is back to what you accepted, or gone", Detail: office.Detail(map[string]any{"check": "extension"})}
			status := vocab.StatusOK
			if item != nil {
				d := review.ReadFileDetail(*item)
				status, r.Code, r.Summary = vocab.StatusWarned, item.Code, item.Title
				r.Detail = office.Detail(map[string]any{"check": "extension", "path": d.Path, "digest": item.Digest})
				notices = append(notices, review.NoticeOf(*item, identity.ClientTitle(clientconfig.ClaudeDesktop)))
			}
			if _, err := tx.Append(e.office.Record(vocab.RecordConfigChange, status, r)); err != nil {
				return false, err
			}
		}
		return changed, nil
	})
	if err != nil {
		return e.office.Failed(err)
	}
	if changed {
		e.pushAll()
	}
	for _, n := range notices {
		e.office.Tell(n)
	}
	return nil
}

// Of is the folder of the extension that an item is about, "" for other items.
func (e *Extensions) Of(code string) (folder string) {
	_ = e.office.Viewing(func(tx *store.Tx) error {
		it, err := tx.Item(code)
		if err == nil && it.Kind == vocab.ItemExtension {
			folder = review.ReadFileDetail(it).Path
		}
		return err
	})
	return folder
}

// DecideExtension decides on an item about an extension. Its folder is read first, so that the decision is about what is there now. Approve
// pins it. Reject leaves the item, because Sallyport can't keep the client from starting it.
func (e *Extensions) DecideExtension(peer control.Peer, folder string, d control.Decide) (control.Decided, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := control.Decided{Approved: []string{}, Rejected: []string{}, Left: []string{}}
	if _, err := e.waits(peer, d); err != nil {
		return out, err
	}
	all, sure := e.installed()
	at := slices.IndexFunc(all, func(f found) bool { return f.Folder == folder })
	if err := e.settle(all, sure); err != nil {
		return out, err
	}
	it, err := e.waits(peer, d)
	if err != nil {
		return out, err
	}
	if at < 0 {
		return out, office.Answer(control.CodeStale, "the extension is gone")
	}
	f := all[at]
	part := partKey(f)
	if len(d.Items) > 0 && !slices.Equal(d.Items, []string{part}) {
		return out, office.Answer(control.CodeBadRequest, "an extension is accepted whole: name no part")
	}
	out.Code, out.Server = it.Code, identity.ClientTitle(clientconfig.ClaudeDesktop)
	kind, words := vocab.RecordApproval, "accepted"
	if d.Reject {
		out.Rejected = append(out.Rejected, part)
		kind, words = vocab.RecordRejection, "not accepted"
	} else {
		out.Approved = append(out.Approved, part)
		if err := e.keep(f); err != nil {
			return control.Decided{}, office.Answer(control.CodeUnavailable, "Sallyport couldn't save the list of the extension's files, so nothing was decided: %s", office.OneLine(err.Error()))
		}
	}
	err = e.office.Updating(func(tx *store.Tx) error {
		if !d.Reject {
			now := e.office.Now()
			pin := store.Extension{Folder: f.Folder, Version: f.Version, Runs: f.Runs, Manifest: f.manifest, Files: f.digest, At: now}
			if err := store.Extensions(tx).Put(pin); err != nil {
				return err
			}
			it.Decided, it.DecidedAt = vocab.DecidedApproved, now
			if err := tx.PutItem(it); err != nil {
				return err
			}
		}
		return e.office.NoteDecision(tx, store.Server{}, kind, it.Code, []string{review.ExtensionPrefix + word(f.Name)}, words, map[string]any{"check": "extension", "path": f.Folder, "digest": it.Digest})
	})
	if err != nil {
		return control.Decided{}, err
	}
	if !d.Reject {
		e.sweep(f)
	}
	e.office.Lock()
	defer e.office.Unlock()
	e.pushAll()
	return out, nil
}

// waits returns the item of a decision, if the caller may decide and it is still pending.
func (e *Extensions) waits(peer control.Peer, d control.Decide) (it store.Item, err error) {
	e.office.Lock()
	defer e.office.Unlock()
	if err := e.office.Decides(peer, d.Code); err != nil {
		return it, err
	}
	err = e.office.Store.View(func(tx *store.Tx) (err error) {
		it, err = office.Undecided(tx, d)
		return err
	})
	return it, e.office.Failed(err)
}

// Distrust takes every acceptance back.
func Distrust(tx *store.Tx) error {
	for _, e := range store.Extensions(tx).All() {
		if err := store.Extensions(tx).Forget(e.Folder); err != nil {
			return err
		}
	}
	return nil
}

// lists is the folder of the lists of files of accepted extensions.
func (e *Extensions) lists() string { return filepath.Join(e.opts.Home.Dir, "extensions") }

func (e *Extensions) listFile(folder, digest string) string {
	return filepath.Join(e.lists(), strings.TrimPrefix(store.ExtensionID(folder), "extension:")+"-"+digest[:32]+".list")
}

// keep stores the list of an extension's files, for the words about the next change.
func (e *Extensions) keep(f found) error {
	if f.digest == "" {
		return nil
	}
	if err := disk.OwnFolder(e.lists()); err != nil {
		return err
	}
	return disk.WriteWhole(e.listFile(f.Folder, f.digest), f.list)
}

// kept is the list of the files that were accepted, nil if it is missing or isn't that list any more.
func (e *Extensions) kept(pin store.Extension) []byte {
	if len(pin.Files) < 32 {
		return nil
	}
	raw, err := disk.Read(e.listFile(pin.Folder, pin.Files), maxList)
	if err != nil || sumOf(raw) != pin.Files {
		return nil
	}
	return raw
}

// maxList is far more than the list of 100,000 files.
const maxList = 256 << 20

// sweep removes older lists of an extension.
func (e *Extensions) sweep(f found) {
	names, err := os.ReadDir(e.lists())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	id := strings.TrimPrefix(f.id(), "extension:")
	for _, name := range names {
		path := filepath.Join(e.lists(), name.Name())
		if strings.HasPrefix(name.Name(), id+"-") && (f.digest == "" || path != e.listFile(f.Folder, f.digest)) {
			_ = os.Remove(path)
		}
	}
}
