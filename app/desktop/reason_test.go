package desktop

import (
	"strings"
	"testing"
)

func TestAReasonStaysWithTheRecordOfTheDecision(t *testing.T) {
	d := newDesk(t)
	d.reports("notes", "read_note=Reads a note.")
	decision := of(d.look())
	decision.Reason = "  rewording only " + strings.Repeat("x", 5000)
	if _, err := d.Allow(decision); err != nil {
		t.Fatal(err)
	}
	found, err := d.Activity(ActivityQuery{Kind: "approval", Limit: 10})
	if err != nil || len(found.Items) != 1 {
		t.Fatalf("activity: %+v, %v", found, err)
	}
	record, err := d.Record(found.Items[0].ID)
	if err != nil || !strings.Contains(record.Detail, `"reason": "rewording only x`) || len(record.Detail) > 2000 {
		t.Errorf("record: %s, %v", record.Detail, err)
	}
}
