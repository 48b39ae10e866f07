package approvals

import (
	"fmt"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// SettleDrift updates the inbox after a report, and records what changed.
func (a *Approvals) SettleDrift(tx *store.Tx, l *ledger.Ledger, before review.Standing, s *office.Wrapper, now time.Time) ([]review.Notice, error) {
	after := review.Of(l.Facts())
	notices, err := a.SettleServer(tx, l, before, after, now)
	if err != nil {
		return nil, err
	}
	if records := a.Drift(l, before, after, s, ledger.WaitingCodes(tx, s.Server)); len(records) > 0 {
		l.Wrote = true
		if _, err := tx.Append(records...); err != nil {
			return nil, err
		}
	}
	return notices, nil
}

// Drift records every item whose state or definition changed with a report.
func (a *Approvals) Drift(l *ledger.Ledger, before, after review.Standing, s *office.Wrapper, codes map[vocab.ItemKind]string) []store.Record {
	was := map[string]review.Judged{}
	for _, j := range before.Items {
		was[j.Key] = j
	}
	var records []store.Record
	fresh, left := 0, 0
	for _, j := range after.Items {
		old, ok := was[j.Key]
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
			Server: l.Server.Name, ServerID: l.Server.ID, Tool: review.ToolOf(j.Key), Summary: words, Client: s.Client, Session: s.Session,
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
		records = append(records, a.office.Record(vocab.RecordPolicyDecision, vocab.StatusBlocked, store.Record{
			Server: l.Server.Name, ServerID: l.Server.ID, Code: codes[vocab.ItemNewServer], Client: s.Client, Session: s.Session,
			Summary: "a new server: " + review.Count(fresh, "item") + " to review",
			Detail:  office.Detail(map[string]any{"check": "first_use", "count": fresh}),
		}))
	}
	return records
}
