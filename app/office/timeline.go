package office

import (
	"encoding/json"
	"fmt"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// NoteDecision records a person's decision.
func (o *Office) NoteDecision(tx *store.Tx, server store.Server, kind vocab.RecordKind, code string, keys []string, words string, more map[string]any) error {
	r := store.Record{Server: server.Name, ServerID: server.ID, Code: code}
	if len(keys) == 1 {
		r.Tool = review.ToolNamed(keys[0])
		r.Summary = review.ItemSaid(keys[0], "was "+words+" by a person")
	} else {
		r.Summary = review.Count(len(keys), "item") + " were " + words + " by a person"
	}
	more["items"] = CutList(keys)
	r.Detail = Detail(more)
	_, err := tx.Append(o.Record(kind, vocab.StatusOK, r))
	return err
}

// Record fills in what every record of the hub has.
func (o *Office) Record(kind vocab.RecordKind, status vocab.Status, r store.Record) store.Record {
	now := o.Now()
	r.ID, r.Time, r.Kind, r.Status = vocab.NewRecordID(now), now.UTC(), kind, status
	return r
}

// Decision is Record for a decision of Sallyport's; nothing else in the hub writes a policy_decision. mode is the value of the setting that
// decided, or vocab.ModeAlways.
func (o *Office) Decision(mode string, status vocab.Status, r store.Record) store.Record {
	r.Mode = mode
	return o.Record(vocab.RecordPolicyDecision, status, r)
}

// Detail encodes the detail of a record or an item.
func Detail(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return raw
}

// MaxListed limits the names in one record.
const MaxListed = 100

// CutList returns the first names of a list, and says how many more there are.
func CutList(keys []string) []string {
	if len(keys) > MaxListed {
		return append(append([]string(nil), keys[:MaxListed]...), fmt.Sprintf("and %d more", len(keys)-MaxListed))
	}
	return keys
}
