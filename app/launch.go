package app

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/store"
)

// keyLaunch is the one item of a server that it does not declare: what its command runs (docs/launch.md).
const keyLaunch = string(pin.Launch)

// launched is what one wrapper reported of its server's launch.
type launched struct {
	form  pin.LaunchForm
	final bool
	// declared is the form as it is pinned or waits, nil while there is nothing to decide on: before the server runs, only
	// a launch that is held is declared.
	declared *declaration
}

// launchStanding is what a verdict over a launch rests on.
type launchStanding struct {
	mode    string
	known   bool // a launch of this server was allowed once
	allowed []pin.LaunchForm
	digests map[pin.Digest]bool // of what is allowed
	refused map[pin.Digest]bool
	seen    pin.Digest      // what is declared now
	waits   *pin.LaunchForm // that, where it waits for a decision
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
	case drift.Grave, drift.Drifted() && l.mode == "block":
		return control.LaunchHold
	case s.final || l.mode != "block" || s.form.Known():
		return control.LaunchGo
	case l.waits != nil && s.form.Assume(*l.waits).SameCode(*l.waits):
		// The same start ended up with something that waits for a decision: it is not made again before that.
		return control.LaunchHold
	default:
		return control.LaunchWait
	}
}

// Launch takes what a wrapper sees of its server's launch, and answers once what follows from it is stored.
func (h *Hub) Launch(w control.Wrapper, r control.LaunchReport) (control.State, error) {
	if r.Final && !r.Form.Complete() {
		return control.State{}, answer(control.CodeBadRequest, "a launch that is not whole")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[w]
	if s == nil {
		return control.State{}, answer(control.CodeBadRequest, "launch before register")
	}
	if err := h.usable(); err != nil {
		return control.State{}, err
	}
	r.Form.Client = s.entry
	if st := h.servers[s.server]; r.Ended && st != nil && len(st.launch.allowed) > 0 {
		r.Form = r.Form.Assume(st.launch.allowed[len(st.launch.allowed)-1])
		r.Final = r.Form.Complete()
	}
	declared, err := declarationOf(r.Form)
	if err != nil || len(declared.Raw) > maxLaunch {
		return control.State{}, answer(control.CodeBadRequest, "a launch that cannot be read")
	}
	s.launched = &launched{form: r.Form, final: r.Final}
	if st := h.servers[s.server]; st != nil && len(r.Files) == 0 && st.launch.settled(s.launched, declared) {
		return h.push(s), nil // a start does not wait for a store that has nothing to learn
	}
	notices, wrote, err := h.judgeLaunch(s, r.Files)
	if err != nil {
		return control.State{}, h.failed(err)
	}
	if wrote {
		h.pushAll()
	}
	for _, n := range notices {
		h.notify(n)
	}
	return h.push(s), nil
}

// settled says that a report changes nothing, and counts it: what runs is allowed as it is, or will be said in a moment.
func (l launchStanding) settled(s *launched, declared *declaration) bool {
	switch {
	case l.mode == "off":
		return true
	case !l.known || len(l.allowed) == 0:
		return !l.known && !s.final
	case s.final:
		if !l.digests[declared.Digest] || l.seen != declared.Digest {
			return false
		}
		s.declared = declared
		return true
	}
	return !s.form.Against(l.allowed).Drifted()
}

// maxLaunch bounds one launch: names of variables are most of it.
const maxLaunch = 1 << 20

// judgeLaunch stores what a launch report changes.
func (h *Hub) judgeLaunch(s *session, files []pin.FileStamp) (notices []ItemNotice, wrote bool, err error) {
	now := h.opts.Now()
	err = h.update(func(tx *store.Tx) (bool, error) {
		l, err := readLedger(tx, s.server)
		if err != nil {
			return false, err
		}
		if policy.ForWrapper(h.settings.forServer(l.server)).Launch == "off" {
			return false, nil
		}
		learned, err := h.learnFiles(tx, files)
		if err != nil {
			return false, err
		}
		before := review(l.facts())
		if err := h.seeLaunch(tx, l, now); err != nil {
			return false, err
		}
		if notices, err = h.settleDrift(tx, l, before, s, now); err != nil {
			return false, err
		}
		wrote = l.wrote || learned
		return wrote, nil
	})
	if err != nil || !wrote {
		return nil, wrote, err
	}
	return notices, true, h.refresh(s.server)
}

// seeLaunch brings the ledger in line with what the live wrappers of a server reported of its launch. Where they differ,
// what is not allowed stands.
func (h *Hub) seeLaunch(tx *store.Tx, l *ledger, now time.Time) error {
	var waits, runs *declaration
	silent := false
	for _, s := range h.ordered() {
		if s.server != l.server.ID {
			continue
		}
		if s.launched == nil {
			silent = true
			continue
		}
		if err := h.declareLaunch(tx, l, s.launched, now); err != nil {
			return err
		}
		switch d := s.launched.declared; {
		case d == nil:
		case l.approves(keyLaunch, d.Digest):
			runs = d
		default:
			waits = d
		}
	}
	d := waits
	if d == nil {
		d = runs
	}
	if seen := l.seen[keyLaunch]; d == nil || d == runs && silent && seen.Digest != "" && !l.approves(keyLaunch, pin.Digest(seen.Digest)) {
		// After a restart of the hub wrappers come one by one: what waited may be what the next one runs.
		return nil
	}
	return l.put(tx, keyLaunch, d, now)
}

// declareLaunch says under which definition a launch counts. One whose parts are all allowed counts as allowed, whatever
// other form each of them was allowed in.
func (h *Hub) declareLaunch(tx *store.Tx, l *ledger, s *launched, now time.Time) error {
	allowed := l.launchForms()
	form := s.form
	s.declared = nil
	switch {
	case !known(l.pins[keyLaunch]):
		if !s.final {
			return nil
		}
		d, err := declarationOf(form)
		s.declared = d
		if err != nil || l.server.FirstUse.IsZero() {
			return err
		}
		// Allowed before there was a launch pin, or while it was off: taken over as it is, and shown as that.
		return l.adopt(tx, d, store.ByTrustClean, now)
	case len(allowed) > 0 && !form.Against(allowed).Drifted():
		if !s.final {
			return nil
		}
		for _, a := range allowed {
			if a.Client == form.Client && a.Dir == form.Dir && form.SameCode(a) {
				form = a // fewer variables: no other launch
				break
			}
		}
		d, err := declarationOf(form)
		s.declared = d
		if err != nil || l.approves(keyLaunch, d.Digest) {
			return err
		}
		if form.Client != pin.ProbeClient || !slices.ContainsFunc(allowed, form.SameCode) {
			return l.adopt(tx, d, store.ByPerson, now)
		}
		for _, a := range allowed { // where a probe stood is nothing to remember
			if form.SameCode(a) {
				s.declared, err = declarationOf(a)
			}
		}
		return err
	}
	if !s.final {
		if len(allowed) > 0 {
			form = form.Assume(allowed[len(allowed)-1]) // what would run is not known before it runs
		}
		if !form.Complete() {
			return nil
		}
	}
	d, err := declarationOf(form)
	if err != nil {
		return err
	}
	if !s.final && len(allowed) > 0 {
		held := launchStanding{mode: policy.ForWrapper(h.settings.forServer(l.server)).Launch, known: true, allowed: allowed, refused: l.launchRefused()}
		if held.verdict(&launched{form: s.form, declared: d}) != control.LaunchHold {
			return nil // it runs: all of it will be seen in a moment
		}
	}
	s.declared = d
	return nil
}

func declarationOf(form pin.LaunchForm) (*declaration, error) {
	raw, digest, err := form.Definition()
	if err != nil {
		return nil, err
	}
	return &declaration{Key: keyLaunch, Era: launchEra(digest), Digest: digest, Raw: raw}, nil
}

// launchEra keeps each allowed form in a pin of its own: one server has several, one a client at least.
func launchEra(d pin.Digest) string { return keyLaunch + "-" + clip(string(d), 16) }

// launchForms are the forms that are allowed, the one that was allowed last at the end.
func (l *ledger) launchForms() []pin.LaunchForm {
	pins := slices.DeleteFunc(slices.Clone(l.pins[keyLaunch]), func(p store.Pin) bool { return p.State != store.Approved || p.Digest == "" })
	slices.SortStableFunc(pins, func(a, b store.Pin) int { return a.ApprovedAt.Compare(b.ApprovedAt) })
	var forms []pin.LaunchForm
	for _, p := range pins {
		if form, err := pin.ReadLaunch(p.Raw); err == nil {
			forms = append(forms, form)
		}
	}
	return forms
}

func (l *ledger) launchRefused() map[pin.Digest]bool {
	refused := map[pin.Digest]bool{}
	for _, p := range l.pins[keyLaunch] {
		for _, d := range p.Refused {
			refused[pin.Digest(d)] = !l.approves(keyLaunch, pin.Digest(d))
		}
	}
	return refused
}

// adopt allows a form without asking: every part of it was allowed before, or there was no launch pin before.
func (l *ledger) adopt(tx *store.Tx, d *declaration, by string, now time.Time) error {
	p := l.pin(keyLaunch, d.Era)
	p.Digest, p.Raw, p.State, p.ApprovedBy, p.ApprovedAt, p.Waits = string(d.Digest), d.Raw, store.Approved, by, now, false
	err := errors.Join(l.putPin(tx, p), tx.AddHistory(store.Event{
		ServerID: l.server.ID, Item: keyLaunch, Era: d.Era, At: now, Action: "adopt", By: by, Digest: string(d.Digest),
	}))
	if err != nil {
		return err
	}
	return l.pruneLaunches(tx, d, nil)
}

// maxLaunches bounds the allowed forms of one server; past it the oldest goes, and is asked about again.
const maxLaunches = 16

// pruneLaunches takes away what a newly allowed form replaces: the same client's forms that run other code, unless a live
// process runs one (a client may start a server twice, in two ways). An old version that nobody runs any more does not
// stay allowed.
func (l *ledger) pruneLaunches(tx *store.Tx, d *declaration, live map[pin.Digest]bool) error {
	form, err := pin.ReadLaunch(d.Raw)
	if err != nil {
		return err
	}
	var kept []store.Pin
	for _, p := range l.pins[keyLaunch] {
		old, err := pin.ReadLaunch(p.Raw)
		replaced := live != nil && p.State == store.Approved && p.Digest != string(d.Digest) && !live[pin.Digest(p.Digest)] &&
			err == nil && old.Client == form.Client && !old.SameCode(form)
		if !replaced {
			kept = append(kept, p)
			continue
		}
		if err := tx.DeletePin(p.ServerID, p.Era, p.Item); err != nil {
			return err
		}
	}
	for len(kept) > maxLaunches {
		oldest := slices.MinFunc(kept, func(a, b store.Pin) int { return a.ApprovedAt.Compare(b.ApprovedAt) })
		if err := tx.DeletePin(oldest.ServerID, oldest.Era, oldest.Item); err != nil {
			return err
		}
		kept = slices.DeleteFunc(kept, func(p store.Pin) bool { return p.Era == oldest.Era })
	}
	l.pins[keyLaunch] = kept
	return nil
}

// keepLaunch is pruneLaunches for the form that was just decided on.
func (l *ledger) keepLaunch(tx *store.Tx, live map[pin.Digest]bool) error {
	seen := l.seen[keyLaunch]
	return l.pruneLaunches(tx, &declaration{Digest: pin.Digest(seen.Digest), Raw: seen.Raw}, live)
}

// runsOn says that a launch that waits does not keep its server from running.
func (h *Hub) runsOn(l *ledger) bool {
	return policy.ForWrapper(h.settings.forServer(l.server)).Launch != "block" && !l.launchDrift().Grave
}

// liveLaunches are the forms that live wrappers of a server run.
func (h *Hub) liveLaunches(server string) map[pin.Digest]bool {
	live := map[pin.Digest]bool{}
	for _, s := range h.sessions {
		if s.server == server && s.launched != nil && s.launched.final && s.launched.declared != nil {
			live[s.launched.declared.Digest] = true
		}
	}
	return live
}

// launchBase is the allowed form that a launch is nearest to: what a person compares with.
func (l *ledger) launchBase() store.Pin {
	seen, ok := l.seen[keyLaunch]
	now, err := pin.ReadLaunch(seen.Raw)
	var best store.Pin
	fewest := -1
	pins := slices.Clone(l.pins[keyLaunch])
	slices.SortStableFunc(pins, func(a, b store.Pin) int { return b.ApprovedAt.Compare(a.ApprovedAt) })
	for _, p := range pins {
		form, errForm := pin.ReadLaunch(p.Raw)
		if p.Digest == "" || errForm != nil {
			continue
		}
		n := 0
		if ok && err == nil {
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

// launchDrift is how what waits differs from all that is allowed.
func (l *ledger) launchDrift() pin.LaunchDrift {
	now, err := pin.ReadLaunch(l.seen[keyLaunch].Raw)
	if err != nil {
		return pin.LaunchDrift{}
	}
	return now.Against(l.launchForms())
}

// launchTitle says in our words what changed of a launch, without a word of anybody else.
func launchTitle(server string, d pin.LaunchDrift) string {
	words := map[string]string{
		"executable": "another executable", "interpreter": "another interpreter", "script": "another script", "package": "another version of its package",
		"dir": "another folder", "variables": "more variables", "home": "another place for its configuration", "loaders": "a variable that loads code", "loads": "another file loaded first", "answers": "another program that it starts",
	}
	var parts []string
	for _, c := range d.Changes {
		if w := words[c.Path]; w != "" && !slices.Contains(parts, w) {
			parts = append(parts, w)
		}
	}
	switch {
	case len(parts) == 0:
		return server + ": what it runs is blocked"
	case len(parts) > 2:
		return server + " runs otherwise than allowed: " + parts[0] + ", " + parts[1] + " and more"
	case len(parts) == 2:
		return server + " runs otherwise than allowed: " + parts[0] + " and " + parts[1]
	}
	return server + " runs otherwise than allowed: " + parts[0]
}

// metaFiles is where the store keeps what the hub knows of files by their stat.
const metaFiles = "launch.files"

// maxFiles bounds them: a few for each server. Past it all is learned anew.
const maxFiles = 256

func (h *Hub) learnFiles(tx *store.Tx, files []pin.FileStamp) (learned bool, err error) {
	if h.files == nil {
		h.files = map[string]pin.FileStamp{}
		if raw, err := tx.Meta(metaFiles); err == nil && json.Unmarshal(raw, &h.files) != nil {
			clear(h.files)
		}
	}
	if len(files) == 0 || len(files) > 16 {
		return false, nil
	}
	next := maps.Clone(h.files)
	if len(next)+len(files) > maxFiles {
		clear(next)
	}
	for _, f := range files {
		if f.CTime == 0 || len(f.SHA256) != 64 || len(f.Path) > 4096 {
			continue
		}
		learned = learned || next[f.Path] != f
		next[f.Path] = f
	}
	if !learned {
		return false, nil
	}
	h.files = next
	raw, err := json.Marshal(next)
	if err != nil {
		return false, err
	}
	return true, tx.SetMeta(metaFiles, raw)
}

// standLaunch computes what the verdicts over a server's launches rest on.
func (h *Hub) standLaunch(tx *store.Tx, l *ledger, code string) launchStanding {
	h.learnFiles(tx, nil)
	st := launchStanding{
		mode: policy.ForWrapper(h.settings.forServer(l.server)).Launch, known: known(l.pins[keyLaunch]),
		allowed: l.launchForms(), refused: l.launchRefused(), code: code, key: h.store.Derive("launch", l.server.ID),
	}
	st.digests, st.seen = map[pin.Digest]bool{}, pin.Digest(l.seen[keyLaunch].Digest)
	for _, p := range l.pins[keyLaunch] {
		st.digests[pin.Digest(p.Digest)] = p.State == store.Approved
	}
	if st.known && st.seen != "" && !st.digests[st.seen] && !st.refused[st.seen] {
		if form, err := pin.ReadLaunch(l.seen[keyLaunch].Raw); err == nil {
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
	out := &control.LaunchState{Key: l.key, Files: l.files, First: !l.known, Verdict: l.verdict(s.launched), Code: l.code}
	if s.launched == nil && l.mode == "notify" && l.known {
		out.Allowed, out.Client = l.allowed, s.entry
	}
	return out
}
