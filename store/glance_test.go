package store

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// someRecord is a record as a busy home has them: a few servers, one name for two of them, many calls and few decisions.
func someRecord(random *rand.Rand, at time.Time) Record {
	kinds := []vocab.RecordKind{vocab.RecordCall, vocab.RecordCall, vocab.RecordCall, vocab.RecordRead, vocab.RecordApproval, vocab.RecordDrift, "of_a_later_version", ""}
	states := []vocab.Status{vocab.StatusOK, vocab.StatusOK, vocab.StatusWarned, vocab.StatusBlocked, ""}
	n := random.IntN(6)
	r := Record{
		Time: at.Add(-time.Duration(random.IntN(5000)) * time.Second), Kind: kinds[random.IntN(len(kinds))], Status: states[random.IntN(len(states))],
		Server: fmt.Sprint("server ", n/2), ServerID: fmt.Sprint("id", n), Tool: fmt.Sprint("tool ", random.IntN(40)), Summary: "what happened",
	}
	if n == 5 { // of a version without ids
		r.ServerID = ""
	}
	return r
}

func someQuery(random *rand.Rand, at time.Time, known []Record) Query {
	var q Query
	pick := func(values ...string) string { return values[random.IntN(len(values))] }
	if random.IntN(2) == 0 {
		n := random.IntN(7)
		q.Server, q.ServerID = fmt.Sprint("server ", n/2), pick("", fmt.Sprint("id", n))
	}
	q.Tool = pick("", "", fmt.Sprint("tool ", random.IntN(45)))
	q.Kind = pick("", "tool_call", "approval,drift", "drift", "of_a_later_version", "no_such_kind")
	q.Status = pick("", "ok", "warned,blocked", "held")
	q.Text = pick("", "", "", "tool 7")
	if random.IntN(3) == 0 {
		q.Since = at.Add(-time.Duration(random.IntN(5000)) * time.Second)
	}
	q.Limit = 1 + random.IntN(60)
	switch some := known[random.IntN(len(known))].ID; random.IntN(4) {
	case 0:
		q.After = some
	case 1:
		q.Before = some
	case 2:
		q.Oldest = true
	}
	return q
}

// walked is what a query finds without glances.
func walked(all []Record, q Query) []Record {
	up := q.After != "" || q.Oldest
	all = slices.Clone(all)
	at := func(id string) int { return slices.IndexFunc(all, func(r Record) bool { return r.ID == id }) }
	if q.After != "" {
		all = all[at(q.After)+1:]
	} else if q.Before != "" && !q.Oldest {
		all = all[:at(q.Before)]
	}
	all = slices.DeleteFunc(all, func(r Record) bool { return !q.Matches(&r) })
	switch n := min(len(all), q.Limit); {
	case n == 0:
		return nil
	case up:
		return all[:n]
	default:
		return all[len(all)-n:]
	}
}

