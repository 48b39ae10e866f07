package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/store"
)

// Kinds of inbox items over a client's file.
const (
	kindConfig    = "config_changed" // entries came, went or changed; what runs, runs guarded or was never asked about
	kindUnguarded = "unguarded"      // a server that should be guarded is not, or only looks so
)

// States of a part of such an item, beside new, changed and removed.
const (
	stateUnwrapped = "unwrapped"
	stateFake      = "fake"
)

const entryPrefix = "entry:"

// guardian serialises what the hub does with clients' files. Its lock is taken before h.mu and never under it: reading a file
// may wait for the system to ask the person.
type guardian struct {
	mu     sync.Mutex
	wake   chan struct{}   // buffered 1: another set of files is protected
	looked map[string]bool // files this hub has looked at: what is found at the first look happened while no hub ran
	lastly map[string]stamp
}

// fileItem says whether a kind of item is about a client's file.
func fileItem(kind string) bool { return kind == kindConfig || kind == kindUnguarded }

// finding is one change of a protected file as an inbox item lists it.
type fileFinding struct {
	change   clientconfig.Change
	name     string
	kind     string
	state    string
	severity string
	words    string
}

// judgeFile says what each change of a protected file is to a person. It is pure.
func judgeFile(changes []clientconfig.Change, w *wantedFile, now *clientconfig.File) []fileFinding {
	var found []fileFinding
	add := func(c clientconfig.Change, name, kind, state, severity, words string) {
		found = append(found, fileFinding{c, name, kind, state, severity, words})
	}
	for _, c := range changes {
		wanted, known := w.snapshot.Entry(c.Name)
		switch c.Event {
		case clientconfig.WipedServers:
			for _, name := range c.Names {
				add(c, name, kindConfig, stateRemoved, severityHigh, "it is gone from the file with all others")
			}
		case clientconfig.RemovedEntry:
			add(c, c.Name, kindConfig, stateRemoved, severityReview, "it is gone from the file")
		case clientconfig.NewEntry:
			words := "it came into the file and runs unguarded"
			switch {
			case c.Class.Kind == clientconfig.Remote, c.Class.Kind == clientconfig.Odd:
				words = "it came into the file and cannot be guarded: " + c.Class.Why
			}
			add(c, c.Name, kindConfig, stateNew, severityReview, words)
		case clientconfig.ChangedEntry:
			severity := severityReview
			if known && wanted.Guarded && (slices.Contains(c.Fields, "command") || slices.Contains(c.Fields, "args")) {
				severity = severityHigh
			}
			add(c, c.Name, kindConfig, stateChanged, severity, strings.Join(c.Fields, ", ")+" changed")
		case clientconfig.LostWrapper:
			words := "its wrapper is gone, so the server runs unguarded"
			e, _ := now.Entry(c.Name)
			if r := recordOf(w.records, c.Name); r == nil || !slices.Equal(r.Argv, e.Argv()) {
				words = "its wrapper is gone and another command stands there, which runs unguarded"
			}
			add(c, c.Name, kindUnguarded, stateUnwrapped, severityHigh, words)
		default: // FalseWrapper, and whatever a later version finds
			severity := severityCritical
			if c.Class.Reason == clientconfig.MissingFile && recordOf(w.records, c.Name) != nil && !slices.Contains(c.Fields, "command") {
				severity = severityHigh // nothing runs: the wrapper that we wrote is not where it was
			}
			add(c, c.Name, kindUnguarded, stateFake, severity, "it looks guarded and is not: "+c.Class.Why)
		}
	}
	return found
}

func recordOf(records []clientconfig.Record, name string) *clientconfig.Record {
	for i := range records {
		if records[i].Name == name {
			return &records[i]
		}
	}
	return nil
}

// lookAtAll looks at every protected file.
func (h *Hub) lookAtAll() {
	var files []store.ClientFile
	err := h.viewing(func(tx *store.Tx) (err error) {
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
			h.failedReading(err)
		}
	}
}

// lookAt brings the inbox in line with a protected file. The caller holds h.guard.mu.
func (h *Hub) lookAt(path string) error {
	w, err := h.recoverWrite(path)
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
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, code := range []string{problemClientGone, problemClientDenied, problemClientUnreadable} {
		if p, ok := h.problems[code]; ok && strings.HasPrefix(p.What, path) {
			h.solved(code)
		}
	}
	switch {
	case err == nil:
		return false
	case errors.Is(err, os.ErrNotExist):
		h.problem(problemClientGone, path+" is gone: the servers that you protected do not start", "`sallyport backups` lists its copies; the watch goes on")
	case errors.Is(err, os.ErrPermission):
		h.problem(problemClientDenied, path+" may not be read, so nobody knows whether its servers are guarded", "allow Sallyport to read it")
	default:
		h.problem(problemClientUnreadable, path+" cannot be read: "+strings.TrimPrefix(err.Error(), path+": "), "mend the file; until then nobody knows whether its servers are guarded")
	}
	return true
}

