package guardian

import (
	"slices"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/store"
)

// takeHonest compares a file with its wanted state and accepts changes that need no decision: an entry that somebody else wrapped, a
// left-out entry that is gone, values of env and members that do not affect what runs. It returns the rest.
func (g *Guardian) takeHonest(w *wantedFile, view clientedit.View) ([]clientconfig.Change, error) {
	var left []clientconfig.Change
	var guardedNow, dropped, disputed []string
	for _, c := range w.changes(view.File) {
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
	records := adopted(w.records, view, w.by, guardedNow)
	var keep []string
	for _, e := range view.File.Entries {
		if _, known := w.snapshot.Entry(e.Name); (known || slices.Contains(guardedNow, e.Name)) && !slices.Contains(disputed, e.Name) {
			keep = append(keep, e.Name)
		}
	}
	next := w.snapshot.Without(dropped...).With(view.File, w.by, records, keep...)
	if len(left) == 0 {
		next = view.File.Snapshot(w.by, records)
	} else if len(dropped) == 0 && len(guardedNow) == 0 {
		next.Servers = w.snapshot.Servers
	}
	same := mask.PlainJSON(next) == mask.PlainJSON(w.snapshot)
	if same && w.whole {
		return left, nil
	}
	if !w.whole && len(left) > 0 {
		return left, nil // the stored state is lost and the current one is in dispute: don't use either
	}
	err := g.rewant(w, next, records, append(guardedNow, dropped...), nil)
	if err != nil || len(guardedNow)+len(dropped) == 0 || mask.PlainJSON(next) != mask.PlainJSON(w.snapshot) {
		return left, err
	}
	return g.takeHonest(w, view) // with these entries known, the missing others are no wipe; this ends, because they are known now
}

// adopted are the records, plus those of entries that somebody else wrapped as we would have.
func adopted(records []clientconfig.Record, view clientedit.View, by clientconfig.Installation, names []string) []clientconfig.Record {
	if len(names) == 0 {
		return records
	}
	newer, err := clientconfig.Adopt(view.Raw, view.File.Format, names, by)
	if err != nil {
		return records
	}
	for i := range newer {
		newer[i].CopiedAs(clientconfig.FindRecord(records, newer[i].Name))
	}
	return clientconfig.Renew(records, newer)
}

// rewant stores a new wanted state without writing the file, in one transaction with finish.
func (g *Guardian) rewant(w *wantedFile, next clientconfig.Snapshot, records []clientconfig.Record, names []string, finish func(*store.Tx) error) error {
	records = slices.DeleteFunc(slices.Clone(records), func(r clientconfig.Record) bool {
		kept, ok := next.Entry(r.Name)
		return !ok || !kept.Guarded
	})
	now := &store.PendingWrite{Program: w.by.Path, Why: whyAsIs, Ends: !guards(next)}
	var err error
	if now.Entries, err = g.entriesOf(w.Path, next, records); err != nil {
		return err
	}
	if now.Whole, err = g.keepWhole(w.Path, next); err != nil {
		g.office.Lock()
		defer g.office.Unlock()
		g.office.Problem(office.ProblemClientKeep, "Sallyport can't save its record of "+w.Path+": "+err.Error(), "check that the disk isn't full and that only you can write to "+g.WholeFolder())
		return nil
	}
	if err := g.confirm(w.ClientFile, now, names, nil, finish); err != nil {
		return err
	}
	w.Entries, w.Whole, w.Program = now.Entries, now.Whole, now.Program
	w.records, w.snapshot, w.whole = records, next, true
	return nil
}

// wrapNew wraps new entries at once, if the setting says so. It reports whether the file was written.
func (g *Guardian) wrapNew(w *wantedFile, view clientedit.View, changes []clientconfig.Change) bool {
	g.office.Lock()
	on := g.hub.AutoProtect()
	g.office.Unlock()
	var fresh []clientconfig.Change
	for _, c := range changes {
		if c.Event == clientconfig.NewEntry && c.Class.Guardable() {
			fresh = append(fresh, c)
		}
	}
	if !on || len(fresh) == 0 {
		return false
	}
	result, err := clientconfig.PutBack(view.File, w.snapshot, fresh, w.by, w.records)
	if err != nil || !result.Changed {
		return false
	}
	var names []string
	for _, o := range result.Outcomes {
		if o.Did == clientconfig.DidWrap {
			names = append(names, o.Name)
		}
	}
	after, err := view.Rewritten(result.Raw)
	if err != nil || len(names) == 0 {
		return false
	}
	records := clientconfig.Renew(w.records, result.Records)
	_, err = g.carryOut(clientChange{
		why: whyNewEntry, from: view, to: result.Raw, client: w.Client, program: w.by.Path, names: names,
		wanted: w.snapshot.With(after.File, w.by, records, names...), records: records,
	})
	g.office.Lock()
	defer g.office.Unlock()
	if err != nil {
		g.office.Problem(office.ProblemClientWrite, "couldn't guard a new entry of "+w.Path+": "+err.Error(), "fix the cause, then review the item in the inbox")
		return false
	}
	g.office.Solved(office.ProblemClientWrite)
	return true
}
