package review

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// Launched is what one wrapper reported of its server's launch.
type Launched struct {
	Form  pin.LaunchForm
	Final bool
	// declared is the form as it is pinned or waits, nil while there is nothing to decide on: before the server runs, only
	// a launch that is held is declared.
	Declared *Declaration
}

func DeclarationOf(form pin.LaunchForm) (*Declaration, error) {
	raw, digest, err := form.Definition()
	if err != nil {
		return nil, err
	}
	return &Declaration{Key: KeyLaunch, Era: LaunchEra(digest), Digest: digest, Raw: raw}, nil
}

// AskedOf is a launch as it waits. Its digest is over what a person decides on: circumstances differ from start to start
// without being other content, and a rejection holds in all of them.
func AskedOf(form pin.LaunchForm, allowed []pin.LaunchForm) (*Declaration, error) {
	raw, _, err := form.Definition()
	if err != nil {
		return nil, err
	}
	_, digest, err := form.Asked(allowed).Definition()
	if err != nil {
		return nil, err
	}
	return &Declaration{Key: KeyLaunch, Era: LaunchEra(digest), Digest: digest, Raw: raw}, nil
}

// LaunchEra keeps each allowed form in a pin of its own: one server has several, one a client at least.
func LaunchEra(d pin.Digest) string { return KeyLaunch + "-" + string(d[:min(len(d), 16)]) }

// AllowedLaunch is one allowed form and the pin that holds it.
type AllowedLaunch struct {
	pin.LaunchForm
	Pin store.Pin
}

func (a AllowedLaunch) Declaration() *Declaration {
	return &Declaration{Key: KeyLaunch, Era: a.Pin.Era, Digest: pin.Digest(a.Pin.Digest), Raw: a.Pin.Raw}
}

func FormsOf(all []AllowedLaunch) []pin.LaunchForm {
	forms := make([]pin.LaunchForm, len(all))
	for i, a := range all {
		forms[i] = a.LaunchForm
	}
	return forms
}

// CountsAs is the allowed form that a launch counts as: the same code for the same client, in the same folder unless the
// folder says nothing of this client's servers. more says that the launch has variables which that form has not.
func CountsAs(form pin.LaunchForm, allowed []AllowedLaunch) (as AllowedLaunch, found, more bool) {
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

// LaunchStanding is what a verdict over a launch rests on.
type LaunchStanding struct {
	Mode    string
	Known   bool // a launch of this server was allowed once
	Allowed []pin.LaunchForm
	Pins    []AllowedLaunch // those forms with their pins
	Refused map[pin.Digest]bool
	Seen    pin.Digest      // what is declared now
	Waits   *pin.LaunchForm // that, where it waits for a decision and is another program
	Files   []pin.FileStamp
	Key     []byte
	Code    string
}

// Verdict is what a wrapper may do. It is pure, and the only place that decides it.
func (l LaunchStanding) Verdict(s *Launched) control.LaunchVerdict {
	switch {
	case l.Mode == "off":
		return control.LaunchGo
	case s == nil:
		return ""
	case !l.Known:
		return control.LaunchGo // part of the first review, which lets nothing through
	case len(l.Allowed) == 0:
		return control.LaunchHold // every approval was taken back
	case s.Declared != nil && l.Refused[s.Declared.Digest]:
		return control.LaunchHold
	}
	drift := s.Form.Against(l.Allowed)
	switch {
	case drift.Grave, drift.Strict && l.Mode == "block":
		return control.LaunchHold
	case s.Final || l.Mode != "block" || s.Form.Known():
		return control.LaunchGo
	case l.Waits != nil && s.Form.Assume(*l.Waits).SameProgram(*l.Waits):
		// The same start ended up with something that waits for a decision: it is not made again before that.
		return control.LaunchHold
	default:
		return control.LaunchWait
	}
}

// State is the launch part of the State of one wrapper, which starts the server for a client.
func (l LaunchStanding) State(s *Launched, client string) *control.LaunchState {
	out := &control.LaunchState{Key: l.Key, Files: l.Files, First: !l.Known, Verdict: l.Verdict(s), Code: l.Code, Client: client}
	if s == nil && l.Mode == "notify" && l.Known {
		out.Allowed = l.Allowed
	}
	return out
}

// Settled says that a report changes nothing, and counts it: what runs is allowed as it is, or will be said in a moment.
func (l LaunchStanding) Settled(s *Launched) bool {
	switch {
	case l.Mode == "off":
		return true
	case !l.Known || len(l.Allowed) == 0:
		return !l.Known && !s.Final
	case s.Final:
		if s.Form.Against(l.Allowed).Drifted() {
			return false
		}
		as, found, more := CountsAs(s.Form, l.Pins)
		if !found || more || l.Seen != pin.Digest(as.Pin.Digest) {
			return false
		}
		s.Declared = as.Declaration()
		return true
	}
	return !s.Form.Against(l.Allowed).Drifted()
}
