package app

import (
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/store"
)

// Launch takes what a wrapper sees of its server's launch, and answers once what follows from it is stored.
func (h *Hub) Launch(w control.Wrapper, r control.LaunchReport) (control.State, error) {
	if r.Final && !r.Form.Complete() {
		return control.State{}, office.Answer(control.CodeBadRequest, "a launch that is not whole")
	}
	h.office.Lock()
	defer h.office.Unlock()
	s := h.sessions[w]
	if s == nil {
		return control.State{}, office.Answer(control.CodeBadRequest, "launch before register")
	}
	if err := h.office.Usable(); err != nil {
		return control.State{}, err
	}
	r.Form.Client, r.Form.Values = s.entry, nil
	if st := h.servers[s.server]; r.Ended && st != nil && len(st.launch.Allowed) > 0 {
		r.Form = r.Form.Assume(st.launch.Allowed[len(st.launch.Allowed)-1])
		r.Final = r.Form.Complete()
	}
	declared, err := review.DeclarationOf(r.Form)
	if err != nil || len(declared.Raw) > maxLaunch {
		return control.State{}, office.Answer(control.CodeBadRequest, "a launch that cannot be read")
	}
	s.launched = &review.Launched{Form: r.Form, Final: r.Final}
	if st := h.servers[s.server]; st != nil && len(r.Files) == 0 && st.launch.Settled(s.launched) {
		return h.push(s), nil // a start does not wait for a store that has nothing to learn
	}
	notices, wrote, err := h.judgeLaunch(&s.wrapped, r.Files)
	if err != nil {
		return control.State{}, h.office.Failed(err)
	}
	if wrote {
		h.pushChanged()
	}
	for _, n := range notices {
		h.office.Tell(n)
	}
	return h.push(s), nil
}

// maxLaunch bounds one launch: names of variables are most of it.
const maxLaunch = 1 << 20

// judgeLaunch stores what a launch report changes.
func (h *Hub) judgeLaunch(s *wrapped, files []pin.FileStamp) (notices []review.Notice, wrote bool, err error) {
	now := h.office.Now()
	err = h.office.Update(func(tx *store.Tx) (bool, error) {
		l, err := ledger.Read(tx, s.server)
		if err != nil {
			return false, err
		}
		if policy.ForWrapper(h.valuesFor(l.Server)).Launch == "off" {
			return false, nil
		}
		learned, err := h.learnFiles(tx, files)
		if err != nil {
			return false, err
		}
		before := review.Of(l.Facts())
		if err := h.seeLaunch(tx, l, now); err != nil {
			return false, err
		}
		if notices, err = h.settleDrift(tx, l, before, s, now); err != nil {
			return false, err
		}
		wrote = l.Wrote || learned
		return wrote, nil
	})
	if err != nil || !wrote {
		return nil, wrote, err
	}
	return notices, true, h.refresh(s.server)
}

// seeLaunch brings the ledger in line with what the live wrappers of a server reported of its launch. Where they differ,
// what is not allowed stands: the gravest of it, and of equals what waits already.
func (h *Hub) seeLaunch(tx *store.Tx, l *ledger.Ledger, now time.Time) error {
	var waits, runs *review.Declaration
	silent, grave := false, false
	seen := l.Seen[review.KeyLaunch]
	for _, s := range h.wrappersOf(l.Server.ID) {
		if s.launched == nil {
			silent = true
			continue
		}
		if err := h.declareLaunch(tx, l, s.launched, now); err != nil {
			return err
		}
		d := s.launched.Declared
		switch {
		case d == nil:
		case l.Approves(review.KeyLaunch, d.Digest):
			runs = d
		default:
			holds := s.launched.Form.Against(l.LaunchForms()).Grave
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
		// After a restart of the hub wrappers come one by one: what waited may be what the next one runs.
		return nil
	}
	return l.Put(tx, review.KeyLaunch, d, now)
}

// declareLaunch says under which definition a launch counts. One whose parts are all allowed counts as allowed, whatever
// other form each of them was allowed in; its circumstances join what is allowed for its client.
func (h *Hub) declareLaunch(tx *store.Tx, l *ledger.Ledger, s *review.Launched, now time.Time) error {
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
		// Allowed before there was a launch pin, or while it was off: taken over as it is, and shown as that.
		return l.Adopt(tx, d, store.ByTrustClean, now)
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
			form = form.Assume(allowed[len(allowed)-1]) // what would run is not known before it runs
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
		held := review.LaunchStanding{Mode: policy.ForWrapper(h.valuesFor(l.Server)).Launch, Known: true, Allowed: allowed, Refused: l.LaunchRefused()}
		if held.Verdict(&review.Launched{Form: s.Form, Declared: d}) != control.LaunchHold {
			return nil // it runs: all of it will be seen in a moment
		}
	}
	s.Declared = d
	return nil
}

// liveLaunches are the forms that live wrappers of a server run.
func (h *Hub) liveLaunches(server string) map[pin.Digest]bool {
	live := map[pin.Digest]bool{}
	for _, s := range h.wrappersOf(server) {
		if s.launched != nil && s.launched.Final && s.launched.Declared != nil {
			live[s.launched.Declared.Digest] = true
		}
	}
	return live
}
