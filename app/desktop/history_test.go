package desktop

import (
	"testing"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestAServersHistorySaysWhatWasDecidedAndByWhomNewestFirst(t *testing.T) {
	d := newDesk(t)
	w := d.reports("notes", "read_note=Reads a note.")
	first := d.look()
	if _, err := d.Allow(of(first)); err != nil {
		t.Fatal(err)
	}
	d.declares(w, "read_note=Reads a note, and more.")
	second := d.look()
	if _, err := d.Allow(of(second)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Block(first.Identity, []string{"tool:read_note"}); err != nil {
		t.Fatal(err)
	}
	events, err := d.History(first.Identity)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		action vocab.Action
		code   string
	}{{"block", ""}, {"replace", second.Code}, {"approve", first.Code}}
	var got []Event
	for _, e := range events {
		if e.Item == "tool:read_note" {
			got = append(got, e)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("history: %+v", events)
	}
	for i, e := range got {
		if e.Action != want[i].action || e.Code != want[i].code || e.By != "person" || e.Kind != "tool" || e.Name != "read_note" || e.At == "" || e.Digest == "" {
			t.Errorf("event %d: %+v", i, e)
		}
	}
	if got[1].Before != got[2].Digest || got[0].Digest != got[1].Digest {
		t.Errorf("the versions do not follow on each other: %+v", got)
	}
	if _, err := d.History("stdio:nobody"); err == nil {
		t.Error("a server that nobody knows has a history")
	}
}
