package store

import (
	"fmt"
	"sync"
	"testing"
)

// TestReadingBesideCommitsIsNeverTakenForDamage reads while commits end: a reader that began just before one must not be taken
// for a store that went back.
func TestReadingBesideCommitsIsNeverTakenForDamage(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	commits := 400
	if testing.Short() {
		commits = 100
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := s.View(func(*Tx) error { return nil }); err != nil {
					t.Errorf("a reader beside commits: %v", err)
					return
				}
			}
		})
	}
	for i := range commits {
		if err := s.Update(func(tx *Tx) error { return tx.PutServer(Server{ID: "s", Name: fmt.Sprint(i)}) }); err != nil {
			t.Errorf("commit %d: %v", i, err)
			break
		}
	}
	close(done)
	readers.Wait()
}
