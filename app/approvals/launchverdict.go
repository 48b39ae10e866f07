package approvals

import (
	"slices"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/store"
)

// StandLaunch computes what the verdicts over a server's launches rest on.
func (a *Approvals) StandLaunch(tx *store.Tx, l *ledger.Ledger, code string) review.LaunchStanding {
	a.learnFiles(tx, nil)
	st := review.LaunchStanding{
		Mode: policy.ForWrapper(a.hub.Settings(l.Server)).Launch, Known: ledger.Known(l.Pins[review.KeyLaunch]),
		Pins: l.AllowedLaunches(), Refused: l.LaunchRefused(), Code: code, Key: a.office.Store.Derive("launch", l.Server.ID),
		Seen: pin.Digest(l.Seen[review.KeyLaunch].Digest),
	}
	st.Allowed = review.FormsOf(st.Pins)
	if st.Known && st.Seen != "" && !l.Approves(review.KeyLaunch, st.Seen) && !st.Refused[st.Seen] {
		if form, err := pin.ReadLaunch(l.Seen[review.KeyLaunch].Raw); err == nil && form.Against(st.Allowed).Strict {
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
	slices.SortFunc(st.Files, func(a, b pin.FileStamp) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return st
}

// RunsOn says that a launch that waits does not keep its server from running.
func (a *Approvals) RunsOn(l *ledger.Ledger) bool {
	drift := l.LaunchDrift()
	return !drift.Grave && !(drift.Strict && policy.ForWrapper(a.hub.Settings(l.Server)).Launch == "block")
}
