package tray

import (
	"fmt"
	"strings"
	"testing"
)

var two = State{
	Mood:     Attention,
	Waiting:  []Row{{ID: "4F2A", Title: "weather — tool changed"}, {ID: "7CK4", Title: "my_notes — new server"}},
	Coverage: "Guarding 3 of 4 servers",
	Tooltip:  "Sallyport — 2 things waiting",
}

func TestWhateverAStateHoldsTheMenuOnlyOpensAndQuits(t *testing.T) {
	t.Parallel()
	var rows []Row
	for n := range 50 {
		rows = append(rows, Row{ID: fmt.Sprintf("C%03d", n), Title: strings.Repeat("\u202e<b>", n)})
	}
	for _, s := range []State{{}, two, {Waiting: rows, Count: 50, Tooltip: strings.Repeat("x", 1000), Coverage: "\x00"}, {Count: 7}} {
		m := menuOf(s)
		clickable := 0
		for n, e := range m {
			switch {
			case (e.does == separates) != (n == 1 || n == rowQuit-1):
				t.Errorf("row %d is %+v", n, e)
			case e.does == quits && n != rowQuit:
				t.Errorf("row %d quits", n)
			case e.does == opens && e.route != "" && !strings.HasPrefix(e.route, "#/inbox"):
				t.Errorf("row %d opens %q", n, e.route)
			case (e.does == snoozes) != (n >= rowFirstSub && n < rowComfort && !e.hidden):
				t.Errorf("row %d is %+v", n, e)
			case (e.does == holds) != (n == rowSnooze):
				t.Errorf("row %d holds others", n)
			case e.hidden && e.does == opens:
				t.Errorf("row %d is not seen and opens %q", n, e.route)
			case len([]rune(e.title)) > maxLine+len("⚠ ") || strings.ContainsAny(e.title, "\u202e\x00\n"):
				t.Errorf("row %d says %q", n, e.title)
			}
			if e.does == opens {
				clickable++
			}
		}
		if clickable > 2+maxRows {
			t.Errorf("%d rows open something", clickable)
		}
	}
}

func TestTheCountIsWhatWaitsAndNoneWhereNothingDoes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		state      State
		row, click string
	}{
		{State{}, "Open Inbox", ""},
		{State{Waiting: []Row{{ID: "A"}}}, "Open Inbox (1)", "#/inbox"},
		{State{Waiting: []Row{{ID: "A"}}, Count: 12}, "Open Inbox (12)", "#/inbox"},
		{State{Count: 3}, "Open Inbox (3)", "#/inbox"},
	} {
		if got := menuOf(test.state)[rowInbox].title; got != test.row || tapped(test.state) != test.click {
			t.Errorf("%+v has the row %q and opens %q", test.state, got, tapped(test.state))
		}
	}
}

func TestARowCarriesOneLineThatIsSeen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"weather — tool changed", "weather — tool changed"},
		{"a\nb\t c\x1b[31m", "a b c"},
		{"\u202eevil\u2066 \u200b\U000e0041", "evil"},
		{"e\u0301 \ufe0f\xff", "e\u0301"},
		{"👩‍👩‍👧‍👦 — new server", "👩‍👩‍👧‍👦 — new server"},
		{"プロジェクト ·1a2b — new server", "プロジェクト ·1a2b — new server"},
		{"ملفات ·1a2b — new server", "\u2068ملفات ·1a2b\u2069 — new server"},
		{strings.Repeat("👨‍👩‍👧", 32) + " ·1a2b — new server", strings.Repeat("👨‍👩‍👧", 32) + " ·1a2b — new server"},
		{strings.Repeat("m", 100), strings.Repeat("m", maxLine-1) + "…"},
		{"", ""},
	} {
		if got := line(test.text); got != test.want {
			t.Errorf("line(%q) is %q, want %q", test.text, got, test.want)
		}
	}
}
