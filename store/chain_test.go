package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func ids(records []Record) string {
	var all []string
	for _, r := range records {
		all = append(all, r.ID)
	}
	return strings.Join(all, " ")
}

// chainHome is a home with n records r01, r02 …, every third an approval.
func chainHome(t testing.TB, n int) string {
	t.Helper()
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	var records []Record
	for i := 1; i <= n; i++ {
		kind := vocab.RecordCall
		if i%3 == 0 {
			kind = "approval"
		}
		records = append(records, Record{ID: fmt.Sprintf("r%02d", i), Kind: kind, Time: time.Unix(int64(i), 0), Summary: strings.Repeat("x", 100)})
	}
	if _, err := s.AppendNow(records...); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	return dir
}

func TestVerifyNamesTheFirstBadRecord(t *testing.T) {
	at := func(n uint64) []byte { return sequenceKey(n) }
	for _, c := range []struct {
		name   string
		meddle func(tx *bolt.Tx) error
		bad    string
	}{
		{"nothing", func(tx *bolt.Tx) error { return nil }, ""},
		{"an edited record", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketActivity)
			return b.Put(at(4), bytes.Replace(bytes.Clone(b.Get(at(4))), []byte("xxx"), []byte("yyy"), 1))
		}, "r04"},
		{"an edited record with its hash made to fit", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketActivity)
			v := bytes.Replace(bytes.Clone(b.Get(at(4))), []byte("xxx"), []byte("yyy"), 1)
			r, _, err := decodeRecord(v)
			if err != nil {
				return err
			}
			sum := chainHash(r.Prev, v[recordOverhead:])
			copy(v[8:], sum[:])
			return b.Put(at(4), v)
		}, "r05"},
		{"the last record edited with its hash made to fit", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketActivity)
			v := bytes.Replace(bytes.Clone(b.Get(at(9))), []byte("xxx"), []byte("yyy"), 1)
			r, _, err := decodeRecord(v)
			if err != nil {
				return err
			}
			sum := chainHash(r.Prev, v[recordOverhead:])
			copy(v[8:], sum[:])
			return b.Put(at(9), v)
		}, "r09"},
		{"a removal in the middle", func(tx *bolt.Tx) error { return tx.Bucket(bucketActivity).Delete(at(4)) }, "r05"},
		{"a removal at the old end", func(tx *bolt.Tx) error { return tx.Bucket(bucketActivity).Delete(at(1)) }, "r02"},
		{"a truncation", func(tx *bolt.Tx) error { return tx.Bucket(bucketActivity).Delete(at(9)) }, "r08"},
		{"a removal of everything", func(tx *bolt.Tx) error {
			for n := range uint64(9) {
				if err := tx.Bucket(bucketActivity).Delete(at(n + 1)); err != nil {
					return err
				}
			}
			return nil
		}, "#9"},
		{"two records swapped", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketActivity)
			four, five := bytes.Clone(b.Get(at(4))), bytes.Clone(b.Get(at(5)))
			if err := b.Put(at(4), five); err != nil {
				return err
			}
			return b.Put(at(5), four)
		}, "r05"},
		{"a removal with the rest moved up", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketActivity)
			for n := uint64(4); n < 9; n++ {
				if err := b.Put(at(n), bytes.Clone(b.Get(at(n+1)))); err != nil {
					return err
				}
			}
			return b.Delete(at(9))
		}, "r05"},
		{"a record added at the new end", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketActivity)
			last, _, err := decodeRecord(b.Get(at(9)))
			if err != nil {
				return err
			}
			v, _, err := encodeRecord(Record{ID: "r10"}, last.Hash, time.Now().UnixNano())
			if err != nil {
				return err
			}
			return b.Put(at(10), v)
		}, "r10"},
		{"a record that is none any more", func(tx *bolt.Tx) error { return tx.Bucket(bucketActivity).Put(at(4), []byte("x")) }, "#4"},
		{"a removal dressed up as retention", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketActivity)
			r, _, err := decodeRecord(b.Get(at(4)))
			if err != nil {
				return err
			}
			raw, _ := json.Marshal(anchor{From: 4, To: 4, Prev: r.Prev, Hash: r.Hash, Records: 1})
			forged := append(seal([]byte("guess"), bucketAnchors, at(4), raw), raw...)
			if err := tx.Bucket(bucketAnchors).Put(at(4), forged); err != nil {
				return err
			}
			return b.Delete(at(4))
		}, "#0"},
		{"an arrival set back, to hide what came since", func(tx *bolt.Tx) error {
			b := tx.Bucket(bucketActivity)
			v := bytes.Clone(b.Get(at(4)))
			clear(v[:8])
			return b.Put(at(4), v)
		}, "r04"},
		{"an index entry that leads elsewhere", func(tx *bolt.Tx) error {
			return tx.Bucket(bucketIDs).Put([]byte("r04"), at(5))
		}, "r04"},
		{"the head taken away", func(tx *bolt.Tx) error { return tx.Bucket(bucketMeta).Delete(metaHead) }, "#0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := chainHome(t, 9)
			meddle(t, dir, c.meddle)
			s := mustOpen(t, dir, Options{})
			v, err := s.Verify(nil)
			if err != nil {
				t.Fatal(err)
			}
			if v.Bad != c.bad || (v.Reason == "") != (c.bad == "") {
				t.Errorf("bad %q (%s), want %q", v.Bad, v.Reason, c.bad)
			}
			if v.Sealed {
				t.Error("it says sealed although nothing was kept elsewhere")
			}
		})
	}
}

