package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/display"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

func TestStatusNamesWhatIsGraveFirstAndThenWhatWaitsLongest(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC) }
	items := []control.InboxItem{
		{Code: "R", Severity: vocab.SeverityReview, Created: at(0)},
		{Code: "H2", Severity: vocab.SeverityHigh, Created: at(5)},
		{Code: "H1", Severity: vocab.SeverityHigh, Created: at(30), First: at(1)}, // of many: since the first of them
		{Code: "C", Severity: vocab.SeverityCritical, Created: at(40)},
	}
	review.ByAge(items)
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
	err := p.office.Store.Update(func(tx *store.Tx) error {
		for n := range display.MaxWaitingTold + 5 {
			if err := tx.PutItem(store.Item{Code: fmt.Sprintf("C%03d", n), Kind: vocab.ItemChanged, Severity: vocab.SeverityReview, Created: p.at.now()}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	status, err := p.Status()
	if err != nil || len(status.Waiting) != display.MaxWaitingTold || status.WaitingCount != display.MaxWaitingTold+5 || status.WaitingBy[vocab.SeverityReview] != display.MaxWaitingTold+5 {
		t.Errorf("%d named of %d, %v", len(status.Waiting), status.WaitingCount, err)
	}
}
