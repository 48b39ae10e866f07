package quarantine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

func TestOfWhatWaitsNoMoreTheOldestAreForgotten(t *testing.T) {
	var held []store.Held
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for n := range maxHeldKnown + 3 {
		held = append(held, store.Held{Code: fmt.Sprint("D", n), State: vocab.HeldDiscarded, Decided: at.Add(time.Duration(n) * time.Second)})
	}
	held = append(held, store.Held{Code: "W", State: vocab.HeldWaiting}, store.Held{Code: "R", State: vocab.HeldReleased, Decided: at.Add(-time.Hour)}, store.Held{Code: "T", State: vocab.HeldTaken, Decided: at.Add(-time.Hour)})
	codes := func(before time.Time) (all []string) {
		for _, one := range forgottenHeld(held, before) {
			all = append(all, one.Code)
		}
		return all
	}
	if got := codes(time.Time{}); !slices.Equal(got, []string{"D0", "D1", "D2"}) {
		t.Errorf("too many: %v go", got)
	}
	if got := codes(at.Add(5 * time.Second)); !slices.Equal(got, []string{"D0", "D1", "D2", "D3", "D4"}) {
		t.Errorf("too old: %v go", got)
	}
}

func TestWhatWaitsNoMoreIsForgottenWhileTheHubRuns(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	kept, err := store.Open(home, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	o := office.New(office.Options{Now: time.Now, Changed: func() {}})
	o.Store = kept
	q := New(o, Hub{})
	o.Lock()
	for n := range maxHeldKnown + maxHeldKnown/10 + 1 {
		q.put(store.Held{Code: fmt.Sprint("D", n), ID: fmt.Sprint(n), State: vocab.HeldDiscarded, Decided: o.Now().Add(time.Duration(n) * time.Second)})
	}
	o.Unlock()
	q.Tend()
	o.Lock()
	defer o.Unlock()
	if n := len(q.all); n != maxHeldKnown {
		t.Errorf("%d are known", n)
	}
	if _, there := q.all["D0"]; there {
		t.Error("the oldest is not forgotten")
	}
}
