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
	declared := review.Merge(a.live(l.Server.ID), l.Approves)
	for key, d := range declared {
		if key == review.KeyLaunch || l.Approves(key, d.Digest) {
			continue
		}
		if grown := inspect.Grown(l.Base(key).Raw, d.Raw); len(grown) > 0 {
			with := *d
			with.Findings = review.Together(slices.Clip(d.Findings), grown)
			declared[key] = &with
		}
	}
	return l.See(tx, declared, now)
}

// live is what the live wrappers of a server declare, newest report first.
func (a *Approvals) live(server string) []map[string]*review.Declaration {
	wrappers := slices.DeleteFunc(a.hub.Wrappers(server), func(w *office.Wrapper) bool { return w.Reported == 0 })
	slices.SortFunc(wrappers, func(a, b *office.Wrapper) int { return cmp.Compare(b.Reported, a.Reported) })
	all := make([]map[string]*review.Declaration, len(wrappers))
	for i, w := range wrappers {
		all[i] = w.Declared
	}
	return all
}

// FirstUse are the keys to trust at first use. After a lost store there are none: what looks new may have been rejected before.
func (a *Approvals) FirstUse(l *ledger.Ledger, r review.Standing, facts review.Facts) []string {
	if !policy.ForWrapper(a.hub.Settings(l.Server)).TrustClean || a.office.Stands(office.ProblemStoreLost).Code != "" || a.office.Stands(office.ProblemTampered).Code != "" {
		return nil
	}
	return review.Trustable(r, facts)
}

func (a *Approvals) Trust(tx *store.Tx, l *ledger.Ledger, keys []string, now time.Time) (store.Record, error) {
	for _, key := range keys {
		if err := l.Trust(tx, l.Seen[key], now); err != nil {
			return store.Record{}, err
		}
	}
	l.Server.FirstUse = now
	return a.office.Record(vocab.RecordApproval, vocab.StatusOK, store.Record{
		Server: l.Server.Name, ServerID: l.Server.ID, Mode: "trust-clean",
		Summary: fmt.Sprintf("%s trusted on first use, never read", review.Count(len(keys), "item")),
		Detail:  office.Detail(map[string]any{"check": "first_use", "items": office.CutList(keys)}),
	}), l.PutServer(tx)
}
