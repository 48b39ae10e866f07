package approvals

import (
	"maps"
	"slices"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// unvalidated are the records about allowed tools whose responses can't be validated, one for each tool and schema. Such a tool works: a
// schema that says nothing is no reason to block what a person allowed.
func (a *Approvals) unvalidated(tx *store.Tx, l *ledger.Ledger) ([]store.Record, error) {
	found, err := l.Unvalidated(tx)
	var records []store.Record
	for _, key := range slices.Sorted(maps.Keys(found)) {
		records = append(records, a.office.Record(vocab.RecordProblem, vocab.StatusWarned, store.Record{
			Server: l.Server.Name, ServerID: l.Server.ID, Tool: review.ToolNamed(key), Summary: "its responses aren't checked, because its output schema doesn't compile",
			Detail: office.Detail(map[string]any{"check": inspect.OutputSchema, "item": key, "error": found[key].Title}),
		}))
	}
	return records, err
}

func (a *Approvals) noteUnvalidated(tx *store.Tx, l *ledger.Ledger) error {
	records, err := a.unvalidated(tx, l)
	if err != nil || len(records) == 0 {
		return err
	}
	_, err = tx.Append(records...)
	return err
}
