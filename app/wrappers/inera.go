package wrappers

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// hears writes into a server's record what it said of itself as a whole, and reports whether any of that is new. The other era's words stay:
// otherwise clients of both would make it change with every start.
func hears(l *ledger.Ledger, s *liveWrapper, r control.Report, whole []inspect.Finding) (changed bool) {
	before := l.Server
	if before.InEra == nil && before.Era != "" { // written before there were two
		only := store.InEra{Protocol: before.Protocol, ServerInfo: before.ServerInfo, Findings: before.Findings}
		if before.Program != nil {
			only.Program = before.Program.Fingerprint
		}
		before.InEra = map[string]store.InEra{before.Era: only}
	}
	had, heard := before.InEra[r.Era]
	now := store.InEra{Protocol: cut.Bytes(r.Protocol, office.MaxName), ServerInfo: had.ServerInfo, Findings: review.WriteFindings(whole), Program: cmp.Or(s.runs, had.Program)}
	if len(r.ServerInfo) > 0 && len(r.ServerInfo) <= 1<<20 && json.Valid(r.ServerInfo) {
		now.ServerInfo = r.ServerInfo
	}
	l.Server.InEra = maps.Clone(before.InEra)
	if l.Server.InEra == nil {
		l.Server.InEra = map[string]store.InEra{}
	}
	l.Server.InEra[r.Era] = now
	l.Server.Findings = findingsOf(l.Server)
	if heard && had.Protocol == now.Protocol && compact(had.ServerInfo) == compact(now.ServerInfo) && compact(had.Findings) == compact(now.Findings) {
		return had.Program != now.Program
	}
	l.Server.Era, l.Server.Protocol, l.Server.ServerInfo = r.Era, now.Protocol, now.ServerInfo
	return true
}

// findingsOf are the findings about a server as a whole, of both eras.
func findingsOf(server store.Server) json.RawMessage {
	eras := slices.Sorted(maps.Keys(server.InEra))
	if len(eras) == 1 {
		return server.InEra[eras[0]].Findings
	}
	var all []inspect.Finding
	for _, era := range eras {
		all = review.Together(all, review.ReadFindings(server.InEra[era].Findings))
	}
	return review.WriteFindings(all)
}

// retire takes back what a server declared in the other era, unless a wrapper still speaks it there: another program declared it, or the server
// speaks that era no longer. Otherwise what nobody will ever declare again would wait for a decision.
func (e *eras) retire(tx *store.Tx, l *ledger.Ledger, s *liveWrapper, now time.Time) error {
	for _, era := range slices.Sorted(maps.Keys(l.Server.InEra)) {
		in := l.Server.InEra[era]
		if era == s.Era {
			if s.runs == "" || in.Program == s.runs {
				continue
			}
			in.Program = s.runs
			l.Server.InEra = maps.Clone(l.Server.InEra)
			l.Server.InEra[era] = in
		} else {
			speaks := func(other *office.Wrapper) bool { return other.Server == s.Server && other.Era == era }
			if !s.outlived(era, in) || e.wrappers.AnyWrapper(speaks) {
				continue
			}
			if err := l.See(tx, era, nil, now); err != nil {
				return err
			}
			l.Server.InEra = maps.Clone(l.Server.InEra)
			delete(l.Server.InEra, era)
			l.Server.Findings = findingsOf(l.Server)
		}
		if err := l.PutServer(tx); err != nil {
			return err
		}
	}
	return nil
}

// outlived reports whether what was declared in an era is of another program than the wrapper's, or of an era that its server does not speak.
func (s *liveWrapper) outlived(era string, in store.InEra) bool {
	said := s.eras.Legacy
	if era == vocab.EraModern {
		said = s.eras.Modern
	}
	return s.runs != "" && in.Program != "" && in.Program != s.runs || said != nil && len(said) == 0
}

// anew reports whether a wrapper's server turned out to run another program after it was reported.
func (e *eras) anew(s *liveWrapper) bool {
	st := e.wrappers.servers[s.Server]
	return st != nil && s.Reported > 0 && s.runs != "" && st.inEra[s.Era].Program != s.runs
}

// ran keeps what follows from knowing which program a wrapper's server runs.
func (e *eras) ran(s *liveWrapper) error {
	if _, err := e.keep(s); err != nil || !e.anew(s) {
		return err
	}
	notices, err := e.wrappers.judgeAgain(s)
	e.wrappers.office.Tell(notices...)
	return err
}
