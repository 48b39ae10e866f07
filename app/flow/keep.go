package flow

import (
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Load reads what is kept in a store, whose keys derive makes. Calls wait for a moment if servers were heard a short while ago: their wrappers are about to tell it again.
func (f *Flow) Load(tx *store.Tx, derive func(purpose, of string) []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.derive = derive
	for _, u := range tx.Flow().Used() {
		f.known.of[u.Client] = readUsed(u.Values)
	}
	now := f.now()
	if at := tx.Flow().LastHeard(); !at.IsZero() && now.Sub(at) < control.ValuesFor && !at.After(now) {
		f.ready = now.Add(gathering)
	}
}

// Kept is what a store lacks.
type Kept struct {
	used  []store.Used
	heard time.Time
}

// Unkept is what changed since the last call. Keep again what Keep failed to write.
func (f *Flow) Unkept() (k Kept, any bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.known.dirty {
		if u := f.known.of[name]; u != nil {
			k.used = append(k.used, store.Used{Client: name, Values: u.append(nil)})
		}
	}
	k.heard, f.heard = f.heard, time.Time{}
	clear(f.known.dirty)
	return k, len(k.used) > 0 || !k.heard.IsZero()
}

// Keep writes it.
func (k Kept) Keep(tx *store.Tx) error {
	for _, u := range k.used {
		if err := tx.Flow().PutUsed(u); err != nil {
			return err
		}
	}
	if k.heard.IsZero() {
		return nil
	}
	return tx.Flow().HeardAt(k.heard)
}

// Distrust is for a store in which older records were restored: what was used is asked about again.
func Distrust(tx *store.Tx) error {
	for _, u := range tx.Flow().Used() {
		if err := tx.Flow().DeleteUsed(u.Client); err != nil {
			return err
		}
	}
	return nil
}
