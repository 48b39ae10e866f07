package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func kinds(t testing.TB, s *Store) string {
	t.Helper()
	var b strings.Builder
	err := s.All(Query{}, func(r Record) error {
		letter := "c"
		if lasting(r.Kind) {
			letter = "D"
		}
		b.WriteString(letter)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func verified(t testing.TB, s *Store, records int) {
	t.Helper()
	if v, err := s.Verify(nil); err != nil || v.Bad != "" || v.Records != records {
		t.Errorf("verify: %+v, %v, want %d records", v, err, records)
	}
}

func TestPruneTakesCallsFirstAndLeavesAChainThatVerifies(t *testing.T) {
	const each = 1000 // bytes of one record, scaled below to its real size
	for _, c := range []struct {
		name string
		now  time.Duration // from now
		keep time.Duration
		max  int64
		want string
	}{
		{"nothing is old or large", 0, time.Hour, 1 << 20, "ccDccDccDccD"},
		{"no limits", 1000 * time.Hour, 0, 0, "ccDccDccDccD"},
		{"old calls go, decisions stay", 2 * time.Hour, time.Hour, 0, "DDDD"},
		{"too large: the oldest calls go", 0, 0, 8*each + each/2, "DDccDccD"},
		{"too large for calls: the oldest decisions go too", 0, 0, 2*each + each/2, "DD"},
		{"room for nothing", 0, 0, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := chainHome(t, 12)
			s := mustOpen(t, dir, Options{})
			h := headOf(t, s)
			max := c.max
			if max >= each {
				max = max * (h.Bytes / 12) / each
			}
			pruned, err := s.Prune(time.Now().Add(c.now), c.keep, max)
			if err != nil {
				t.Fatal(err)
			}
			if got := kinds(t, s); got != c.want {
				t.Errorf("left %q, want %q", got, c.want)
			}
			left := len(kinds(t, s))
			if pruned.Records != 12-left || (max > 0 && headOf(t, s).Bytes > max) {
				t.Errorf("pruned %+v, %d are left in %d bytes", pruned, left, headOf(t, s).Bytes)
			}
			verified(t, s, left)
			// Records are appended after an anchor and a restart, and the next retention joins the anchors.
			if _, err := s.AppendNow(Record{ID: "later", Kind: vocab.RecordCall}); err != nil {
				t.Fatal(err)
			}
			mustClose(t, s)
			s = mustOpen(t, dir, Options{})
			verified(t, s, left+1)
			if _, err := s.Prune(time.Now(), 0, 1); err != nil {
				t.Fatal(err)
			}
			verified(t, s, 0)
			if _, err := s.AppendNow(Record{ID: "last"}); err != nil {
				t.Fatal(err)
			}
			verified(t, s, 1)
			err = s.View(func(tx *Tx) error {
				if anchors, bad := tx.chain().anchors(); len(anchors) != 1 || bad || anchors[1].Records != 13 {
					t.Errorf("anchors %+v, %v", anchors, bad)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if found, err := s.Tampered(); err != nil || found.Any() {
				t.Errorf("tampered: %+v, %v", found, err)
			}
		})
	}
}

func headOf(t testing.TB, s *Store) head {
	t.Helper()
	var h head
	err := s.View(func(tx *Tx) error {
		var err error
		h, err = tx.chain().head()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestPruneGoesOnPastOneTransaction(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	const n = 2*pruneStep + 500
	records := make([]Record, n)
	for i := range records {
		records[i] = Record{ID: fmt.Sprint(i), Kind: vocab.RecordCall}
		if i%10 == 0 {
			records[i].Kind = "drift"
		}
	}
	if _, err := s.AppendNow(records...); err != nil {
		t.Fatal(err)
	}
	mark, err := s.Head()
	if err != nil {
		t.Fatal(err)
	}
	pruned, err := s.Prune(time.Now().Add(time.Hour), time.Minute, 0)
	if err != nil || pruned.Records != n-n/10 {
		t.Errorf("pruned %+v, %v", pruned, err)
	}
	verified(t, s, n/10)
	// A head that was kept before retention took its record does not make the chain look rewritten.
	if v, err := s.Verify(&mark); err != nil || v.Bad != "" || !v.Sealed {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestARemovalNextToAnAnchorIsFound(t *testing.T) {
	for name, sequence := range map[string]uint64{"behind": 3, "the last": 6} {
		t.Run(name, func(t *testing.T) {
			dir := chainHome(t, 6)
			s := mustOpen(t, dir, Options{})
			if _, err := s.Prune(time.Now().Add(time.Hour), time.Minute, 0); err != nil {
				t.Fatal(err)
			}
			verified(t, s, 2)
			mustClose(t, s)
			meddle(t, dir, func(tx *bolt.Tx) error { return tx.Bucket(bucketActivity).Delete(sequenceKey(sequence)) })
			s = mustOpen(t, dir, Options{})
			if v, err := s.Verify(nil); err != nil || v.Bad == "" {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}