func TestAnOlderStorePutBackIsFoundByAHeadKeptElsewhere(t *testing.T) {
	dir := chainHome(t, 5)
	path := filepath.Join(dir, File)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, dir, Options{})
	if _, err := s.AppendNow(Record{ID: "r06", Kind: "approval"}); err != nil {
		t.Fatal(err)
	}
	mark, err := s.Head()
	if err != nil {
		t.Fatal(err)
	}
	if v, err := s.Verify(&mark); err != nil || v.Bad != "" || !v.Sealed {
		t.Errorf("%+v, %v", v, err)
	}
	// The walk still meets a head that was kept some records ago.
	if _, err := s.AppendNow(Record{ID: "r07"}); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Verify(&mark); err != nil || v.Bad != "" || !v.Sealed {
		t.Errorf("%+v, %v", v, err)
	}
	mustClose(t, s)
	write(t, path, old)
	s = mustOpen(t, dir, Options{})
	if v, err := s.Verify(nil); err != nil || v.Bad != "" || v.Sealed {
		t.Errorf("without it: %+v, %v", v, err)
	}
	if v, err := s.Verify(&mark); err != nil || v.Bad == "" || v.Sealed {
		t.Errorf("with it: %+v, %v", v, err)
	}
	// And a chain that was rewritten to the same length.
	if _, err := s.AppendNow(Record{ID: "forged"}); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Verify(&mark); err != nil || v.Bad != "forged" {
		t.Errorf("written anew: %+v, %v", v, err)
	}
}

func TestARecordCanBeCheckedWithNothingButItsOwnFields(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	_, err := s.AppendNow(
		Record{ID: "a", Kind: "drift", Detail: json.RawMessage("{\"b\": 1.0 ,\n\"<a>\":\"\\u00e9\xff\"}"), Summary: "a <b> \xff\u2028"},
		Record{ID: "b", Kind: vocab.RecordCall, Detail: json.RawMessage(`no JSON`), Time: time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.FixedZone("x", 3600))},
		Record{ID: "c", Kind: vocab.RecordCall, Detail: json.RawMessage(`"` + strings.Repeat("x", maxDetail) + `"`)},
		Record{ID: "d", Time: time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC), Prev: "mine", Hash: "mine"},
	)
	if err != nil {
		t.Fatal(err)
	}
	records, err := s.Records(Query{})
	if err != nil || ids(records) != "a b c d" {
		t.Fatalf("%s, %v", ids(records), err)
	}
	prev := ""
	for _, r := range records {
		line, err := json.Marshal(r) // as in an export
		if err != nil {
			t.Fatal(err)
		}
		var back Record
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatal(err)
		}
		hash := back.Hash
		back.Hash = ""
		body, err := json.Marshal(back)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(append([]byte(prev), body...))
		if r.Prev != prev || hash != hex.EncodeToString(sum[:]) {
			t.Errorf("%s does not follow from what stands in it", r.ID)
		}
		prev = hash
	}
	if got := string(records[1].Detail); got != `"no JSON"` {
		t.Errorf("detail that is no JSON: %s", got)
	}
	if got := records[1].Time.Format(time.RFC3339Nano); got != "2026-01-02T02:04:05.678901234Z" {
		t.Errorf("time %s", got)
	}
	if len(records[2].Detail) > 100 {
		t.Errorf("a detail of %d bytes was kept", len(records[2].Detail))
	}
}