// takeHonest compares a file with what is wanted of it, and follows what needs nobody: an entry that runs through the wrapper
// although nobody asked for it, one that a person left out and is gone, values of env and members that do not say what runs.
// What is left is for a person.
func (h *Hub) takeHonest(w *wantedFile, view clientView) ([]clientconfig.Change, error) {
	var left []clientconfig.Change
	var guardedNow, dropped, disputed []string
	for _, c := range clientconfig.Compare(w.snapshot, w.snapshot, view.file, w.by, w.records) {
		wanted, known := w.snapshot.Entry(c.Name)
		switch {
		case c.Class.Kind == clientconfig.Wrapped && (!known || !wanted.Guarded):
			guardedNow = append(guardedNow, c.Name)
		case c.Event == clientconfig.RemovedEntry && known && !wanted.Guarded:
			dropped = append(dropped, c.Name)
		default:
			left = append(left, c)
			disputed = append(append(disputed, c.Names...), c.Name)
		}
	}
	records := h.adopted(w, view, guardedNow)
	var keep []string
	for _, e := range view.file.Entries {
		if _, known := w.snapshot.Entry(e.Name); (known || slices.Contains(guardedNow, e.Name)) && !slices.Contains(disputed, e.Name) {
			keep = append(keep, e.Name)
		}
	}
	next := w.snapshot.Without(dropped...).With(view.file, w.by, records, keep...)
	if len(left) == 0 {
		next = view.file.Snapshot(w.by, records)
	} else if len(dropped) == 0 && len(guardedNow) == 0 {
		next.Servers = w.snapshot.Servers
	}
	same := plainJSON(next) == plainJSON(w.snapshot)
	if same && w.whole {
		return left, nil
	}
	if !w.whole && len(left) > 0 {
		return left, nil // what was kept is lost, and what stands there is in dispute: nothing is made of that
	}
	return left, h.rewant(w, next, records, append(guardedNow, dropped...), nil)
}

// adopted are the records with those of entries that somebody else wrapped as we would have.
func (h *Hub) adopted(w *wantedFile, view clientView, names []string) []clientconfig.Record {
	records := w.records
	if len(names) == 0 {
		return records
	}
	bare, err := clientconfig.Unwrap(view.raw, view.file.Format, names, w.by, nil)
	if err != nil {
		return records
	}
	again, err := clientconfig.Wrap(bare.Raw, view.file.Format, names, w.by, nil)
	if err != nil {
		return records
	}
	return withNewer(records, again.Records)
}

// withNewer is a list of records with newer ones in the place of those of the same name.
func withNewer(records, newer []clientconfig.Record) []clientconfig.Record {
	all := slices.DeleteFunc(slices.Clone(records), func(r clientconfig.Record) bool {
		return slices.ContainsFunc(newer, func(n clientconfig.Record) bool { return n.Name == r.Name })
	})
	return append(all, newer...)
}

// rewant stores another wanted state of a file that is not written with it. more is written in the same transaction.
func (h *Hub) rewant(w *wantedFile, next clientconfig.Snapshot, records []clientconfig.Record, names []string, more func(*store.Tx) error) error {
	records = slices.DeleteFunc(slices.Clone(records), func(r clientconfig.Record) bool {
		kept, ok := next.Entry(r.Name)
		return !ok || !kept.Guarded
	})
	entries, err := entriesOf(next, records)
	if err != nil {
		return err
	}
	whole, err := h.keepWhole(w.Path, next)
	if err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.problem(problemClientKeep, "what is wanted of "+w.Path+" cannot be kept: "+err.Error(), "see that the disk is not full and "+h.wholeFolder()+" is yours alone")
		return nil
	}
	f := w.ClientFile
	f.Entries, f.Whole, f.Program = entries, whole, w.by.Path
	ends := !guards(next)
	err = h.updating(func(tx *store.Tx) error {
		if _, ok := h.problems[problemClientKeep]; ok {
			h.solved(problemClientKeep)
		}
		if ends {
			err = tx.DeleteClientFile(f.Path)
		} else {
			err = tx.PutClientFile(f)
		}
		if err != nil || more == nil && len(names) == 0 {
			return err
		}
		if more != nil {
			if err := more(tx); err != nil {
				return err
			}
		}
		_, err := tx.Append(h.record("config_change", "ok", store.Record{
			Summary: fmt.Sprintf("%s of a client's file wanted as it is there now", entriesWord(len(names))),
			Detail:  detail(map[string]any{"check": "client_file", "path": f.Path, "client": f.Client, "why": "as it is", "entries": cutList(cleanNames(names)), "watch_ends": ends}),
		}))
		return err
	})
	if err != nil {
		return err
	}
	if ends {
		h.sweepWhole(f.Path)
		h.rewatch()
	} else {
		h.sweepWhole(f.Path, whole)
	}
	w.ClientFile, w.records, w.snapshot, w.whole = f, records, next, true
	return nil
}

