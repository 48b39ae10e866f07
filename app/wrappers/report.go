package wrappers

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Report takes what a server declares, and returns once the consequences are stored.
func (w *Wrappers) Report(conn control.Wrapper, r control.Report) (control.State, error) {
	if r.Era != vocab.EraLegacy && r.Era != vocab.EraModern {
		return control.State{}, office.Answer(control.CodeBadRequest, "unknown era")
	}
	declared, whole := review.Declarations(r, w.settings.Rules()) // without the lock, because it can take a while
	w.definitions.first(conn, declared)
	w.office.Lock()
	defer w.office.Unlock()
	s, err := w.registered(conn, "report")
	if err != nil {
		return control.State{}, err
	}
	w.reports++
	s.Declared, s.Reported, s.Era, s.sandbox, s.unlisted = declared, w.reports, r.Era, level(r.Sandbox), ""
	if s.Client == "" {
		s.Client = legible.Name(r.Client, "")
	}
	if _, err := w.lookAcross(s); err != nil {
		return control.State{}, w.office.Failed(err)
	}
	w.share(s)
	notices, err := w.judgeReport(s, r, whole)
	if err != nil {
		return control.State{}, w.office.Failed(err)
	}
	more, err := w.neighbours(s)
	if err != nil {
		return control.State{}, w.office.Failed(err)
	}
	w.PushChanged()
	w.office.Tell(append(notices, more...)...)
	w.definitions.later(s.Server)
	return w.push(s), nil
}

// share keeps one copy of a definition that several processes of a server declare.
func (w *Wrappers) share(s *liveWrapper) {
	for _, other := range w.sessions {
		if other == s || other.Server != s.Server {
			continue
		}
		for key, d := range s.Declared {
			if o := other.Declared[key]; o != nil && o.Digest == d.Digest && len(o.Findings) == len(d.Findings) && o.Era == d.Era {
				s.Declared[key] = o
			}
		}
	}
}

// judgeReport stores the consequences of a report: what is declared, what is pending, and the records about it.
func (w *Wrappers) judgeReport(s *liveWrapper, r control.Report, whole []inspect.Finding) ([]review.Notice, error) {
	notices, _, err := w.approvals.Judge(&s.Wrapper, func(tx *store.Tx, l *ledger.Ledger, now time.Time) ([]store.Record, bool, error) {
		if err := errors.Join(w.approvals.SeeDeclared(tx, l, now), w.approvals.SeeLaunch(tx, l, now)); err != nil {
			return nil, false, err
		}
		records, err := w.noteServer(tx, l, s, r, whole, now)
		if err == nil {
			err = w.eras.retire(tx, l, s, now)
		}
		if err != nil {
			return nil, false, err
		}
		trusted, err := w.approvals.Trust(tx, l, now)
		if err != nil {
			return nil, false, err
		}
		kept, err := w.around.keep(tx)
		return append(records, trusted...), kept, err
	})
	if err != nil {
		return nil, err
	}
	// Wrappers only get what is on disk.
	return notices, w.Refresh(s.Server)
}

// noteServer stores what a report says about the server as a whole. A new finding about the whole gets a record, because no item shows it.
func (w *Wrappers) noteServer(tx *store.Tx, l *ledger.Ledger, s *liveWrapper, r control.Report, whole []inspect.Finding, now time.Time) ([]store.Record, error) {
	before := l.Server
	if !r.Apart {
		l.Server.Versions = nil
	}
	changed := hears(l, s, r, whole)
	if under := level(r.Sandbox); under != "" {
		l.Server.Sandbox = under
	}
	if s.Client != "" && !slices.Contains(l.Server.Clients, s.Client) && len(l.Server.Clients) < maxClients {
		l.Server.Clients = append(slices.Clone(l.Server.Clients), s.Client)
	}
	if !changed && before.Versions == l.Server.Versions && before.Sandbox == l.Server.Sandbox && len(before.Clients) == len(l.Server.Clients) {
		return nil, nil
	}
	l.Server.LastSeen = now
	if err := l.PutServer(tx); err != nil {
		return nil, err
	}
	if compact(before.Findings) == compact(l.Server.Findings) || len(whole) == 0 {
		return nil, nil
	}
	rules := map[string]bool{}
	for _, f := range whole {
		if f.Level != inspect.Low {
			rules[f.Rule] = true
		}
	}
	if len(rules) == 0 { // weak signs are no warning
		return nil, nil
	}
	return []store.Record{w.office.Decision(vocab.ModeAlways, vocab.StatusWarned, store.Record{
		Server: l.Server.Name, ServerID: l.Server.ID, Session: s.Session, Client: s.Client,
		Summary: "what the server declares has warnings as a whole",
		Detail:  office.Detail(map[string]any{"check": "metadata", "rules": slices.Sorted(maps.Keys(rules))}),
	})}, nil
}