func TestASpoolDeliveredTwiceIsStoredOnce(t *testing.T) {
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	spool := []Record{{ID: "a", Kind: vocab.RecordCall}, {ID: "b", Kind: vocab.RecordCall}, {ID: "a", Kind: "drift"}}
	stored, err := s.AppendNow(spool...)
	if err != nil || ids(stored) != "a b" {
		t.Fatalf("stored %s, %v", ids(stored), err)
	}
	mustClose(t, s)
	s = mustOpen(t, dir, Options{})
	stored, err = s.AppendNow(append(spool, Record{ID: "c"})...)
	if err != nil || ids(stored) != "c" {
		t.Fatalf("after a restart: stored %s, %v", ids(stored), err)
	}
	if r, err := s.Record("a"); err != nil || r.Kind != vocab.RecordCall {
		t.Errorf("a later record took the place of the first: %+v, %v", r, err)
	}
	if v, err := s.Verify(nil); err != nil || v.Bad != "" || v.Records != 3 {
		t.Errorf("%+v, %v", v, err)
	}
	if stored, err := s.AppendNow(Record{}, Record{}); err != nil || len(stored) != 2 || stored[0].ID == stored[1].ID {
		t.Errorf("records without id: %s, %v", ids(stored), err)
	}
}

func TestAForgedIndexEntryKeepsNoRecordOut(t *testing.T) {
	dir := chainHome(t, 3)
	meddle(t, dir, func(tx *bolt.Tx) error { return tx.Bucket(bucketIDs).Put([]byte("r04"), sequenceKey(1)) })
	s := mustOpen(t, dir, Options{})
	if stored, err := s.AppendNow(Record{ID: "r04", Kind: "drift"}); err != nil || len(stored) != 1 {
		t.Errorf("stored %s, %v", ids(stored), err)
	}
	if v, err := s.Verify(nil); err != nil || v.Bad != "" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestRecords(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	now := time.Now()
	late := now.Add(-2 * time.Hour) // from a spool that was filled while the hub was away
	_, err := s.AppendNow(
		Record{ID: "1", Time: now.Add(-3 * time.Second), Server: "a", Tool: "x", Kind: vocab.RecordCall, Status: "ok"},
		Record{ID: "2", Time: now.Add(-2 * time.Second), Server: "b", Tool: "x", Kind: vocab.RecordCall, Status: "blocked"},
		Record{ID: "3", Time: late, Server: "a", Tool: "y", Kind: vocab.RecordCall, Status: "ok"},
		Record{ID: "4", Time: now.Add(-time.Second), Server: "a", Kind: "drift", Status: "blocked", Code: "4F2A", Summary: "The tool changed"},
		Record{ID: "5", Time: now, Server: "a", Tool: "x", Kind: vocab.RecordCall, Status: "ok"},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		query Query
		want  string
	}{
		{"everything, newest last", Query{}, "1 2 3 4 5"},
		{"the newest two", Query{Limit: 2}, "4 5"},
		{"of a server", Query{Server: "a"}, "1 3 4 5"},
		{"of a server and a tool", Query{Server: "a", Tool: "x"}, "1 5"},
		{"of a kind", Query{Kind: "drift"}, "4"},
		{"of a status", Query{Status: "blocked"}, "2 4"},
		{"since a moment, past a late record", Query{Since: now.Add(-2 * time.Second)}, "2 4 5"},
		{"since a moment that covers the late one", Query{Since: late}, "1 2 3 4 5"},
		{"since a moment to come", Query{Since: now.Add(time.Hour)}, ""},
		{"after a record", Query{After: "3"}, "4 5"},
		{"the first after a record", Query{After: "1", Limit: 2}, "2 3"},
		{"after a record, of a server", Query{After: "1", Server: "a"}, "3 4 5"},
		{"after the newest", Query{After: "5"}, ""},
		{"before a record", Query{Before: "3"}, "1 2"},
		{"the newest before a record", Query{Before: "4", Limit: 2}, "2 3"},
		{"before a record, of a server", Query{Before: "4", Server: "a"}, "1 3"},
		{"before the oldest", Query{Before: "1"}, ""},
		{"of one of two kinds", Query{Kind: "approval,drift"}, "4"},
		{"of one of two statuses", Query{Status: "ok,blocked"}, "1 2 3 4 5"},
		{"of a status that is part of one asked for", Query{Status: "blocke,okay"}, ""},
		{"with a text in the summary, in whatever case", Query{Text: "TOOL chan"}, "4"},
		{"with a text that is a code", Query{Text: "4f2a"}, "4"},
		{"with a text that is a tool", Query{Text: "Y"}, "3"},
		{"with a text that is nowhere", Query{Text: "nowhere"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Records(c.query)
			if err != nil || ids(got) != c.want {
				t.Errorf("got %q, %v, want %q", ids(got), err, c.want)
			}
			if c.query.After == "" && c.query.Before == "" && c.query.Limit == 0 {
				var all []Record
				err := s.All(c.query, func(r Record) error { all = append(all, r); return nil })
				if err != nil || ids(all) != c.want {
					t.Errorf("All got %q, %v, want %q", ids(all), err, c.want)
				}
			}
		})
	}
	if _, err := s.Records(Query{After: "gone"}); err == nil {
		t.Error("after an unknown record")
	}
	if _, err := s.Records(Query{Before: "gone"}); err == nil {
		t.Error("before an unknown record")
	}
}

func TestRecordIDsSortByTime(t *testing.T) {
	last := ""
	for i := range int64(1000) {
		id := vocab.NewRecordID(time.Unix(1_700_000_000, i*1000))
		if len(id) != 23 || id <= last {
			t.Fatalf("%q after %q", id, last)
		}
		last = id
	}
}

// JSON spells & as \u0026 and has member names; a person searches for neither.
func TestAReadIsFoundByWhatItNames(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	detail := func(named map[string]any) json.RawMessage {
		raw, err := json.Marshal(named)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	_, err := s.AppendNow(
		Record{ID: "1", Time: time.Now(), Kind: "resource_read", Status: "ok", Detail: detail(map[string]any{"uri": "notes://Search?a=1&b=<2>"})},
		Record{ID: "2", Time: time.Now(), Kind: "prompt_get", Status: "ok", Detail: detail(map[string]any{"prompt": "Wochenbericht"})},
		Record{ID: "3", Time: time.Now(), Kind: "tool_call", Status: "ok", Detail: detail(map[string]any{"uri": "notes://search"})},
	)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"search?a=1&b": "1", "<2>": "1", "WOCHEN": "2", "notes": "1", "uri": "", "prompt": "", "0026": ""} {
		if got, err := s.Records(Query{Text: text}); err != nil || ids(got) != want {
			t.Errorf("%q finds %q, %v", text, ids(got), err)
		}
	}
}

func TestAHeadKeptElsewhereIsInTheChainOrIsNot(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	for i := range 6 {
		if _, err := s.AppendNow(Record{ID: fmt.Sprintf("r%d", i+1), Kind: vocab.RecordCall}); err != nil {
			t.Fatal(err)
		}
	}
	head, err := s.Head()
	if err != nil || head.ID != "r6" || head.Sequence != 6 {
		t.Fatalf("%+v, %v", head, err)
	}
	at := func(sequence uint64, hash string) Mark { return Mark{Sequence: sequence, Hash: hash} }
	fourth, err := s.Record("r4")
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("0", 64)
	check := func(when string, m Mark, holds, sealed bool) {
		t.Helper()
		if got, err := s.Holds(m); err != nil || got != holds {
			t.Errorf("%s: record %d counts as held: %t, %v", when, m.Sequence, got, err)
		}
		if v, err := s.Verify(&m); err != nil || (v.Bad == "") != holds || v.Sealed != sealed || holds && (v.Unsealed == "") != sealed {
			t.Errorf("%s: record %d: %+v, %v", when, m.Sequence, v, err)
		}
	}
	check("kept", head, true, true)
	check("kept", at(4, fourth.Hash), true, true)
	check("another hash", at(4, other), false, false)
	check("not there yet", at(7, other), false, false)
	if pruned, err := s.Prune(time.Now().Add(time.Hour), time.Minute, 0); err != nil || pruned.Records != 6 {
		t.Fatalf("%+v, %v", pruned, err)
	}
	check("the last that retention removed", head, true, true)
	check("the last that retention removed, with another hash", at(6, other), false, false)
	check("one that retention removed", at(4, fourth.Hash), true, false)
	if v, err := s.Verify(&Mark{Sequence: 9, Hash: other, ID: "r9", Time: time.Unix(1, 0)}); err != nil || !strings.HasPrefix(v.Reason, "3 later records are missing, the last (r9, 1970-01-01T00:00:01Z): ") {
		t.Errorf("%+v, %v", v, err)
	}
	if empty, err := s.Head(); err != nil || empty.ID != "" || empty.Hash != head.Hash {
		t.Errorf("the head of a chain that retention emptied: %+v, %v", empty, err)
	}
}

// All calls f for every match, oldest first, until it returns an error. It decodes every record: what it finds is what a filter should find.
func (s *Store) All(q Query, f func(Record) error) error {
	return s.View(func(tx *Tx) error {
		for r := range tx.chain().records(0) {
			if q.Matches(r) {
				if err := f(*r); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
