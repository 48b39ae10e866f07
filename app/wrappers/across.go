package wrappers

import (
	"slices"
	"strings"

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

// beside says whether one client sees both servers: then one may speak of the other's tools, or pass for them. A wrapper whose
// client is not known counts for every client.
func (s *liveWrapper) beside(other *liveWrapper) bool {
	return s.Server != other.Server && (s.Client == other.Client || s.Client == "" || other.Client == "")
}

// lookAcross looks at what a wrapper's server declares beside the tools of the other servers of its client, and says whether
// anything was found that was not before. What is found stays with the definition it was found in (ledger.Put), so that it does
// not go when the other server does.
func (w *Wrappers) lookAcross(s *liveWrapper) (found bool, err error) {
	resting, err := w.restingTools(s)
	if err != nil {
		return false, err
	}
	var theirs []string
	for _, other := range w.sessions {
		if s.beside(other) {
			theirs = append(theirs, other.toolNames()...)
		}
	}
	tools := inspect.OtherTools(theirs, resting, s.toolNames())
	if tools.Empty() {
		return false, nil
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

// neighbours have the other servers of a client looked at again, because one of them declares tools that it did not before.
func (w *Wrappers) neighbours(s *liveWrapper) (notices []review.Notice, err error) {
	names := s.toolNames()
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

// judgeAgain is judgeReport where nothing was reported, and more was found in what was.
func (w *Wrappers) judgeAgain(s *liveWrapper) (notices []review.Notice, err error) {
	now := w.office.Now()
	err = w.office.Update(func(tx *store.Tx) (bool, error) {
		notices = nil
		l, err := ledger.Read(tx, s.Server)
		if err != nil {
			return false, err
		}
		before := review.Of(l.Facts())
		if err := w.approvals.SeeDeclared(tx, l, now); err != nil {
			return false, err
		}
		if notices, err = w.approvals.SettleDrift(tx, l, before, &s.Wrapper, now); err != nil {
			return false, err
		}
		return l.Wrote, nil
	})
	if err != nil {
		return nil, err
	}
	return notices, w.Refresh(s.Server)
}
