package approvals

import (
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Added is what guardrail providers found in a stored definition, which is still declared with this digest.
type Added struct {
	Key      string
	Digest   pin.Digest
	Findings []inspect.Finding
	Verdicts []control.GuardVerdict
}

// Add adds findings to what a server declares, settles its inbox, and records each. A definition that has changed or was allowed
// meanwhile stays as it is. The caller holds the lock.
func (a *Approvals) Add(server string, found []Added) (notices []review.Notice, err error) {
	now := a.office.Now()
	err = a.office.Update(func(tx *store.Tx) (bool, error) {
		l, err := ledger.Read(tx, server)
		if err != nil {
			return false, err
		}
		var records []store.Record
		for _, more := range found {
			forms := l.Same(more.Key, "", more.Digest)
			if len(forms) == 0 || l.Approves(more.Key, more.Digest) {
				continue
			}
			for _, seen := range forms {
				if err := l.Put(tx, more.Key, review.DeclaredIn(seen).With(more.Findings), now); err != nil {
					return false, err
				}
			}
			records = append(records, a.addedRecord(l.Server, more))
		}
		if len(records) == 0 {
			return false, nil
		}
		if notices, err = a.SettleServer(tx, l, now); err != nil {
			return false, err
		}
		_, err = tx.Append(records...)
		return true, err
	})
	return notices, err
}

func (a *Approvals) addedRecord(server store.Server, more Added) store.Record {
	var rules []string
	for _, f := range more.Findings {
		rules = append(rules, f.Rule)
	}
	return a.office.Decision(vocab.ModeAlways, vocab.StatusWarned, store.Record{
		Server: server.Name, ServerID: server.ID, Tool: review.ToolNamed(more.Key), Summary: review.ItemSaid(more.Key, "has a warning of a guardrail provider"),
		Detail: office.Detail(map[string]any{"check": "metadata", "item": more.Key, "rules": rules, "guardrails": control.Votes(more.Verdicts)}),
	})
}
