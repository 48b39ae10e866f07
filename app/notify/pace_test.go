package notify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// A script is what happens, second by second: "0 weather/changed 4F2A" offers, "! " before it makes it Critical, "- 4F2A"
// withdraws, "later 4F2A" puts off, "snooze 1800" snoozes for so many seconds. Its outcome is what is shown, and when.
func TestPace(t *testing.T) {
	t.Parallel()
	storm := func(from, count int) (lines []string) {
		for i := range count {
			lines = append(lines, fmt.Sprintf("%d server%d/changed C%d", from, i, i))
		}
		return lines
	}
	slow := func(from, count, apart int) (lines []string) {
		for i := range count {
			lines = append(lines, fmt.Sprintf("%d s%d/changed C%d", from+i*apart, i, i))
		}
		return lines
	}
	graves := func(from, count int) (lines []string) {
		for i := range count {
			lines = append(lines, fmt.Sprintf("%d ! g%d/changed G%d", from+i, from+i, from+i))
		}
		return lines
	}
	for _, test := range []struct {
		name   string
		script []string
		want   []string
	}{
		{"one event is shown when the burst is over", []string{"0 weather/changed A"}, []string{"12 A"}},
		{"events of one server and kind in a burst are one note, the last", []string{"0 weather/changed A", "3 weather/changed B", "11 weather/changed C"}, []string{"12 C"}},
		{"two kinds of one server are two notes", []string{"0 weather/changed A", "1 weather/launch B"}, []string{"12 A", "13 B"}},
		{"two servers are two notes", []string{"0 weather/changed A", "0 notes/changed B"}, []string{"12 B", "12 A"}},
		{"the second of a server and kind waits five minutes", []string{"0 weather/changed A", "20 weather/changed B", "100 weather/changed C"}, []string{"12 A", "312 C"}},
		{"after five minutes a burst is a burst again", []string{"0 weather/changed A", "400 weather/changed B"}, []string{"12 A", "412 B"}},
		{"a graver one does not wait five minutes", []string{"0 weather/changed A", "20 ! weather/changed B"}, []string{"12 A", "20 B!"}},
		{"a milder one after a grave one waits", []string{"0 ! weather/changed A", "20 weather/changed B"}, []string{"0 A!", "300 B"}},
		{"what is decided in the burst is not shown", []string{"0 weather/changed A", "5 - A"}, nil},
		{"what is decided before its five minutes is not shown", []string{"0 weather/changed A", "20 weather/changed B", "30 - B"}, []string{"12 A"}},
		{"what is put off stays quiet for four hours", []string{"0 weather/changed A", "20 later A", "600 weather/changed A", "14400 weather/changed A", "14421 weather/changed A"}, []string{"12 A", "14433 A"}},
		{"putting one off does not quieten the next", []string{"0 weather/changed A", "20 later A", "600 weather/changed B"}, []string{"12 A", "612 B"}},
		{"what is snoozed is shown at the end", []string{"0 snooze 1800", "5 weather/changed A", "700 notes/changed B"}, []string{"1800 A", "1800 B"}},
		{"what is decided while it is snoozed is not shown", []string{"0 snooze 1800", "5 weather/changed A", "900 - A"}, nil},
		{"much that is snoozed is one summary at the end", append(storm(5, 12), "0 snooze 1800"), []string{"1800 summary(12)"}},
		{"a critical one is shown through a snooze", []string{"0 snooze 1800", "5 ! weather/changed A", "5 notes/changed B"}, []string{"5 A!", "1800 B"}},
		{"what waits is shown when a snooze is ended", []string{"0 snooze 7200", "5 weather/changed A", "60 snooze 0"}, []string{"60 A"}},
		{"what is put off and becomes critical is shown", []string{"0 weather/changed A", "20 later A", "600 ! weather/changed A"}, []string{"12 A", "600 A!"}},
		{"what becomes critical as it is put off is shown", []string{"0 weather/changed A", "20 ! weather/changed A", "25 later A"}, []string{"12 A", "20 A!"}},
		{"a critical one is put off, too", []string{"0 ! weather/changed A", "20 later !A", "600 ! weather/changed A"}, []string{"0 A!"}},
		{"a critical one is shown at once", []string{"7 ! weather/changed A"}, []string{"7 A!"}},
		{"further critical ones of a burst take its place", []string{"0 ! a/changed A", "4 ! b/changed B", "11 ! c/changed C"}, []string{"0 A!", "4 B! for A", "11 C! for B"}},
		{"after the burst one is a note of its own", []string{"0 ! a/changed A", "11 ! b/changed B", "12 ! c/changed C"}, []string{"0 A!", "11 B! for A", "12 C!"}},
		{"one of the same server and kind too, within the burst", []string{"0 ! a/changed A", "5 ! a/changed B", "13 ! a/changed C"}, []string{"0 A!", "5 B! for A", "305 C!"}},
		{"critical ones of one moment are one note", []string{"3 ! a/changed A", "3 ! b/changed B"}, []string{"3 A!", "3 B! for A"}},
		{"what takes a place counts once", slices.Concat(graves(0, 5), graves(100, 5), graves(200, 5), graves(300, 5), graves(400, 5), graves(500, 5)),
			[]string{"0 G0!", "1 G1! for G0", "2 G2! for G1", "3 G3! for G2", "4 G4! for G3",
				"100 G100!", "101 G101! for G100", "102 G102! for G101", "103 G103! for G102", "104 G104! for G103",
				"200 G200!", "201 G201! for G200", "202 G202! for G201", "203 G203! for G202", "204 G204! for G203",
				"300 G300!", "301 G301! for G300", "302 G302! for G301", "303 G303! for G302", "304 G304! for G303",
				"400 G400!", "401 G401! for G400", "402 G402! for G401", "403 G403! for G402", "404 G404! for G403",
				"500 G500!", "501 G501! for G500", "502 G502! for G501", "503 G503! for G502", "504 G504! for G503"}},
		{"what is on the screen when it is due is not shown, and counts for nothing", append(slow(0, 5, 60), "400 weather/changed SEEN", "500 a/a A", "600 b/b B"), []string{"12 C0", "72 C1", "132 C2", "192 C3", "252 C4", "512 summary(1)"}},
		{"three at once are three notes", storm(0, 3), []string{"12 C0", "12 C1", "12 C2"}},
		{"more than three at once are one summary", storm(0, 12), []string{"12 summary(12)"}},
		{"critical ones are shown beside a summary, and first", append(storm(0, 5), "1 ! notes/changed A", "0 ! weather/changed B"), []string{"0 B!", "1 A! for B", "12 summary(5)"}},
		{"the sixth of an hour is a summary, and the rest of the hour is quiet", slow(0, 9, 60), []string{"12 C0", "72 C1", "132 C2", "192 C3", "252 C4", "312 summary(1)"}},
		{"notes come again when the hour is over", append(slow(0, 9, 60), "3700 late/changed L"), []string{"12 C0", "72 C1", "132 C2", "192 C3", "252 C4", "312 summary(1)", "3712 L"}},
		{"a summary that fills the hour ends it", append(slow(0, 4, 60), "300 x/a X", "300 y/a Y", "300 z/a Z", "900 q/a Q"), []string{"12 C0", "72 C1", "132 C2", "192 C3", "312 summary(3)"}},
		{"a flood of harmless changes silences no critical one", append(slow(0, 9, 60), "1000 ! notes/changed A"), []string{"12 C0", "72 C1", "132 C2", "192 C3", "252 C4", "312 summary(1)", "1000 A!"}},
		{"three servers that change five times in a minute are three notes, and one when five minutes are over", slices.Concat(storm(0, 3), storm(12, 3), storm(24, 3), storm(36, 3), storm(59, 3)),
			[]string{"12 C0", "12 C1", "12 C2", "312 summary(3)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := play(t, test.script); !slices.Equal(got, test.want) {
				t.Errorf("shown\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(test.want, "\n  "))
			}
		})
	}
}