// wrapNew puts new entries behind the port at once, where the person has it so. It says whether the file was written.
func (h *Hub) wrapNew(w *wantedFile, view clientView, changes []clientconfig.Change) bool {
	h.mu.Lock()
	on := policy.ForHub(h.settings.global()).AutoProtect
	h.mu.Unlock()
	var fresh []clientconfig.Change
	for _, c := range changes {
		if c.Event == clientconfig.NewEntry && c.Class.Kind == clientconfig.Plain {
			fresh = append(fresh, c)
		}
	}
	if !on || len(fresh) == 0 {
		return false
	}
	result, err := clientconfig.PutBack(view.file, w.snapshot, fresh, w.by, w.records)
	if err != nil || !result.Changed {
		return false
	}
	var names []string
	for _, o := range result.Outcomes {
		if o.Did == clientconfig.DidWrap {
			names = append(names, o.Name)
		}
	}
	after, err := viewOf(view.path, result.Raw)
	if err != nil || len(names) == 0 {
		return false
	}
	records := withNewer(w.records, result.Records)
	_, err = h.carryOut(clientChange{
		why: whyNewEntry, from: view, to: result.Raw, client: w.Client, program: w.by.Path, names: names,
		wanted: w.snapshot.With(after.file, w.by, records, names...), records: records,
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.problem(problemClientWrite, "a new entry of "+w.Path+" could not be put behind the port: "+err.Error(), "see why, then decide on the item that says so")
		return false
	}
	if _, ok := h.problems[problemClientWrite]; ok {
		h.solved(problemClientWrite)
	}
	return true
}

// fileDetail is what an item over a client's file keeps beside its parts.
type fileDetail struct {
	Path   string            `json:"path"`
	Client string            `json:"client"`
	Diff   string            `json:"diff,omitempty"`
	Words  map[string]string `json:"words"`
}

func readFileDetail(it store.Item) (d fileDetail) {
	_ = json.Unmarshal(it.Detail, &d)
	return d
}

// settleFile makes what waits over a file exactly what was found: one item a kind, a new code for new content.
func (h *Hub) settleFile(w *wantedFile, view clientView, found []fileFinding) error {
	id := store.ClientFileID(w.Path)
	contents := map[string]*content{}
	for _, kind := range []string{kindConfig, kindUnguarded} {
		contents[kind] = h.fileContent(w, view, found, kind)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.usable(); err != nil {
		return nil
	}
	var notices []ItemNotice
	changed := false
	err := h.update(func(tx *store.Tx) (bool, error) {
		notices, changed = nil, false
		for _, kind := range []string{kindConfig, kindUnguarded} {
			item, fresh, err := h.settle(tx, contents[kind], kind, id, h.opts.Now())
			if err != nil {
				return false, err
			}
			if !fresh {
				continue
			}
			changed = true
			r := store.Record{Summary: "a client's file is as it is wanted again", Detail: detail(map[string]any{"check": "client_file", "path": w.Path, "client": w.Client, "kind": kind})}
			status := "ok"
			if item != nil {
				status, r.Code, r.Summary = "warned", item.Code, item.Title
				notices = append(notices, noticeOf(*item, w.Client))
			}
			if _, err := tx.Append(h.record("config_change", status, r)); err != nil {
				return false, err
			}
		}
		return changed, nil
	})
	if err != nil {
		return h.failed(err)
	}
	if changed {
		h.pushAll()
	}
	for _, n := range notices {
		h.notify(n)
	}
	return nil
}

// fileContent is the inbox item of one kind over a file, nil where there is nothing to say.
func (h *Hub) fileContent(w *wantedFile, view clientView, found []fileFinding, kind string) *content {
	found = slices.DeleteFunc(slices.Clone(found), func(f fileFinding) bool { return f.kind != kind })
	if len(found) == 0 {
		return nil
	}
	c := &content{kind: kind, serverID: store.ClientFileID(w.Path), severity: severityReview, clients: []string{w.Client}}
	d := fileDetail{Path: w.Path, Client: w.Client, Words: map[string]string{}}
	now := view.file.Snapshot(w.by, w.records)
	for _, f := range found {
		item := entryPrefix + f.name
		c.parts = append(c.parts, store.Part{Item: item, State: f.state, Digest: h.store.KeyedHash("client-entry",
			[]byte(f.name), []byte(f.state), []byte(entryText(now, f.name)), []byte(entryText(w.snapshot, f.name)))})
		d.Words[item] = f.words
		c.severity = graver(c.severity, f.severity)
	}
	if result, err := putBack(w, view, found, nil); err == nil {
		if text, err := clientconfig.Diff(w.Path, view.raw, result.Raw, view.file.Format); err == nil {
			d.Diff = text
		}
	}
	c.title = h.fileTitle(w, view, found)
	c.detail = detailOf(d)
	return c
}

// putBack is a file with the wanted state back in it, for the named parts, or for all where chosen is nil.
func putBack(w *wantedFile, view clientView, found []fileFinding, chosen map[string]bool) (clientconfig.Result, error) {
	var changes []clientconfig.Change
	wiped := false
	for _, f := range found {
		switch {
		case chosen != nil && !chosen[entryPrefix+f.name]:
		case f.change.Event != clientconfig.WipedServers:
			changes = append(changes, f.change)
		case chosen == nil && !wiped:
			wiped = true
			changes = append(changes, f.change)
		case chosen != nil && len(chosen) >= len(f.change.Names) && !slices.ContainsFunc(f.change.Names, func(n string) bool { return !chosen[entryPrefix+n] }):
			if !wiped {
				wiped = true
				changes = append(changes, f.change)
			}
		case chosen != nil:
			changes = append(changes, clientconfig.Change{Event: clientconfig.RemovedEntry, Name: f.name})
		}
	}
	return clientconfig.PutBack(view.file, w.snapshot, changes, w.by, w.records)
}

func graver(a, b string) string {
	rank := map[string]int{severityReview: 0, severityHigh: 1, severityCritical: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// fileTitle is ours: counts, and a name only where it is harmless.
func (h *Hub) fileTitle(w *wantedFile, view clientView, found []fileFinding) string {
	verbs := map[string][2]string{
		stateNew: {"is new and runs unguarded", "are new and run unguarded"}, stateChanged: {"changed", "changed"},
		stateRemoved: {"is gone", "are gone"}, stateUnwrapped: {"lost its wrapper and runs unguarded", "lost their wrappers and run unguarded"},
		stateFake: {"looks guarded and is not", "look guarded and are not"},
	}
	var words []string
	for _, state := range []string{stateFake, stateUnwrapped, stateRemoved, stateChanged, stateNew} {
		var names []string
		for _, f := range found {
			if f.state == state {
				names = append(names, f.name)
			}
		}
		switch {
		case len(names) == 1:
			words = append(words, entryWord(names[0])+" "+verbs[state][0])
		case len(names) > 1:
			words = append(words, fmt.Sprintf("%d servers %s", len(names), verbs[state][1]))
		}
	}
	switch {
	case found[0].change.Event == clientconfig.WipedServers:
		words = []string{fmt.Sprintf("its servers were wiped from its file (%d are gone)", len(found))}
	case !h.guard.looked[w.Path] && found[0].kind == kindUnguarded:
		words = append(words, "done while no hub ran")
	}
	return clientTitle(w.Client) + ": " + strings.Join(words, "; ")
}

func entryWord(name string) string {
	if clean := inspect.CleanName(name, ""); clean != "" {
		return clean
	}
	return "a server"
}

func cleanNames(names []string) []string {
	clean := make([]string, len(names))
	for i, name := range names {
		clean[i] = entryWord(name)
	}
	return clean
}

// clientTitle is how people know a client.
func clientTitle(client string) string {
	switch client {
	case clientconfig.ClaudeDesktop:
		return "Claude Desktop"
	case clientconfig.ClaudeCode:
		return "Claude Code"
	case clientconfig.Cursor:
		return "Cursor"
	case clientconfig.Windsurf:
		return "Windsurf"
	}
	return inspect.CleanName(client, "a client")
}

func detailOf(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return raw
}
