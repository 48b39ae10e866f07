package approvals

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// JudgeLaunch stores the consequences of a launch report.
func (a *Approvals) JudgeLaunch(s *office.Wrapper, files []pin.FileStamp) (notices []review.Notice, wrote bool, err error) {
	return a.Judge(s, func(tx *store.Tx, l *ledger.Ledger, now time.Time) ([]store.Record, bool, error) {
		learned, err := a.learnFiles(tx, files)
		return nil, learned, errors.Join(err, a.SeeLaunch(tx, l, now))
	})
}

// SeeLaunch updates the ledger to what the live wrappers of a server reported about its launch. If they differ, an unallowed one wins: the
// most serious, and among equals the one already pending.
func (a *Approvals) SeeLaunch(tx *store.Tx, l *ledger.Ledger, now time.Time) error {
	var waits, runs *review.Declaration
	silent, grave := false, false
	seen := l.Launch()
	for _, s := range a.hub.Wrappers(l.Server.ID) {
		if s.Launched == nil {
			silent = true
			continue
		}
		if err := a.declareLaunch(tx, l, s.Launched, now); err != nil {
			return err
		}
		d := s.Launched.Declared
		switch {
		case d == nil:
		case l.Approves(review.KeyLaunch, d.Digest):
			runs = d
		default:
			holds := s.Launched.Form.Against(l.LaunchForms()).Grave
			if waits == nil || holds && !grave || holds == grave && string(waits.Digest) != seen.Digest {
				waits, grave = d, holds
			}
		}
	}
	d := waits
	if d == nil {
		d = runs
	}
	if d == nil || d == runs && silent && seen.Digest != "" && !l.Approves(review.KeyLaunch, pin.Digest(seen.Digest)) {
		// After a restart of the hub wrappers connect one by one: the next one may run what was pending.
		return nil
	}
	return l.Put(tx, review.KeyLaunch, d, now)
}

// declareLaunch chooses the definition that a launch counts as. A launch whose parts are all allowed, in whatever forms, counts as allowed;
// its circumstances are added to those allowed for its client.
func (a *Approvals) declareLaunch(tx *store.Tx, l *ledger.Ledger, s *review.Launched, now time.Time) error {
	allowed := l.LaunchForms()
	form := s.Form
	s.Declared = nil
	switch {
	case !ledger.Known(l.Pins[review.KeyLaunch]):
		if !s.Final {
			return nil
		}
		d, err := review.AskedOf(form, nil)
		s.Declared = d
		if err != nil || l.Server.FirstUse.IsZero() {
			return err
		}
		// Allowed before there was a launch pin, or while it was off: accepted as it is, and shown as that.
		return l.Adopt(tx, d, vocab.ByTrustClean, now)
	case len(allowed) > 0 && !form.Against(allowed).Drifted():
		if !s.Final {
			return nil
		}
		d, err := l.Join(tx, form, now)
		s.Declared = d
		return err
	}
	if !s.Final {
		if len(allowed) > 0 {
			form = form.Assume(allowed[len(allowed)-1]) // the rest is unknown before it runs
		}
		if !form.Complete() {
			return nil
		}
	}
	d, err := review.AskedOf(form, allowed)
	if err != nil {
		return err
	}
	if !s.Final && len(allowed) > 0 {
		held := review.LaunchStanding{Mode: policy.ForWrapper(a.hub.Settings(l.Server)).Launch, Known: true, Allowed: allowed, Refused: l.LaunchRefused()}
		if held.Verdict(&review.Launched{Form: s.Form, Declared: d}) != control.LaunchHold {
			return nil // it runs: everything will be seen in a moment
		}
	}
	s.Declared = d
	return nil
}

// liveLaunches are the forms that live wrappers of a server run.
func (a *Approvals) liveLaunches(server string) map[pin.Digest]bool {
	live := map[pin.Digest]bool{}
	for _, s := range a.hub.Wrappers(server) {
		if s.Launched != nil && s.Launched.Final && s.Launched.Declared != nil {
			live[s.Launched.Declared.Digest] = true
		}
	}
	return live
}

// StandLaunch computes the input of verdicts on a server's launches.
func (a *Approvals) StandLaunch(tx *store.Tx, l *ledger.Ledger, code string) review.LaunchStanding {
	a.learnFiles(tx, nil)
	st := review.LaunchStanding{
		Mode: policy.ForWrapper(a.hub.Settings(l.Server)).Launch, Known: ledger.Known(l.Pins[review.KeyLaunch]),
		Pins: l.AllowedLaunches(), Refused: l.LaunchRefused(), Code: code, Key: a.office.Store.Derive("launch", l.Server.ID),
		Seen: pin.Digest(l.Launch().Digest),
	}
	st.Allowed = review.FormsOf(st.Pins)
	if st.Known && st.Seen != "" && !l.Approves(review.KeyLaunch, st.Seen) && !st.Refused[st.Seen] {
		if form, err := pin.ReadLaunch(l.Launch().Raw); err == nil && form.Against(st.Allowed).Strict {
			st.Waits = &form
		}
	}
	paths := map[string]bool{}
	for _, form := range st.Allowed {
		for _, f := range form.Files() {
			paths[f.Path] = true
		}
	}
	for _, f := range a.files {
		if !st.Known && len(st.Files) < 64 || paths[f.Path] {
			st.Files = append(st.Files, f)
		}
	}
	slices.SortFunc(st.Files, func(a, b pin.FileStamp) int { return cmp.Compare(a.Path, b.Path) })
	return st
}

// RunsOn reports whether a server may run despite a pending launch.
func (a *Approvals) RunsOn(l *ledger.Ledger) bool {
	drift := l.LaunchDrift()
	return !drift.Grave && !(drift.Strict && policy.ForWrapper(a.hub.Settings(l.Server)).Launch == "block")
}

// metaFiles is the store's key for the stamps of known files.
const metaFiles = "launch.files"

// maxFiles limits them: a few per server. Beyond it everything is learned again.
const maxFiles = 256

func (a *Approvals) learnFiles(tx *store.Tx, files []pin.FileStamp) (learned bool, err error) {
	if a.files == nil {
		a.files = map[string]pin.FileStamp{}
		if tx.MetaJSON(metaFiles, &a.files) != nil {
			clear(a.files)
		}
	}
	if len(files) == 0 || len(files) > 16 {
		return false, nil
	}
	next := maps.Clone(a.files)
	if len(next)+len(files) > maxFiles {
		clear(next)
	}
	for _, f := range files {
		if f.CTime == 0 || len(f.SHA256) != 64 || len(f.Path) > 4096 {
			continue
		}
		learned = learned || next[f.Path] != f
		next[f.Path] = f
	}
	if !learned {
		return false, nil
	}
	a.files = next
	return true, tx.SetMetaJSON(metaFiles, next)
}
