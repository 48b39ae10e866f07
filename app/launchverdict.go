package app

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/store"
)

// launchStanding is what a verdict over a launch rests on.
type launchStanding struct {
	mode    string
	known   bool // a launch of this server was allowed once
	allowed []pin.LaunchForm
	pins    []allowedLaunch // those forms with their pins
	refused map[pin.Digest]bool
	seen    pin.Digest      // what is declared now
	waits   *pin.LaunchForm // that, where it waits for a decision and is another program
	files   []pin.FileStamp
	key     []byte
	code    string
}

// verdict is what a wrapper may do. It is pure, and the only place that decides it.
func (l launchStanding) verdict(s *launched) control.LaunchVerdict {
	switch {
	case l.mode == "off":
		return control.LaunchGo
	case s == nil:
		return ""
	case !l.known:
		return control.LaunchGo // part of the first review, which lets nothing through
	case len(l.allowed) == 0:
		return control.LaunchHold // every approval was taken back
	case s.declared != nil && l.refused[s.declared.Digest]:
		return control.LaunchHold
	}
	drift := s.form.Against(l.allowed)
	switch {
	case drift.Grave, drift.Strict && l.mode == "block":
		return control.LaunchHold
	case s.final || l.mode != "block" || s.form.Known():
		return control.LaunchGo
	case l.waits != nil && s.form.Assume(*l.waits).SameProgram(*l.waits):
		// The same start ended up with something that waits for a decision: it is not made again before that.
		return control.LaunchHold
	default:
		return control.LaunchWait
	}
}

// settled says that a report changes nothing, and counts it: what runs is allowed as it is, or will be said in a moment.
func (l launchStanding) settled(s *launched) bool {
	switch {
	case l.mode == "off":
		return true
	case !l.known || len(l.allowed) == 0:
		return !l.known && !s.final
	case s.final:
		if s.form.Against(l.allowed).Drifted() {
			return false
		}
		as, found, more := countsAs(s.form, l.pins)
		if !found || more || l.seen != pin.Digest(as.pin.Digest) {
			return false
		}
		s.declared = as.declaration()
		return true
	}
	return !s.form.Against(l.allowed).Drifted()
}

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
