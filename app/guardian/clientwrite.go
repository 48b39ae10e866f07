package guardian

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Why a client's file is written.
const (
	whyProtect   = "protect"
	whyUnprotect = "unprotect"
	whyPutBack   = "put back"
	whyNewEntry  = "new entry"
	whyRestore   = "restore"
	whyAsIs      = "as it is" // it isn't written: what is there is wanted now
)

// clientChange is a change of a client's file together with its new wanted state.
type clientChange struct {
	why     string
	code    string
	from    clientedit.View
	to      []byte
	client  string
	program string
	was     clientconfig.Snapshot // wanted before
	wanted  clientconfig.Snapshot // once the file is written
	records []clientconfig.Record
	names   []string // of the entries it is about
	finish  func(*store.Tx) error
}

func (g *Guardian) backups() *clientconfig.Backups {
	return &clientconfig.Backups{Dir: g.opts.Home.Backups, Now: g.office.Now}
}

// carryOut writes a client's file. The new wanted state is stored first, next to the old one: after a kill in between, the next hub finds
// both, and the file tells which applies. It returns the id of the backup. The caller holds the lock.
func (g *Guardian) carryOut(c clientChange) (backup string, err error) {
	pending := &store.PendingWrite{
		From: c.from.Digest, To: clientedit.DigestOf(c.to), Program: c.program, Why: c.why, Code: c.code, Ends: !guards(c.wanted), At: g.office.Now(),
	}
	if pending.Entries, err = g.entriesOf(c.from.Path, c.wanted, c.records); err != nil {
		return "", err
	}
	if pending.Whole, err = g.keepWhole(c.from.Path, c.wanted); err != nil {
		return "", office.Answer(control.CodeUnavailable, "Sallyport couldn't save its record of %s, so nothing was changed: %s", c.from.Path, office.OneLine(err.Error()))
	}
	var f store.ClientFile
	err = g.office.Updating(func(tx *store.Tx) (err error) {
		f, err = tx.ClientFile(c.from.Path)
		if office.Absent(err) {
			f, err = store.ClientFile{Path: c.from.Path, Client: c.client, Program: c.program, Since: g.office.Now()}, nil
		}
		if err != nil {
			return err
		}
		f.Pending = pending
		return tx.PutClientFile(f)
	})
	if err != nil {
		return "", err
	}
	g.office.CrashPoint("noted")
	copied, err := clientconfig.Write(c.from.Path, c.from.Raw, c.to, g.backups())
	g.office.CrashPoint("written")
	if err != nil {
		if _, recovered := g.recoverWrite(c.from.Path); recovered != nil {
			err = errors.Join(err, recovered)
		}
		code := control.CodeUnavailable
		if errors.Is(err, clientconfig.ErrChanged) || errors.Is(err, clientconfig.ErrOverwritten) {
			code = control.CodeStale
		}
		return "", office.Answer(code, "%s", office.OneLine(err.Error()))
	}
	return copied.ID, g.confirm(f, pending, c.names, serversOf(c.names, c.wanted, c.was), c.finish)
}

// confirm makes a state of a file the wanted one, in one transaction with finish. names are of its changed entries, servers are what the
// client calls those.
func (g *Guardian) confirm(f store.ClientFile, p *store.PendingWrite, names, servers []string, finish func(*store.Tx) error) error {
	f.Entries, f.Whole, f.Program, f.Pending = p.Entries, p.Whole, p.Program, nil
	err := g.office.Updating(func(tx *store.Tx) (err error) {
		g.office.Solved(office.ProblemClientKeep)
		if p.Ends {
			err = tx.DeleteClientFile(f.Path)
		} else {
			err = tx.PutClientFile(f)
		}
		if err == nil && finish != nil {
			err = finish(tx)
		}
		if err == nil && p.Why != whyAsIs {
			err = g.hub.NotStarted(tx, f.Client, servers)
		}
		if err != nil || p.Why == whyAsIs && finish == nil && len(names) == 0 {
			return err
		}
		_, err = tx.Append(g.office.Record(vocab.RecordConfigChange, vocab.StatusOK, store.Record{
			Code: p.Code, Summary: writeWords(p.Why, len(names)), Detail: office.Detail(map[string]any{
				"check": "client_file", "path": f.Path, "client": f.Client, "why": p.Why, "entries": office.CutList(cleanNames(names)), "watch_ends": p.Ends,
			}),
		}))
		return err
	})
	if err != nil {
		return err
	}
	if p.Ends {
		f.Whole = ""
	}
	g.sweepWhole(f.Path, f.Whole)
	g.rewatch()
	return nil
}

