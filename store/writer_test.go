package store

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// stalled holds the file's write lock, as a slow disk would, until it is told to let go.
func stalled(t testing.TB, s *Store) (release func()) {
	t.Helper()
	held, let, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.Update(func(*Tx) error { close(held); <-let; return nil })
	}()
	<-held
	return sync.OnceFunc(func() {
		close(let)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestAppendNeverWaitsForTheDisk(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	release := stalled(t, s)
	defer release()
	for i := range 5000 { // would never return if one of them waited
		s.Append(Record{ID: fmt.Sprint(i), Kind: vocab.RecordCall})
	}
	release()
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	verified(t, s, 5000)
}

func TestADiskThatDoesNotKeepUpCostsTheOldestCallsAndSaysHowMany(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	release := stalled(t, s)
	defer release()
	const n = 3 * queueLimit
	decisions := 0
	for i := range n {
		r := Record{ID: fmt.Sprint(i), Kind: vocab.RecordCall}
		if i%100 == 0 {
			r.Kind = "drift"
			decisions++
		}
		s.Append(r)
		if length := s.queued(); length > queueLimit+decisions+1 {
			t.Fatalf("%d records are queued", length)
		}
	}
	release()
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	calls, drift, dropped := 0, 0, 0
	newest := ""
	err := s.All(Query{}, func(r Record) error {
		switch r.Kind {
		case vocab.RecordCall:
			calls++
			newest = r.ID
		case "drift":
			drift++
		case vocab.RecordProblem:
			var lost int
			if _, err := fmt.Sscanf(r.Summary, "%d records", &lost); err != nil {
				t.Errorf("summary %q", r.Summary)
			}
			dropped += lost
		default: // of nothing that is counted
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if drift != decisions {
		t.Errorf("%d of %d drift records are kept", drift, decisions)
	}
	if dropped == 0 || calls+dropped+drift != n {
		t.Errorf("%d calls kept, %d said to be dropped, of %d", calls, dropped, n-decisions)
	}
	if newest != fmt.Sprint(n-1) {
		t.Errorf("the newest call kept is %s", newest)
	}
}

func TestAQueueOfNothingButDecisionsIsBoundedToo(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	release := stalled(t, s)
	defer release()
	for range queueHardLimit + 10 {
		s.Append(Record{Kind: "drift"})
	}
	if length := s.queued(); length > queueHardLimit+1 {
		t.Errorf("%d records are queued", length)
	}
	release()
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
}

func (s *Store) queued() int {
	s.writer.mu.Lock()
	defer s.writer.mu.Unlock()
	return s.writer.queue.len()
}

func TestAppendNowComesAfterWhatWasQueuedBefore(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	for i := range 10 {
		s.Append(Record{ID: fmt.Sprintf("queued%d", i), Kind: vocab.RecordCall})
	}
	stored, err := s.AppendNow(Record{ID: "now", Kind: "approval"})
	if err != nil || ids(stored) != "now" || stored[0].Hash == "" || stored[0].Prev == "" {
		t.Fatalf("stored %+v, %v", stored, err)
	}
	all, err := s.Records(Query{})
	if err != nil || len(all) != 11 || all[10].ID != "now" || all[10].Hash != stored[0].Hash {
		t.Errorf("%s, %v", ids(all), err)
	}
}

func TestManyWritersAtOnceKeepOneChain(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for i := range 20 {
				id := fmt.Sprintf("%d-%d", w, i)
				s.Append(Record{ID: id + "-queued", Kind: vocab.RecordCall})
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
	verified(t, s, 8*20*4)
}

func TestMoreThanABatchIsAcknowledgedOnceAndWhole(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	records := make([]Record, 2*batchSize+1)
	for i := range records {
		records[i].ID = fmt.Sprint(i)
	}
	stored, err := s.AppendNow(records...)
	if err != nil || len(stored) != len(records) {
		t.Fatalf("%d stored, %v", len(stored), err)
	}
	verified(t, s, len(records))
}

func TestWhatADiskRefusedIsNotAcknowledgedAndWrittenLater(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	full := errors.New("no space left on device")
	s.damaged.Store(&full) // every transaction fails with it from here on
	s.Append(Record{ID: "queued", Kind: vocab.RecordCall})
	many := make([]Record, batchSize+10)
	if _, err := s.AppendNow(many...); !errors.Is(err, full) {
		t.Fatalf("acknowledged: %v", err)
	}
	if err := s.Flush(); !errors.Is(err, full) {
		t.Fatalf("flushed: %v", err)
	}
	s.damaged.Store(nil)
	if stored, err := s.AppendNow(Record{ID: "later"}); err != nil || len(stored) != 1 {
		t.Fatalf("stored %s, %v", ids(stored), err)
	}
	all, err := s.Records(Query{})
	if err != nil || ids(all) != "queued later" {
		t.Errorf("%s, %v", ids(all), err)
	}
}

func TestCloseWritesWhatIsQueued(t *testing.T) {
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	for range 2500 {
		s.Append(Record{Kind: vocab.RecordCall})
	}
	mustClose(t, s)
	s = mustOpen(t, dir, Options{})
	verified(t, s, 2500)
}

func TestCloseSaysWhatItCouldNotWrite(t *testing.T) {
	s, err := Open(home(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left on device")
	s.damaged.Store(&full)
	s.Append(Record{Kind: "drift"})
	if err := s.Close(); !errors.Is(err, full) || !strings.Contains(err.Error(), "1 activity records") {
		t.Errorf("close: %v", err)
	}
}
