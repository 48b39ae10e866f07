package review

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// KeyLaunch is the one item that a server does not declare: what its command runs (docs/launch.md).
const KeyLaunch = string(pin.Launch)

// Launched is one wrapper's report about its server's launch.
type Launched struct {
	Form  pin.LaunchForm
	Final bool
	// declared is the form that is pinned or pending, nil while there is nothing to decide: before the server runs, only a held launch is
	// declared.
	Declared *Declaration
}

func DeclarationOf(form pin.LaunchForm) (*Declaration, error) {
	raw, digest, err := form.Definition()
	if err != nil {
		return nil, err
	}
	return &Declaration{Key: KeyLaunch, Era: LaunchEra(digest), Digest: digest, Raw: raw}, nil
}

// AskedOf is a launch as it is pending. Its digest covers only what a person decides on: circumstances differ between starts, and a
// rejection applies to all of them.
func AskedOf(form pin.LaunchForm, allowed []pin.LaunchForm) (*Declaration, error) {
	d, err := DeclarationOf(form)
	if err != nil {
		return nil, err
	}
	if _, d.Digest, err = form.Asked(allowed).Definition(); err != nil {
		return nil, err
	}
	d.Era = LaunchEra(d.Digest)
	return d, nil
}

// LaunchEra gives each allowed form a pin of its own: a server has several, at least one per client.
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

// CountsAs is the allowed form that matches a launch: the same code for the same client, in the same folder unless the client's folders
// mean nothing, and through the same proxy. more means that the launch has additional variables.
func CountsAs(form pin.LaunchForm, allowed []AllowedLaunch) (as AllowedLaunch, found, more bool) {
	for _, a := range slices.Backward(allowed) {
		if a.Client != form.Client || !form.SameCode(a.LaunchForm) || a.Dir != form.Dir && !pin.StartsInProject(form.Client) || a.Proxy() != form.Proxy() {
			continue
		}
		if more = slices.ContainsFunc(form.Variables, func(name string) bool { return !slices.Contains(a.Variables, name) }); !more {
			return a, true, false
		}
		as, found = a, true
	}
	return as, found, more
}

// LaunchStanding is the input of a verdict on a launch.
type LaunchStanding struct {
	Mode    string
	Known   bool // a launch of this server has been allowed
	Allowed []pin.LaunchForm
	Pins    []AllowedLaunch // those forms with their pins
	Refused map[pin.Digest]bool
	Seen    pin.Digest      // what is declared now
	Waits   *pin.LaunchForm // the same, if it is pending and a different program
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
		return control.LaunchGo // part of the first review, which allows nothing yet
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
		// The same start led to a pending launch: don't repeat it before a decision.
		return control.LaunchHold
	default:
		return control.LaunchWait
	}
}

// State is the launch part of a wrapper's State, for a client.
func (l LaunchStanding) State(s *Launched, client string) *control.LaunchState {
	out := &control.LaunchState{Key: l.Key, Files: l.Files, First: !l.Known, Verdict: l.Verdict(s), Code: l.Code, Client: client}
	if s == nil && l.Mode == "notify" && l.Known {
		out.Allowed = l.Allowed
	}
	return out
}

// Settled reports whether a launch report changes nothing: the launch is allowed as it is, or will be reported in a moment.
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

// launchDetail is what a launch item stores besides its parts.
type launchDetail struct {
	About pin.LaunchAbout `json:"about"`
}

// launchAbout is the headline of a launch item, for its title and a notification.
func launchAbout(it store.Item) pin.LaunchAbout {
	var d launchDetail
	if it.Kind != vocab.ItemLaunch || json.Unmarshal(it.Detail, &d) != nil {
		return pin.AboutNothing
	}
	return d.About
}

// aboutLaunch gives a launch item its title, severity and headline, all in our words.
func aboutLaunch(c *Content, server string, d pin.LaunchDrift) {
	about := d.About()
	c.Findings = nil
	c.Detail, _ = json.Marshal(launchDetail{about})
	c.Title = launchTitle(server, about, d)
	if d.Grave {
		c.Severity = vocab.SeverityHigh
	}
}

func launchTitle(server string, about pin.LaunchAbout, d pin.LaunchDrift) string {
	said := map[pin.LaunchAbout]string{
		pin.AboutSurroundings: "Same program, other surroundings",
		pin.AboutProgram:      "Same command, another program",
		pin.AboutLoader:       "A variable that loads code",
		pin.AboutSecret:       "It would get a stored secret",
		pin.AboutAddress:      "Reached in another way",
	}[about]
	if said == "" {
		return "Blocked by you: " + server
	}
	words := map[string]string{
		"executable": "executable", "interpreter": "interpreter", "script": "script", "package": "package", "answers": "the program it starts", "loads": "a file loaded first",
		"address": "address", "dir": "folder", "home": "home", "loaders": "variables",
	}
	var parts []string
	for _, c := range d.Changes {
		if w := words[c.Path]; w != "" && !slices.Contains(parts, w) {
			parts = append(parts, w)
		}
	}
	if said += ": " + server; about == pin.AboutLoader || about == pin.AboutSecret || about == pin.AboutAddress || len(parts) == 0 {
		return said
	}
	return said + " (" + strings.Join(parts, ", ") + ")"
}
