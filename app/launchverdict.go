package app

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/store"
)

// standLaunch computes what the verdicts over a server's launches rest on.
func (h *Hub) standLaunch(tx *store.Tx, l *ledger, code string) launchStanding {
	h.learnFiles(tx, nil)
	st := launchStanding{
		mode: policy.ForWrapper(h.settings.forServer(l.server)).Launch, known: known(l.pins[keyLaunch]),
		pins: l.allowedLaunches(), refused: l.launchRefused(), code: code, key: h.store.Derive("launch", l.server.ID),
		seen: pin.Digest(l.seen[keyLaunch].Digest),
	}
	st.allowed = formsOf(st.pins)
	if st.known && st.seen != "" && !l.approves(keyLaunch, st.seen) && !st.refused[st.seen] {
		if form, err := pin.ReadLaunch(l.seen[keyLaunch].Raw); err == nil && form.Against(st.allowed).Strict {
			st.waits = &form
		}
	}
	paths := map[string]bool{}
	for _, form := range st.allowed {
		for _, f := range form.Files() {
			paths[f.Path] = true
		}
	}
	for _, f := range h.files {
		if !st.known && len(st.files) < 64 || paths[f.Path] {
			st.files = append(st.files, f)
		}
	}
	slices.SortFunc(st.files, func(a, b pin.FileStamp) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return st
}

// state is the launch part of one wrapper's State.
func (l launchStanding) state(s *session) *control.LaunchState {
	out := &control.LaunchState{Key: l.key, Files: l.files, First: !l.known, Verdict: l.verdict(s.launched), Code: l.code, Client: s.entry}
	if s.launched == nil && l.mode == "notify" && l.known {
		out.Allowed = l.allowed
	}
	return out
}
