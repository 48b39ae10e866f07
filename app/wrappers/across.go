package wrappers

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// toolNames are the tools that a wrapper's server declares, sorted.
func (s *liveWrapper) toolNames() []string {
	var names []string
	for key := range s.Declared {
		if name, ok := strings.CutPrefix(key, string(pin.Tool)+":"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// beside reports whether one client may see both servers: then one can talk about the other's tools, or imitate them. A wrapper whose client
// is unknown counts for every client.
func (s *liveWrapper) beside(other *liveWrapper) bool {
	return s.Server != other.Server && (s.Client == other.Client || s.Client == "" || other.Client == "")
}

// lookAcross compares what a wrapper's server declares with the tools of its client's other servers, and reports whether that found anything
// new. Findings stay with their definition (ledger.Put), even when the other server is gone.
func (w *Wrappers) lookAcross(s *liveWrapper) (found bool, err error) {
	resting, err := w.restingTools(s)
	if err != nil {
		return false, err
	}
	skills := restingFor(w, s, func(r restingServer) []string { return r.skills })
	var theirs []string
	for _, other := range w.sessions {
		if s.beside(other) {
			theirs, skills = append(theirs, other.toolNames()...), append(skills, other.skillNames()...)
		}
	}
	found = sameSkillNames(s, skills)
	tools := inspect.OtherTools(theirs, resting, s.toolNames())
	if tools.Empty() {
		return found, nil
	}
	for key, d := range s.Declared {
		name, _ := strings.CutPrefix(key, string(pin.Tool)+":")
		if name == key {
			name = ""
		}
		if with := d.With(inspect.Across(name, d.Raw, tools)); with != d {
			s.Declared[key], found = with, true
		}
	}
	return found, nil
}

// neighbours compares the client's other servers again if a server's set of tools or skills has changed.
func (w *Wrappers) neighbours(s *liveWrapper) (notices []review.Notice, err error) {
	names := append(s.toolNames(), s.skillNames()...)
	if slices.Equal(names, s.named) {
		return nil, nil
	}
	s.named = names
	for _, other := range w.ordered() {
		if other.Reported == 0 || !other.beside(s) {
			continue
		}
		if found, err := w.lookAcross(other); err != nil {
			return nil, err
		} else if !found {
			continue
		}
		came, err := w.judgeAgain(other)
		if err != nil {
			return nil, err
		}
		notices = append(notices, came...)
	}
	return notices, nil
}

// judgeAgain is judgeReport for new findings in an earlier report.
func (w *Wrappers) judgeAgain(s *liveWrapper) ([]review.Notice, error) {
	notices, _, err := w.approvals.Judge(&s.Wrapper, func(tx *store.Tx, l *ledger.Ledger, now time.Time) ([]store.Record, bool, error) {
		return nil, false, errors.Join(w.approvals.SeeDeclared(tx, l, now), w.eras.retire(tx, l, s, now))
	})
	if err != nil {
		return nil, err
	}
	return notices, w.Refresh(s.Server)
}