func TestGlancesFindWhatAWalkOverAllRecordsFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	s.now = func() time.Time { return at }
	compare := func(when string) {
		t.Helper()
		var all []Record
		if err := s.All(Query{}, func(r Record) error { all = append(all, r); return nil }); err != nil {
			t.Fatal(when, err)
		}
		for range 150 {
			q := someQuery(random, at, all)
			got, err := s.Records(q)
			if want := walked(all, q); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %+v found %d records, a walk finds %d (%v)", when, q, len(got), len(want), err)
			}
		}
	}
	grow := func(n int) {
		t.Helper()
		for n > 0 {
			batch := make([]Record, min(n, 1+random.IntN(300)))
			for i := range batch {
				batch[i] = someRecord(random, at)
			}
			if _, err := s.AppendNow(batch...); err != nil {
				t.Fatal(err)
			}
			n -= len(batch)
			at = at.Add(time.Duration(random.IntN(90)) * time.Second)
		}
	}
	again := func() {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = mustOpen(t, dir, Options{})
		s.now = func() time.Time { return at }
	}
	// meddled changes the bucket of glances behind the store's back.
	meddled := func(f func(*bolt.Bucket) error) {
		t.Helper()
		if err := s.update(func(tx *bolt.Tx) error { return f(tx.Bucket(bucketGlances)) }); err != nil {
			t.Fatal(err)
		}
	}
	first := func(n uint64) []byte { return sequenceKey(n * glancePage) }

	grow(3000)
	compare("after appending")
	again()
	compare("after a restart")
	if _, err := s.Prune(at, 10*time.Minute, 0); err != nil {
		t.Fatal(err)
	}
	compare("after retention took some")
	grow(700)
	compare("after appending again")
	meddled(func(b *bolt.Bucket) error {
		forged := make([]byte, glancePage*glanceSize) // as if there were nothing there
		return b.Put(first(12), append(make([]byte, sealSize), forged...))
	})
	compare("with a forged page")
	meddled(func(b *bolt.Bucket) error { return b.Put(first(11), []byte("x")) })
	meddled(func(b *bolt.Bucket) error { return b.Put(first(10), b.Get(first(12))) })
	compare("with damaged pages")
	meddled(func(b *bolt.Bucket) error {
		for _, n := range []uint64{10, 11, 12, 13, 14} {
			if err := b.Delete(first(n)); err != nil {
				return err
			}
		}
		return nil
	})
	compare("without some pages, as after an earlier version wrote to the store")
	grow(100)
	compare("with new records behind them")
	for next := uint64(1); next != 0; {
		var err error
		if next, err = s.CatchUp(next); err != nil {
			t.Fatal(err)
		}
	}
	compare("caught up")
	if err := s.view(func(tx *bolt.Tx) error {
		ch := s.tx(tx).chain()
		oldest, newest := ch.ends()
		for n := oldest - oldest%glancePage; n <= newest; n += glancePage {
			if got, want := len(ch.glances(n))/glanceSize, min(newest+1-n, glancePage); uint64(got) != want && ch.holds(n) {
				t.Errorf("page %d has %d glances after catching up, not %d", n/glancePage, got, want)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prune(at, time.Nanosecond, 1); err != nil {
		t.Fatal(err)
	}
	if err := s.view(func(tx *bolt.Tx) error {
		if k, _ := tx.Bucket(bucketGlances).Cursor().First(); k != nil {
			t.Errorf("page %x is left of a timeline that retention emptied", k)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestAStoreOfBeforeGlancesGetsThem(t *testing.T) {
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	if _, err := s.AppendNow(benchRecord(), benchRecord()); err != nil {
		t.Fatal(err)
	}
	err := s.Update(func(tx *Tx) error { // as the last version wrote it
		if err := tx.tx.DeleteBucket(bucketGlances); err != nil {
			return err
		}
		return tx.put(bucketMeta, metaLater, 2)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, dir, Options{})
	if found, err := s.Tampered(); err != nil || found.Any() {
		t.Errorf("%+v, %v", found, err)
	}
	if got, err := s.Records(Query{Tool: "get_forecast"}); err != nil || len(got) != 2 {
		t.Errorf("%d records, %v", len(got), err)
	}
	if next, err := s.CatchUp(0); err != nil || next == 0 {
		t.Errorf("nothing to catch up: %d, %v", next, err)
	}
	if next, err := s.CatchUp(0); err != nil || next != 0 {
		t.Errorf("not caught up: %d, %v", next, err)
	}
}

func BenchmarkAMillionRecords(b *testing.B) {
	if testing.Short() {
		b.Skip("it writes 500 MB")
	}
	s := mustOpen(b, home(b), Options{})
	batch := make([]Record, 1000)
	for n := range 1000 {
		for i := range batch {
			r := benchRecord()
			r.ServerID, r.Server, r.Tool = fmt.Sprint("id", i%11), fmt.Sprint("server ", i%11), fmt.Sprint("tool ", i%70)
			if n == 0 && i == 0 {
				r.Kind, r.Server, r.ServerID = vocab.RecordDrift, "rare", "rare"
			}
			if i%10 == 0 {
				r.Status = vocab.StatusWarned
			}
			batch[i] = r
		}
		if _, err := s.AppendNow(batch...); err != nil {
			b.Fatal(err)
		}
	}
	for name, q := range map[string]Query{
		"no filter": {}, "a common server": {Server: "server 3", ServerID: "id3"}, "a tool": {Tool: "tool 44"}, "warned": {Status: "warned"},
		"only the oldest": {Kind: "drift"}, "nothing": {Kind: "release"}, "nothing in combination": {Server: "server 3", ServerID: "id3", Status: "held"},
		"a rare server": {Server: "rare", ServerID: "rare"}, "since now": {Since: time.Now(), Kind: "drift"}, "since long ago": {Since: time.Unix(0, 0), Status: "blocked"},
	} {
		q.Limit = 50
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Records(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("append 1000", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.AppendNow(batch...); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(1000*b.N)/b.Elapsed().Seconds(), "records/s")
	})
}

func TestMeasureReadsWhatAWalkReads(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := mustOpen(t, home(t), Options{})
	batch := make([]Record, 2*measureStep+500)
	for i := range batch {
		batch[i] = someRecord(random, at)
		batch[i].DurationUS, batch[i].Bytes = int64(i), int64(2*i)
	}
	if _, err := s.AppendNow(batch...); err != nil {
		t.Fatal(err)
	}
	for _, q := range []Query{{}, {Kind: "tool_call"}, {Server: "server 1", ServerID: "id3"}, {Since: at.Add(-time.Hour)}, {Kind: "release"}} {
		var want []Measured
		if err := s.All(q, func(r Record) error {
			want = append(want, Measured{r.Time, r.Kind, r.Status, r.Server, r.ServerID, r.Tool, r.DurationUS, r.Bytes})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		var got []Measured
		if err := s.Measure(q, func(m Measured) { got = append(got, m) }); err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v: %d measured, %d records, %v", q, len(got), len(want), err)
		}
	}
}