// play runs a script against a Pace, asking it exactly when it said it wants to be asked.
func play(t *testing.T, script []string) (shown []string) {
	t.Helper()
	start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	p := NewPace(Rules{})
	due := func(until time.Time) {
		for {
			at, ok := p.Next()
			if !ok || at.After(until) {
				return
			}
			p.Drop(func(e Event) bool { return e.Note.Key == "SEEN" })
			for _, n := range p.Due(at, 0) {
				what := n.Key
				if n.Key == Summary {
					var count int
					if _, err := fmt.Sscanf(n.Title, "%d item", &count); err != nil {
						t.Fatalf("summary %q", n.Title)
					}
					what = fmt.Sprintf("summary(%d)", count)
				}
				if n.Urgency == Critical {
					what += "!"
				}
				if n.Replaces != "" {
					what += " for " + n.Replaces
				}
				shown = append(shown, fmt.Sprintf("%d %s", int(at.Sub(start).Seconds()), what))
			}
		}
	}
	type step struct {
		at    int
		words []string
	}
	var steps []step
	for _, line := range script {
		words := strings.Fields(line)
		var at int
		if _, err := fmt.Sscan(words[0], &at); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step{at, words[1:]})
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.at - b.at })
	for _, s := range steps {
		now := start.Add(time.Duration(s.at) * time.Second)
		due(now)
		switch {
		case s.words[0] == "-":
			p.Withdraw(s.words[1])
		case s.words[0] == "snooze":
			var seconds int
			if _, err := fmt.Sscan(s.words[1], &seconds); err != nil {
				t.Fatal(err)
			}
			p.Snooze(now.Add(time.Duration(seconds) * time.Second))
		case s.words[0] == "later":
			put := Note{Key: strings.TrimPrefix(s.words[1], "!")}
			if put.Key != s.words[1] {
				put.Urgency = Critical
			}
			p.Later(now, put)
		default:
			var urgency Urgency
			if s.words[0] == "!" {
				urgency, s.words = Critical, s.words[1:]
			}
			server, kind, _ := strings.Cut(s.words[0], "/")
			p.Offer(now, Event{Server: server, Kind: vocab.ItemKind(kind), Note: Note{Key: s.words[1], Urgency: urgency}})
		}
	}
	due(start.Add(24 * time.Hour))
	return shown
}

