package ledger

import (
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// AllowedLaunches are the allowed forms, the last allowed one at the end.
func (l *Ledger) AllowedLaunches() []review.AllowedLaunch {
	pins := slices.DeleteFunc(slices.Clone(l.Pins[review.KeyLaunch]), func(p store.Pin) bool { return p.State != vocab.PartApproved || p.Digest == "" })
	slices.SortStableFunc(pins, func(a, b store.Pin) int { return a.ApprovedAt.Compare(b.ApprovedAt) })
	var all []review.AllowedLaunch
	for _, p := range pins {
		if form, err := pin.ReadLaunch(p.Raw); err == nil {
			all = append(all, review.AllowedLaunch{LaunchForm: form, Pin: p})
		}
	}
	return all
}

// LaunchForms are those forms alone.
func (l *Ledger) LaunchForms() []pin.LaunchForm { return review.FormsOf(l.AllowedLaunches()) }

// Join treats a launch whose parts are all allowed as one of the allowed forms, and adds its circumstances to those allowed for its client.
func (l *Ledger) Join(tx *store.Tx, form pin.LaunchForm, now time.Time) (*review.Declaration, error) {
	allowed := l.AllowedLaunches()
	as, found, more := review.CountsAs(form, allowed)
	if found && !more {
		return as.Declaration(), nil
	}
	if form.Client == pin.ProbeClient { // the folder of a look is not worth remembering
		for _, a := range slices.Backward(allowed) {
			if form.SameCode(a.LaunchForm) {
				return a.Declaration(), nil
			}
		}
	}
	by := vocab.ByTrustClean // until a person has allowed part of it
	for _, a := range allowed {
		if a.Pin.ApprovedBy != vocab.ByTrustClean {
			by = a.Pin.ApprovedBy
		}
	}
	if found {
		by = as.Pin.ApprovedBy
		form.Variables = append(slices.Clone(form.Variables), as.Variables...)
		form.Values = as.Values
	}
	d, err := review.DeclarationOf(form)
	if err != nil || l.Approves(review.KeyLaunch, d.Digest) {
		return d, err
	}
	if found { // the same launch, with more known about it
		if err := l.dropPin(tx, as.Pin); err != nil {
			return nil, err
		}
	}
	return d, l.Adopt(tx, d, by, now)
}

func (l *Ledger) LaunchRefused() map[pin.Digest]bool {
	refused := map[pin.Digest]bool{}
	for _, p := range l.Pins[review.KeyLaunch] {
		for _, d := range p.Refused {
			refused[pin.Digest(d)] = !l.Approves(review.KeyLaunch, pin.Digest(d))
		}
	}
	return refused
}

// Adopt allows a form without asking: every part of it was allowed before, or there was no launch pin yet.
func (l *Ledger) Adopt(tx *store.Tx, d *review.Declaration, by vocab.By, now time.Time) error {
	if err := l.allow(tx, store.Seen{Item: review.KeyLaunch, Era: d.Era, Digest: string(d.Digest), Raw: d.Raw}, "adopt", by, now); err != nil {
		return err
	}
	return l.pruneLaunches(tx, d, nil)
}

// maxLaunches limits the allowed forms of one server; beyond it the oldest is dropped, and asked about again. maxValues limits the values
// of loaders that outlive their form.
const (
	maxLaunches = 16
	maxValues   = 64
)

// pruneLaunches removes what a newly allowed form replaces: forms of the same client, and of looks, that run another program, unless a live
// process runs one (a client may start a server in two ways). So an old version that no process runs any more does not stay allowed. The
// values of loaders do, because they are independent of the program.
func (l *Ledger) pruneLaunches(tx *store.Tx, d *review.Declaration, live map[pin.Digest]bool) error {
	form, err := pin.ReadLaunch(d.Raw)
	if err != nil {
		return err
	}
	var kept, gone []store.Pin
	for _, p := range l.Pins[review.KeyLaunch] {
		old, err := pin.ReadLaunch(p.Raw)
		replaced := live != nil && p.State == vocab.PartApproved && p.Digest != string(d.Digest) && !live[pin.Digest(p.Digest)] &&
			err == nil && (old.Client == form.Client || old.Client == pin.ProbeClient) && !old.SameProgram(form)
		if replaced {
			gone = append(gone, p)
		} else {
			kept = append(kept, p)
		}
	}
	for len(kept) > maxLaunches {
		oldest := slices.MinFunc(kept, func(a, b store.Pin) int { return a.ApprovedAt.Compare(b.ApprovedAt) })
		gone = append(gone, oldest)
		kept = slices.DeleteFunc(kept, func(p store.Pin) bool { return p.Era == oldest.Era })
	}
	for _, p := range gone {
		if err := l.dropPin(tx, p); err != nil {
			return err
		}
	}
	return l.keepValues(tx, d, gone)
}

// keepValues keeps allowed values of loaders from deleted forms with the newly allowed form.
func (l *Ledger) keepValues(tx *store.Tx, d *review.Declaration, gone []store.Pin) error {
	at := slices.IndexFunc(l.Pins[review.KeyLaunch], func(p store.Pin) bool { return p.Digest == string(d.Digest) })
	if at < 0 || len(gone) == 0 {
		return nil
	}
	p := l.Pins[review.KeyLaunch][at]
	form, err := pin.ReadLaunch(p.Raw)
	if err != nil {
		return err
	}
	before := len(form.Values)
	for _, old := range gone {
		was, err := pin.ReadLaunch(old.Raw)
		if err != nil || old.State != vocab.PartApproved {
			continue
		}
		for _, v := range slices.Concat(was.Loaders, was.Values) {
			if !slices.Contains(form.Loaders, v) && !slices.Contains(form.Values, v) && len(form.Values) < maxValues {
				form.Values = append(form.Values, v)
			}
		}
	}
	if len(form.Values) == before {
		return nil
	}
	if p.Raw, _, err = form.Definition(); err != nil {
		return err
	}
	return l.PutPin(tx, p)
}

// KeepLaunch is pruneLaunches for the form just decided on.
func (l *Ledger) KeepLaunch(tx *store.Tx, live map[pin.Digest]bool) error {
	seen := l.Launch()
	return l.pruneLaunches(tx, &review.Declaration{Digest: pin.Digest(seen.Digest), Raw: seen.Raw}, live)
}

// launchBase is the allowed form most similar to the pending launch: a person compares the two.
func (l *Ledger) launchBase() store.Pin {
	seen := l.Launch()
	now, err := pin.ReadLaunch(seen.Raw)
	var best store.Pin
	fewest := -1
	pins := slices.Clone(l.Pins[review.KeyLaunch])
	slices.SortStableFunc(pins, func(a, b store.Pin) int { return b.ApprovedAt.Compare(a.ApprovedAt) })
	for _, p := range pins {
		form, errForm := pin.ReadLaunch(p.Raw)
		if p.Digest == "" || errForm != nil {
			continue
		}
		n := 0
		if err == nil {
			n = 2 * len(now.Against([]pin.LaunchForm{form}).Changes)
			if form.Client != now.Client {
				n++
			}
		}
		if fewest < 0 || n < fewest {
			best, fewest = p, n
		}
	}
	return best
}

// LaunchDrift is the difference between the pending launch and all allowed ones.
func (l *Ledger) LaunchDrift() pin.LaunchDrift {
	now, err := pin.ReadLaunch(l.Launch().Raw)
	if err != nil {
		return pin.LaunchDrift{}
	}
	return now.Against(l.LaunchForms())
}
