//go:build linux

package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func spoolFiles(t testing.TB, h Home) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.Spool, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func splitZero(raw []byte) []string { return strings.Split(string(raw), "\x00") }

func sessionOf(pid int) (int, error) { return unix.Getsid(pid) }

func contains(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// orphaned is all that ReadSpool delivers.
func orphaned(t *testing.T, h Home) []Record {
	t.Helper()
	var records []Record
	if err := ReadSpool(h.Spool, nil, func(_ Register, r []Record) error { records = append(records, r...); return nil }); err != nil {
		t.Fatal(err)
	}
	return records
}

func TestAFullSpoolLetsTheOldestCallsGoAndSaysHowMany(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	const bound = 256 << 10
	s, err := openSpool(h.Spool, testRegister("one"), nil, bound)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	calls := 0
	for i := range 8000 {
		r := Record{ID: fmt.Sprintf("id-%06d", i), Kind: "tool_call", Summary: "a call"}
		switch {
		case i%500 == 0:
			r.Kind, kept[r.ID] = "drift", true
		case i%500 == 1:
			r.Kind, kept[r.ID] = "quarantine", true
		case i%500 == 2:
			r.Kind, kept[r.ID] = "policy_decision", true // there are calls that can go before it
		default:
			calls++
		}
		if err := s.append([]Record{r}); err != nil {
			t.Fatal(err)
		}
		if s.size > bound {
			t.Fatalf("the spool has %d bytes", s.size)
		}
	}
	s.f.Close() // killed
	left, told, counts := 0, 0, 0
	newest := ""
	for _, r := range orphaned(t, h) {
		switch {
		case kept[r.ID]:
			delete(kept, r.ID)
		case r.Kind == "guard_problem":
			counts++
			var detail struct{ Lost int }
			if err := json.Unmarshal(r.Detail, &detail); err != nil || !strings.Contains(r.Summary, strconv.Itoa(detail.Lost)) {
				t.Errorf("%s %s: %v", r.Summary, r.Detail, err)
			}
			told = detail.Lost
		default:
			left++
			newest = r.ID
		}
	}
	if len(kept) != 0 {
		t.Errorf("gone: %v", kept)
	}
	if counts != 1 || told == 0 || told+left != calls {
		t.Errorf("%d calls: %d left, %d told as gone in %d records", calls, left, told, counts)
	}
	if newest != "id-007999" {
		t.Errorf("the newest call is %s", newest)
	}
}

func TestDriftAndHeldResponsesNeverGo(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	s, err := openSpool(h.Spool, testRegister("one"), nil, 32<<10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		kind := []vocab.RecordKind{"drift", "quarantine"}[i%2]
		if err := s.append([]Record{{ID: strconv.Itoa(i), Kind: kind}}); err != nil {
			t.Fatal(err)
		}
	}
	s.f.Close()
	if got := orphaned(t, h); len(got) != 1000 {
		t.Errorf("%d of 1000 left", len(got))
	}
}

func TestWhatIsWithTheHubIsNotTouchedWhenRoomIsMade(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	s, err := openSpool(h.Spool, testRegister("one"), nil, 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	defer s.remove()
	var sent []string
	lost := 0
	count := func(records []Record) {
		for _, r := range records {
			if r.Kind == "guard_problem" {
				var detail struct{ Lost int }
				if err := json.Unmarshal(r.Detail, &detail); err != nil {
					t.Fatal(err)
				}
				lost += detail.Lost
				continue
			}
			sent = append(sent, r.ID)
		}
	}
	n := 0
	for range 20 {
		for range 200 {
			if err := s.append([]Record{{ID: fmt.Sprintf("id-%06d", n), Kind: "tool_call"}}); err != nil {
				t.Fatal(err)
			}
			n++
		}
		batch, err := s.next(50)
		if err != nil {
			t.Fatal(err)
		}
		// More comes while the batch is out, and room has to be made.
		for range 300 {
			if err := s.append([]Record{{ID: fmt.Sprintf("id-%06d", n), Kind: "tool_call"}}); err != nil {
				t.Fatal(err)
			}
			n++
		}
		if again := n%3 == 0; again { // the hub went away and it is sent again, from the same place
			s.landed(false)
			second, err := s.next(50)
			if err != nil || len(second) != len(batch) || second[0].ID != batch[0].ID {
				t.Fatalf("sent again: %d of %d, %v", len(second), len(batch), err)
			}
		}
		s.landed(true)
		count(batch)
	}
	for {
		batch, err := s.next(maxBatchRecords)
		if err != nil {
			t.Fatal(err)
		}
		if batch == nil {
			break
		}
		s.landed(true)
		count(batch)
	}
	if !slices.IsSorted(sent) || len(slices.Compact(slices.Clone(sent))) != len(sent) {
		t.Error("out of order, or twice")
	}
	if lost == 0 || lost+len(sent) != n {
		t.Errorf("%d records: %d sent, %d told as gone", n, len(sent), lost)
	}
}

func TestASpoolThatIsTornIsReadUpToThere(t *testing.T) {
	header, err := encode(spoolHeader{Spool: 1, Register: testRegister("one")})
	if err != nil {
		t.Fatal(err)
	}
	whole := append(slices.Clone(header), encodeRecord(Record{ID: "a", Kind: "drift"})...)
	for name, c := range map[string]struct {
		content []byte
		want    int
		left    bool
		fault   bool
	}{
		"a last line without its end":               {append(slices.Clone(whole), `{"id":"b","ki`...), 1, false, false},
		"a last line that is whole but for its end": {append(slices.Clone(whole), `{"id":"b","kind":"drift"}`...), 1, false, false},
		"a line of nothing in the middle":           {append(append(slices.Clone(whole), "\x00\x00\n"...), encodeRecord(Record{ID: "c"})...), 2, false, false},
		"an endless line in the middle":             {append(append(slices.Clone(whole), bytes.Repeat([]byte("x"), 2*maxRecord)...), append([]byte("\n"), encodeRecord(Record{ID: "c"})...)...), 2, false, false},
		"no records":                                {header, 0, false, false},
		"nothing":                                   {nil, 0, false, false},
		"no spool at all":                           {[]byte("my notes\n"), 0, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			if err := h.Make(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(h.Spool, "x.ndjson")
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			n := 0
			err := ReadSpool(h.Spool, nil, func(_ Register, r []Record) error { n += len(r); return nil })
			_, gone := os.Lstat(path)
			if n != c.want || (err != nil) != c.fault || (gone == nil) != c.left {
				t.Errorf("%d records, %v; left: %v", n, err, gone == nil)
			}
		})
	}
}

func TestASpoolThatSomebodyElsePutThereDoesNotStopTheOthers(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(h.Spool, "a.ndjson")); err != nil {
		t.Fatal(err)
	}
	s, err := openSpool(h.Spool, testRegister("one"), nil, maxSpool)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.append([]Record{{ID: "a"}}); err != nil {
		t.Fatal(err)
	}
	s.f.Close()
	n := 0
	if err := ReadSpool(h.Spool, nil, func(_ Register, r []Record) error { n += len(r); return nil }); err == nil || n != 1 {
		t.Errorf("%d records, %v", n, err)
	}
	if err := ReadSpool(filepath.Join(h.Dir, "none"), nil, func(Register, []Record) error { return errors.New("x") }); err != nil {
		t.Errorf("no spool folder: %v", err)
	}
}

func TestMemoryIsBoundedWhenNothingCanBeWritten(t *testing.T) {
	o := newOutbox(t.TempDir(), testRegister("one"), func() *SpoolKey { return nil }, maxSpool, nil) // nobody takes anything out
	drifts := 0
	for i := range 100_000 {
		r := Record{ID: strconv.Itoa(i), Kind: "tool_call"}
		if i%1000 == 0 {
			r.Kind = "drift"
			drifts++
		}
		o.add(r)
	}
	if o.bytes > maxQueued || o.lost+len(o.queue) != 100_000 {
		t.Errorf("%d bytes, %d queued, %d lost", o.bytes, len(o.queue), o.lost)
	}
	for _, r := range o.queue {
		if r.Kind == "drift" {
			drifts--
		}
	}
	if drifts != 0 || o.queue[len(o.queue)-1].ID != "99999" {
		t.Errorf("%d drifts gone, newest %s", drifts, o.queue[len(o.queue)-1].ID)
	}
}

// Memory ran full while a batch was with a hub that did not answer, and only then the batch is written down: the count must
// not come to stand among the lines of the batch, or it goes with their acknowledgement.
func TestWhatWasLetGoBeforeTheSpoolBeganIsTold(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	o := newOutbox(h.Spool, testRegister("one"), func() *SpoolKey { return nil }, maxSpool, slog.New(slog.DiscardHandler))
	o.flight = &flight{records: []Record{{ID: "a", Kind: "tool_call"}, {ID: "b", Kind: "tool_call"}}, sent: time.Now().Add(-time.Hour)}
	o.lost = 7
	o.queue = []queued{{Record: Record{ID: "c", Kind: "tool_call"}}}
	if _, over := o.step(time.Now()); over || !o.flight.written {
		t.Fatal("the batch is not written down")
	}
	o.land(nil)
	left, err := o.spool.next(10)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, r := range left {
		told = append(told, string(r.Kind)+" "+r.ID[:1]+" "+string(r.Detail))
	}
	slices.Sort(told)
	if len(told) != 2 || !strings.HasSuffix(told[0], `"lost":7}`) || told[1] != "tool_call c " {
		t.Errorf("after the batch has landed: %q", told)
	}
	if err := o.spool.remove(); err != nil {
		t.Fatal(err)
	}
}

func TestTheSecretsOfAnEnvironmentAreOnNoDisk(t *testing.T) {
	h := testHome(t)
	register := testRegister("one")
	register.Secrets = []string{"correct-horse-9"}
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	l := testLink(t, LinkOptions{Home: h, Register: register}) // no hub: all that it has to say goes to the disk
	if _, err := l.Hold(testContext(t), heldOf(t)); err != nil {
		t.Fatal(err)
	}
	l.Record(Record{Kind: "drift", Status: "blocked", Summary: "one"})
	ctx, cancel := context.WithTimeout(testContext(t), time.Second)
	defer cancel()
	_ = l.Close(ctx)
	files := 0
	err := filepath.WalkDir(h.Dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if files++; bytes.Contains(raw, []byte("correct-horse-9")) {
			t.Errorf("it stands in %s", path)
		}
		return err
	})
	if err != nil || files < 2 {
		t.Fatalf("%d files, %v", files, err)
	}
}