func compact(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	out, err := json.Marshal(raw)
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// LookAgain applies changed rules to what live wrappers declare. It only adds findings: those of removed rules disappear with the server's
// next report. The caller holds the lock.
func (w *Wrappers) LookAgain() error {
	file := w.settings.Rules()
	if file == nil {
		return nil
	}
	for _, s := range w.ordered() {
		found := false
		for key, d := range s.Declared {
			threats := file.Threats(d.Raw).Findings
			if d.Text != "" {
				threats = append(threats, pin.ThreatsIn(d.Text, file)...)
			}
			if with := d.With(threats); with != d {
				s.Declared[key], found = with, true
			}
		}
		if !found || s.Reported == 0 {
			continue
		}
		notices, err := w.judgeAgain(s)
		if err != nil {
			return err
		}
		w.office.Tell(notices...)
	}
	return nil
}

// Launch takes a wrapper's report about its server's launch, and returns once the consequences are stored.
func (w *Wrappers) Launch(conn control.Wrapper, r control.LaunchReport) (control.State, error) {
	if r.Final && !r.Form.Complete() {
		return control.State{}, office.Answer(control.CodeBadRequest, "a launch that is not whole")
	}
	w.office.Lock()
	defer w.office.Unlock()
	s, err := w.registered(conn, "launch")
	if err != nil {
		return control.State{}, err
	}
	r.Form.Client, r.Form.Values = s.Entry, nil
	if st := w.servers[s.Server]; r.Ended && st != nil && len(st.launch.Allowed) > 0 {
		r.Form = r.Form.Assume(st.launch.Allowed[len(st.launch.Allowed)-1])
		r.Final = r.Form.Complete()
	}
	declared, err := review.DeclarationOf(r.Form)
	if err != nil || len(declared.Raw) > maxLaunch {
		return control.State{}, office.Answer(control.CodeBadRequest, "a launch that cannot be read")
	}
	s.Launched = &review.Launched{Form: r.Form, Final: r.Final}
	if r.Final {
		s.runs = r.Form.Program()
	}
	if err := w.eras.ran(s); err != nil {
		return control.State{}, w.office.Failed(err)
	}
	if st := w.servers[s.Server]; st != nil && (st.launch.Mode == "off" || len(r.Files) == 0 && st.launch.Settled(s.Launched)) {
		return w.push(s), nil // there is nothing to store, so the start doesn't wait for it
	}
	notices, wrote, err := w.approvals.JudgeLaunch(&s.Wrapper, r.Files)
	if err == nil && wrote {
		err = w.Refresh(s.Server)
	}
	if err != nil {
		return control.State{}, w.office.Failed(err)
	}
	if wrote {
		w.PushChanged()
	}
	w.office.Tell(notices...)
	return w.push(s), nil
}

// maxLaunch limits one launch, which is mostly names of variables.
const maxLaunch = 1 << 20

// level is the sandbox that a wrapper reports, "" if it is unknown.
func level(said vocab.Sandbox) vocab.Sandbox {
	switch said {
	case vocab.SandboxOff, vocab.SandboxShield, vocab.SandboxStrict:
		return said
	default:
		return ""
	}
}
