package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
)

func TestStatusNamesWhatIsGraveFirstAndThenWhatWaitsLongest(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC) }
	items := []control.InboxItem{
		{Code: "R", Severity: severityReview, Created: at(0)},
		{Code: "H2", Severity: severityHigh, Created: at(5)},
		{Code: "H1", Severity: severityHigh, Created: at(30), First: at(1)}, // of many: since the first of them
		{Code: "C", Severity: severityCritical, Created: at(40)},
	}
	byAge(items)
	var codes []string
	for _, it := range items {
		codes = append(codes, it.Code)
	}
	if got := strings.Join(codes, " "); got != "C H1 H2 R" {
		t.Errorf("in the order %s", got)
	}
}

func TestStatusNamesAHundredItemsAndCountsAll(t *testing.T) {
	p := newPlace(t)
	for n := range maxWaitingTold + 5 {
		p.wrap(fmt.Sprint("server ", n), "npx", fmt.Sprint(n)).report(tool("read", "Reads."))
	}
	status, err := p.Status()
	if err != nil || len(status.Waiting) != maxWaitingTold || status.WaitingCount != maxWaitingTold+5 || status.WaitingBy[severityReview] != maxWaitingTold+5 {
		t.Errorf("%d named of %d, %v", len(status.Waiting), status.WaitingCount, err)
	}
}

func TestAReadKeepsWhatItNamesWithoutItsSecret(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	said := `{"uri":"postgres://ada:hunter2hunter2@db/notes?a=1&b=2","action":"","took":3}`
	_, err := p.Records(w, control.Records{Records: []control.Record{{ID: "r1", Time: p.at.now(), Kind: control.KindRead, Status: "ok", Detail: json.RawMessage(said)}}})
	if err != nil {
		t.Fatal(err)
	}
	reads := p.records(control.KindRead)
	if len(reads) != 1 || strings.Contains(string(reads[0].Detail), "hunter2") {
		t.Fatalf("%+v", reads)
	}
	var kept map[string]any
	if err := json.Unmarshal(reads[0].Detail, &kept); err != nil || !strings.HasSuffix(fmt.Sprint(kept["uri"]), "b=2") || fmt.Sprint(kept["took"]) != "3" {
		t.Errorf("%s, %v", reads[0].Detail, err)
	}
}
