package app

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// launched is what one wrapper reported of its server's launch.
type launched struct {
	form  pin.LaunchForm
	final bool
	// declared is the form as it is pinned or waits, nil while there is nothing to decide on: before the server runs, only
	// a launch that is held is declared.
	declared *declaration
}

func declarationOf(form pin.LaunchForm) (*declaration, error) {
	raw, digest, err := form.Definition()
	if err != nil {
		return nil, err
	}
	return &declaration{Key: keyLaunch, Era: launchEra(digest), Digest: digest, Raw: raw}, nil
}

// askedOf is a launch as it waits. Its digest is over what a person decides on: circumstances differ from start to start
// without being other content, and a rejection holds in all of them.
func askedOf(form pin.LaunchForm, allowed []pin.LaunchForm) (*declaration, error) {
	raw, _, err := form.Definition()
	if err != nil {
		return nil, err
	}
	_, digest, err := form.Asked(allowed).Definition()
	if err != nil {
		return nil, err
	}
	return &declaration{Key: keyLaunch, Era: launchEra(digest), Digest: digest, Raw: raw}, nil
}

// launchEra keeps each allowed form in a pin of its own: one server has several, one a client at least.
func launchEra(d pin.Digest) string { return keyLaunch + "-" + string(d[:min(len(d), 16)]) }

// allowedLaunch is one allowed form and the pin that holds it.
type allowedLaunch struct {
	pin.LaunchForm
	pin store.Pin
}

func (a allowedLaunch) declaration() *declaration {
	return &declaration{Key: keyLaunch, Era: a.pin.Era, Digest: pin.Digest(a.pin.Digest), Raw: a.pin.Raw}
}

func formsOf(all []allowedLaunch) []pin.LaunchForm {
	forms := make([]pin.LaunchForm, len(all))
	for i, a := range all {
		forms[i] = a.LaunchForm
	}
	return forms
}

// countsAs is the allowed form that a launch counts as: the same code for the same client, in the same folder unless the
// folder says nothing of this client's servers. more says that the launch has variables which that form has not.
func countsAs(form pin.LaunchForm, allowed []allowedLaunch) (as allowedLaunch, found, more bool) {
	for _, a := range slices.Backward(allowed) {
		if a.Client != form.Client || !form.SameCode(a.LaunchForm) || a.Dir != form.Dir && !pin.StartsInProject(form.Client) {
			continue
		}
		if more = len(without(form.Variables, a.Variables)) > 0; !more {
			return a, true, false
		}
		as, found = a, true
	}
	return as, found, more
}

// without are the names that are not among others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

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
