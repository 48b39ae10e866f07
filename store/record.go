package store

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Record is one line of the activity timeline, as the socket carries it too.
type Record = vocab.Record

// lasting reports which kinds retention removes last.
func lasting(kind vocab.RecordKind) bool {
	switch kind {
	case vocab.RecordApproval, vocab.RecordRejection, vocab.RecordRelease, vocab.RecordDrift, vocab.RecordConfigChange:
		return true
	default:
		return false
	}
}

// maxDetail limits the detail of one record: a timeline is no place for payloads.
const maxDetail = 1 << 20

// settle makes any record storable: a time that JSON can express, a detail that is JSON.
func settle(r *Record, now time.Time) {
	if y := r.Time.UTC().Year(); r.Time.IsZero() || y < 1 || y > 9999 {
		r.Time = now
	}
	r.Time = r.Time.UTC().Round(0)
	if r.ID == "" || len(r.ID) > 256 {
		r.ID = vocab.NewRecordID(r.Time)
	}
	// encoding/json writes an invalid byte as an escape, but the character which that decodes to as itself: without this, reading and
	// writing a record would change its hash.
	for _, text := range []*string{&r.ID, (*string)(&r.Kind), (*string)(&r.Status), &r.Server, &r.Tool, &r.Code, &r.Mode, &r.Summary, &r.Client, &r.Session, &r.Request, &r.ServerID} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
	r.Detail = bytes.ToValidUTF8(r.Detail, []byte("\uFFFD"))
	switch {
	case len(r.Detail) > maxDetail:
		r.Detail, _ = json.Marshal(map[string]int{"cut": len(r.Detail)})
	case len(r.Detail) > 0 && !json.Valid(r.Detail):
		r.Detail, _ = json.Marshal(string(r.Detail))
	}
	r.Prev, r.Hash = "", ""
}
