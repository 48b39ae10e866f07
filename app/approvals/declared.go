package approvals

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// SeeDeclared stores what the live wrappers of a server declare now.
func (a *Approvals) SeeDeclared(tx *store.Tx, l *ledger.Ledger, now time.Time) error {
	for era, live := range a.live(l.Server.ID) {
		declared := review.Merge(live, l.Approves)
		for key, d := range declared {
			if key == review.KeyLaunch || l.Approves(key, d.Digest) {
				continue
			}
			declared[key] = d.With(inspect.Grown(l.Base(key, era).Raw, d.Raw))
		}
		if err := l.See(tx, era, declared, now); err != nil {
			return err
		}
	}
	return nil
}

// live is what the live wrappers of a server declare, by era, newest report first. What an era without a wrapper declared stays as it is.
func (a *Approvals) live(server string) map[string][]map[string]*review.Declaration {
	wrappers := slices.DeleteFunc(a.hub.Wrappers(server), func(w *office.Wrapper) bool { return w.Reported == 0 })
	slices.SortFunc(wrappers, func(a, b *office.Wrapper) int { return cmp.Compare(b.Reported, a.Reported) })
	all := map[string][]map[string]*review.Declaration{}
	for _, w := range wrappers {
		all[w.Era] = append(all[w.Era], w.Declared)
	}
	return all
}

