package store

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

func TestManyWritersAtOnceKeepOneChain(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for i := range 20 {
				id := fmt.Sprintf("%d-%d", w, i)
				stored, err := s.AppendNow(Record{ID: id + "-a"}, Record{ID: id + "-b"})
				if err != nil || len(stored) != 2 {
					t.Errorf("stored %s, %v", ids(stored), err)
				}
				if err := s.Update(func(tx *Tx) error { _, err := tx.Append(Record{ID: id + "-decision", Kind: "approval"}); return err }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	verified(t, s, 8*20*3)
}

func TestManyRecordsAreAcknowledgedOnceAndWhole(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	records := make([]Record, 2001)
	for i := range records {
		records[i].ID = fmt.Sprint(i)
	}
	stored, err := s.AppendNow(records...)
	if err != nil || len(stored) != len(records) {
		t.Fatalf("%d stored, %v", len(stored), err)
	}
	verified(t, s, len(records))
}

func TestWhatADiskRefusedIsNotAcknowledged(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	full := errors.New("no space left on device")
	s.damaged.Store(&full) // every transaction fails with it from here on
	for range 2 {
		if stored, err := s.AppendNow(make([]Record, 1010)...); !errors.Is(err, full) || stored != nil {
			t.Fatalf("acknowledged %d: %v", len(stored), err)
		}
	}
	s.damaged.Store(nil)
	if stored, err := s.AppendNow(Record{ID: "later"}); err != nil || len(stored) != 1 {
		t.Fatalf("stored %s, %v", ids(stored), err)
	}
	all, err := s.Records(Query{})
	if err != nil || ids(all) != "later" {
		t.Errorf("%s, %v", ids(all), err)
	}
}

func TestCallsThatWaitForTheDiskShareACommit(t *testing.T) {
	for _, c := range []struct{ calls, records, commits int }{{20, 1, 1}, {20, mostTogether * 3 / 10, 7}, {2, mostTogether + 1, 2}} {
		t.Run(fmt.Sprintf("%d of %d records", c.calls, c.records), func(t *testing.T) {
			s := mustOpen(t, home(t), Options{})
			waiting := func() int {
				s.appending.mu.Lock()
				defer s.appending.mu.Unlock()
				return len(s.appending.waiting)
			}
			s.appending.committing.Lock() // as another call's commit would
			var group sync.WaitGroup
			for n := range c.calls {
				group.Go(func() {
					records := make([]Record, c.records)
					for i := range records {
						records[i].ID = fmt.Sprintf("%d-%d", n, i)
					}
					if stored, err := s.AppendNow(records...); err != nil || ids(stored) != ids(records) || stored[0].Hash == "" {
						t.Errorf("stored %s of %s, %v", ids(stored), ids(records), err)
					}
				})
			}
			for deadline := time.Now().Add(10 * time.Second); waiting() < c.calls; runtime.Gosched() {
				if time.Now().After(deadline) {
					t.Fatalf("%d calls wait", waiting())
				}
			}
			before := s.seen.Load()
			s.appending.committing.Unlock()
			group.Wait()
			verified(t, s, c.calls*c.records)
			if commits := s.seen.Load() - before; commits != uint64(c.commits) {
				t.Errorf("%d commits", commits)
			}
		})
	}
}
