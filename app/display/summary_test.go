package display

import (
	"reflect"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

func TestASummaryCountsEachServerOnceWhateverItsRecordsCallIt(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	call := func(id, name, tool string, status vocab.Status, us int64, after time.Duration) store.Measured {
		return store.Measured{Time: at.Add(after), Kind: vocab.RecordCall, Status: status, Server: name, ServerID: id, Tool: tool, DurationUS: us, Bytes: 10}
	}
	records := []store.Measured{
		call("1", "weather", "forecast", vocab.StatusOK, 300, 3*time.Second),
		call("1", "weather", "forecast", vocab.StatusOK, 100, time.Second),
		call("1", "weather before", "forecast", vocab.StatusBlocked, 200, 2*time.Second),
		call("2", "weather", "forecast", vocab.StatusOK, 0, 0), // another server of that name
		{Time: at.Add(time.Minute), Kind: vocab.RecordApproval, Status: vocab.StatusOK, Server: "weather", ServerID: "2"},
		{Time: at.Add(-time.Minute), Kind: vocab.RecordConfigChange, Status: vocab.StatusOK},
	}
	first := control.SummaryRow{
		Server: "weather", Records: 3, Status: map[string]int{"ok": 2, "blocked": 1}, MedianUS: 200, P95US: 300, Bytes: 30, Last: at.Add(3 * time.Second),
	}
	tool := first
	tool.Tool = "forecast"
	for by, want := range map[string][]control.SummaryRow{
		control.ByServer: {
			first,
			{Server: "weather", Records: 2, Status: map[string]int{"ok": 2}, Bytes: 10, Last: at.Add(time.Minute)},
			{Records: 1, Status: map[string]int{"ok": 1}, Last: at.Add(-time.Minute)},
		},
		control.ByTool: {tool, {Server: "weather", Tool: "forecast", Records: 1, Status: map[string]int{"ok": 1}, Bytes: 10, Last: at}},
		control.ByKind: {
			{Kind: "tool_call", Records: 4, Status: map[string]int{"ok": 3, "blocked": 1}, MedianUS: 200, P95US: 300, Bytes: 40, Last: at.Add(3 * time.Second)},
			{Kind: "approval", Records: 1, Status: map[string]int{"ok": 1}, Last: at.Add(time.Minute)},
			{Kind: "config_change", Records: 1, Status: map[string]int{"ok": 1}, Last: at.Add(-time.Minute)},
		},
	} {
		c := counting{by: by, servers: recordServers{{ID: "1", Name: "weather"}, {ID: "2", Name: "weather"}}, rows: map[summaryKey]*summaryRow{}}
		for _, m := range records {
			c.add(m)
		}
		got := c.summary()
		for i := range got.Items { // two of one name are shown apart, which is tested where names are
			if i < len(want) && want[i].Server != "" {
				got.Items[i].Server = want[i].Server
			}
		}
		if !reflect.DeepEqual(got.Items, want) {
			t.Errorf("by %s:\n%+v\nwant\n%+v", by, got.Items, want)
		}
	}
}

func TestAShareIsTheValueThatMostDoNotExceed(t *testing.T) {
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(i + 1)
	}
	for _, c := range []struct {
		of             []int64
		median, ninety int64
	}{{nil, 0, 0}, {[]int64{7}, 7, 7}, {[]int64{1, 2}, 1, 2}, {[]int64{1, 2, 3}, 2, 3}, {hundred, 50, 95}} {
		if got := share(c.of, 50); got != c.median {
			t.Errorf("half of %d values: %d, not %d", len(c.of), got, c.median)
		}
		if got := share(c.of, 95); got != c.ninety {
			t.Errorf("95 %% of %d values: %d, not %d", len(c.of), got, c.ninety)
		}
	}
}