// Trust allows what is clean at first use, with trust-clean, and returns the record of it. After a lost store it allows nothing: what looks
// new may have been rejected before.
func (a *Approvals) Trust(tx *store.Tx, l *ledger.Ledger, now time.Time) ([]store.Record, error) {
	if !policy.ForWrapper(a.hub.Settings(l.Server)).TrustClean || a.office.Stands(office.ProblemStoreLost).Code != "" || a.office.Stands(office.ProblemTampered).Code != "" {
		return nil, nil
	}
	facts := l.Facts()
	var keys []string
	for _, j := range review.Trustable(review.Of(facts), facts) {
		keys = review.WithKind(keys, j.Key)
		for _, seen := range l.Same(j.Key, j.Era, j.Declared) {
			if err := l.Trust(tx, seen, now); err != nil {
				return nil, err
			}
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	l.Server.FirstUse = now
	return []store.Record{a.office.Record(vocab.RecordApproval, vocab.StatusOK, store.Record{
		Server: l.Server.Name, ServerID: l.Server.ID, Mode: "trust-clean",
		Summary: fmt.Sprintf("%s trusted on first use, never read", review.Count(len(keys), "item")),
		Detail:  office.Detail(map[string]any{"check": "first_use", "items": office.CutList(keys)}),
	})}, l.PutServer(tx)
}

// Judge stores the consequences of a wrapper's report in one transaction: see writes the report into the ledger, then the inbox is settled and
// every change is recorded, followed by the records of see.
func (a *Approvals) Judge(s *office.Wrapper, see func(tx *store.Tx, l *ledger.Ledger, now time.Time) (more []store.Record, wrote bool, err error)) (notices []review.Notice, wrote bool, err error) {
	now := a.office.Now()
	err = a.office.Update(func(tx *store.Tx) (bool, error) {
		l, err := ledger.Read(tx, s.Server)
		if err != nil {
			return false, err
		}
		before := review.Of(l.Facts())
		more, some, err := see(tx, l, now)
		if err != nil {
			return false, err
		}
		if notices, err = a.SettleServer(tx, l, now); err != nil {
			return false, err
		}
		unvalidated, err := a.unvalidated(tx, l)
		if err != nil {
			return false, err
		}
		records := slices.Concat(a.drift(l, before, review.Of(l.Facts()), s, ledger.WaitingCodes(tx, s.Server)), more, unvalidated)
		if len(records) > 0 {
			_, err = tx.Append(records...)
		}
		wrote = l.Wrote || some || len(records) > 0
		return wrote, err
	})
	return notices, wrote, err
}

// drift records every item whose state or definition changed with a report.
func (a *Approvals) drift(l *ledger.Ledger, before, after review.Standing, s *office.Wrapper, codes map[vocab.ItemKind]string) []store.Record {
	was := map[string][]review.Judged{}
	for _, j := range before.Items {
		was[j.Key] = append(was[j.Key], j)
	}
	var records []store.Record
	fresh, left := 0, 0
	for _, j := range after.Items {
		old, ok := formBefore(was[j.Key], j)
		if ok && old.State == j.State && old.Declared == j.Declared {
			continue
		}
		if j.Key == review.KeyLaunch && !j.Known {
			continue // part of the first review
		}
		if j.Kind == vocab.ItemNewServer && (j.State == vocab.PartNew || !ok) {
			fresh++
			continue
		}
		status, words := vocab.StatusBlocked, ""
		switch {
		case j.State == vocab.PartApproved && !old.Known:
			continue // trusted on first use: it has its own record
		case j.State == vocab.PartApproved && old.State == vocab.PartApproved:
			continue // another allowed form, which another client runs
		case j.State == vocab.PartApproved && old.State == vocab.PartRemoved:
			status, words = vocab.StatusOK, review.ItemSaid(j.Key, "is back, as you allowed it")
		case j.State == vocab.PartApproved:
			status, words = vocab.StatusOK, review.ItemSaid(j.Key, "changed back to what you allowed")
		case j.State == vocab.PartRemoved:
			status, words = vocab.StatusWarned, review.ItemSaid(j.Key, "is no longer offered")
		case j.State == vocab.PartNew:
			words = review.ItemSaid(j.Key, "is new and not allowed yet")
		case j.State == vocab.PartRejected:
			words = review.ItemSaid(j.Key, "is what you blocked before")
		default:
			words = review.ItemSaid(j.Key, "changed since you allowed it")
		}
		if j.Key == review.KeyLaunch && j.State == vocab.PartChanged && a.RunsOn(l) {
			status = vocab.StatusWarned
		}
		if len(records) == office.MaxListed {
			left++
			continue
		}
		record := store.Record{
			Server: l.Server.Name, ServerID: l.Server.ID, Tool: review.ToolNamed(j.Key), Summary: words, Client: s.Client, Session: s.Session,
			Detail: office.Detail(map[string]any{"check": "pins", "item": j.Key, "state": j.State, "digest": j.Declared, "before": old.Declared}),
		}
		if j.Waits {
			record.Code = codes[j.Kind]
		}
		records = append(records, a.office.Record(vocab.RecordDrift, status, record))
	}
	if left > 0 {
		records = append(records, a.office.Record(vocab.RecordDrift, vocab.StatusBlocked, store.Record{
			Server: l.Server.Name, ServerID: l.Server.ID, Session: s.Session, Summary: fmt.Sprintf("%s more changed at the same time", review.Count(left, "item")),
			Detail: office.Detail(map[string]any{"check": "pins", "count": left}),
		}))
	}
	if fresh > 0 {
		records = append(records, a.office.Decision(policy.Values(a.hub.Settings(l.Server)).Value("pins.first_use"), vocab.StatusBlocked, store.Record{
			Server: l.Server.Name, ServerID: l.Server.ID, Code: codes[vocab.ItemNewServer], Client: s.Client, Session: s.Session,
			Summary: "a new server: " + review.Count(fresh, "item") + " to review",
			Detail:  office.Detail(map[string]any{"check": "first_use", "count": fresh}),
		}))
	}
	return records
}

// formBefore is what was declared before in place of a form: the same definition, else that of the same era. Eras can come to differ, or agree.
func formBefore(was []review.Judged, now review.Judged) (old review.Judged, ok bool) {
	for _, takes := range []func(review.Judged) bool{
		func(j review.Judged) bool { return j.Declared == now.Declared },
		func(j review.Judged) bool { return j.Era == now.Era },
		func(j review.Judged) bool { return j.Era == "" || now.Era == "" },
	} {
		if i := slices.IndexFunc(was, takes); i >= 0 {
			return was[i], true
		}
	}
	return review.Judged{}, false
}