func TestASummarySaysHowManyWait(t *testing.T) {
	t.Parallel()
	now := time.Now()
	p := NewPace(Rules{Many: 1})
	p.Offer(now, Event{Server: "a", Note: Note{Key: "A"}})
	p.Offer(now, Event{Server: "b", Note: Note{Key: "B"}})
	notes := p.Due(now.Add(time.Minute), 12)
	if len(notes) != 1 || notes[0].Title != "12 items need your review" || notes[0].Route != "#/inbox" || notes[0].Action != "Open Inbox" {
		t.Errorf("summary %+v", notes)
	}
}

func TestWhatIsKeptOfServersIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	p := NewPace(Rules{})
	for i := range maxSlots + 10 {
		p.Offer(now, Event{Server: fmt.Sprint(i), Note: Note{Key: fmt.Sprint(i)}})
		p.Later(now, Note{Key: fmt.Sprint(-i)})
	}
	p.Due(now.Add(time.Minute), 0)
	for i := range maxSlots + 10 {
		p.Offer(now.Add(time.Minute), Event{Server: fmt.Sprint(-i), Note: Note{Key: "x" + fmt.Sprint(i)}})
	}
	if len(p.pending) > maxSlots || len(p.quiet) > maxSlots || len(p.shown) > maxSlots {
		t.Errorf("%d pending, %d quiet, %d shown", len(p.pending), len(p.quiet), len(p.shown))
	}
}

func TestOfCriticalNotesThatAreDueTogetherOnlyTheLastIsShown(t *testing.T) {
	t.Parallel()
	now := time.Now()
	p := NewPace(Rules{})
	offer := func(key string, at time.Time) {
		p.Offer(at, Event{Server: key, Note: Note{Key: key, Urgency: Critical}})
	}
	offer("A", now)
	p.Due(now, 0)
	offer("B", now.Add(time.Second))
	offer("C", now.Add(2*time.Second))
	if notes := p.Due(now.Add(2*time.Second), 0); len(notes) != 1 || notes[0].Key != "C" || notes[0].Replaces != "A" {
		t.Errorf("shown %+v", notes)
	}
}
