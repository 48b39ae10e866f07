package desktop

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

func TestAReasonStaysWithTheRecordOfTheDecision(t *testing.T) {
	d := newDesk(t)
	d.reports("notes", "read_note=Reads a note.")
	decision := of(d.look())
	decision.Reason = "  rewording only " + strings.Repeat("x", 5000)
	if _, err := d.Allow(decision); err != nil {
		t.Fatal(err)
	}
	found, err := d.Activity(control.ActivityQuery{Kind: "approval", Limit: 10})
	if err != nil || len(found.Items) != 1 {
		t.Fatalf("activity: %+v, %v", found, err)
	}
	record, err := d.Record(found.Items[0].ID)
	var detail string // the page gets a text
	err = errors.Join(err, json.Unmarshal(record.Detail, &detail))
	if err != nil || !strings.Contains(detail, `"reason": "rewording only x`) || len(detail) > 2000 {
		t.Errorf("record: %s, %v", record.Detail, err)
	}
}

// The page words a row by its kind and its check, never by a summary.
func TestARowNamesItsCheck(t *testing.T) {
	for detail, want := range map[string]string{`{"check":"output_schema","violation":{}}`: "output_schema", `{"item":"tool:sum"}`: "", `{"check":1}`: "", `[]`: "", "": ""} {
		if row := record(control.Record{Detail: json.RawMessage(detail)}, "weather"); row.Check != want {
			t.Errorf("%s: %q", detail, row.Check)
		}
	}
}