func writeWords(why string, entries int) string {
	switch why {
	case whyProtect:
		return fmt.Sprintf("guard added to %s of a client's file", entriesWord(entries))
	case whyUnprotect:
		return fmt.Sprintf("guard removed from %s of a client's file", entriesWord(entries))
	case whyPutBack:
		return fmt.Sprintf("%s of a client's file put back", entriesWord(entries))
	case whyNewEntry:
		return fmt.Sprintf("%s added to a client's file, guarded right away", entriesWord(entries))
	case whyAsIs:
		return fmt.Sprintf("%s of a client's file kept as in the file", entriesWord(entries))
	case whyRestore:
		return "a client's file restored from a backup"
	}
	return "a client's file was changed"
}

func entriesWord(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// serversOf are what a client calls the servers of the named entries, by the first state that has each.
func serversOf(names []string, states ...clientconfig.Snapshot) (servers []string) {
	for _, name := range names {
		at := slices.IndexFunc(states, func(s clientconfig.Snapshot) bool { _, there := s.Entry(name); return there })
		if at >= 0 {
			kept, _ := states[at].Entry(name)
			servers = append(servers, kept.Server())
		}
	}
	return servers
}

// recoverWrite settles a write that was begun and not confirmed, because the hub was killed or the disk failed. Only the file tells whether
// it happened. found is the wanted state that applies, nil if there is none.
func (g *Guardian) recoverWrite(path string) (found *wantedFile, err error) {
	w, err := g.loadWanted(path)
	if err != nil || w == nil || w.Pending == nil {
		return w, err
	}
	p := w.Pending
	next := g.wantedOf(store.ClientFile{Path: path, Client: w.Client, Program: p.Program, Entries: p.Entries, Whole: p.Whole})
	happened, err := writeHappened(w, next, p)
	if err != nil {
		return w, &viewError{err} // the file can't be read now: keep both states until it can
	}
	if happened {
		changed := between(w.Entries, p.Entries)
		err = g.confirm(w.ClientFile, p, changed, serversOf(changed, next.snapshot, w.snapshot), func(tx *store.Tx) error {
			it, err := tx.Item(p.Code)
			if p.Code == "" || office.Absent(err) || err == nil && it.Decided != "" {
				return nil
			}
			if err != nil {
				return err
			}
			it.Decided, it.DecidedAt = vocab.DecidedApproved, g.office.Now()
			return tx.PutItem(it)
		})
	} else {
		err = g.office.Updating(func(tx *store.Tx) error {
			w.ClientFile.Pending = nil
			if len(w.Entries) == 0 { // it was the first write
				return tx.DeleteClientFile(path)
			}
			return tx.PutClientFile(w.ClientFile)
		})
		if err == nil {
			g.sweepWhole(path, w.Whole)
		}
	}
	if err != nil {
		return w, err
	}
	return g.loadWanted(path)
}

// viewError is an unreadable client's file: not a fault of the store.
type viewError struct{ error }

func (e *viewError) Unwrap() error { return e.error }

// between are the names of entries that differ between two wanted states.
func between(before, after []store.ClientEntry) (names []string) {
	as := map[string]string{}
	for _, e := range before {
		as[e.Name] = mask.PlainJSON(e)
	}
	for _, e := range after {
		if as[e.Name] != mask.PlainJSON(e) {
			names = append(names, e.Name)
		}
	}
	return names
}

// writeHappened compares a file with the states before and after a write. If somebody edited it since, the state that explains more of it
// wins; a rename is atomic, so one of them does.
func writeHappened(before, after *wantedFile, p *store.PendingWrite) (bool, error) {
	view, err := clientedit.Look(before.Path, clientconfig.FormatOf(before.by.Client))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case view.Digest == p.To:
		return true, nil
	case view.Digest == p.From:
		return false, nil
	}
	return len(after.changes(view.File)) < len(before.changes(view.File)), nil
}
