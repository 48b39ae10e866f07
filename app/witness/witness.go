// Package witness keeps a copy of the head of the activity chain in the system's keychain. Whoever can write the store can also write a new
// chain that holds in itself; the copy shows that it is not the old one.
//
// Keep runs in the background and is the only goroutine that asks the keychain. It reads the copy, looks for its record in the chain, and
// only then replaces it: a copy that the chain lacks stays for a person to see, and Missing hears of it. The chain may have grown past the
// copy, as it does after a crash. Nothing here waits under a lock, and a keychain that does not answer costs nobody but Keep two seconds.
//
// It knows neither the office nor what is in the records.
package witness

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/store"
)

// Keychain keeps values under names: keychain.Seals of the home.
type Keychain interface {
	Get(ctx context.Context, name string) (string, error)
	Set(ctx context.Context, name, value string) error
}

// entry is the name of the copy.
const entry = "activity"

const (
	// patience is for one look, which reads and may write.
	patience = 2 * time.Second
	// resting is how often a keychain that can't be used is tried again, and a copy that the chain lacks is looked at.
	resting = time.Minute
)

// Options are what a Witness needs. All but Keychain must be set.
type Options struct {
	Keychain Keychain // nil: there is no copy
	Every    time.Duration
	Head     func() (store.Mark, error)
	Holds    func(store.Mark) (bool, error)
	Missing  func(store.Mark) // the chain lacks the record of the copy, or the copy is not ours (zero); called at every look that finds so
	Found    func()           // it doesn't, or no longer
}

// Witness keeps the copy.
type Witness struct {
	opts  Options
	asked chan chan<- Seen
	over  chan struct{} // Keep has ended
	anew  atomic.Bool

	// Of Keep, and of Last after it.
	copied store.Mark
	failed bool // the last look could not use the keychain, or the chain lacked the copy
}

// Seen is what one look at the copy found. Copy is nil if there was none to compare with; Why says why not.
type Seen struct {
	Copy *store.Mark
	Why  string
}

// kept is the copy as the keychain has it.
type kept struct {
	store.Mark
	Anew bool `json:"anew,omitempty"` // a person started over with an empty store
}

var (
	errMissing = errors.New("the chain lacks the record")
	errStrange = errors.New("something else wrote the copy of the head")
)

func New(opts Options) *Witness {
	return &Witness{opts: opts, asked: make(chan chan<- Seen), over: make(chan struct{})}
}

// Keep keeps the copy close to the head until closing.
func (w *Witness) Keep(closing <-chan struct{}) {
	defer close(w.over)
	if w.opts.Keychain == nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		select {
		case <-closing: // a look at a silent keychain ends with the hub
			stop()
		case <-ctx.Done():
		}
	}()
	w.look(ctx)
	timer := time.NewTimer(w.pause())
	defer timer.Stop()
	for {
		select {
		case <-closing:
			return
		case answer := <-w.asked:
			answer <- w.look(ctx)
		case <-timer.C:
			if w.failed || w.grown() {
				w.look(ctx)
			}
		}
		timer.Reset(w.pause())
	}
}

func (w *Witness) pause() time.Duration {
	if w.failed {
		return max(w.opts.Every, resting)
	}
	return w.opts.Every
}

// grown reports whether the chain has another head than the copy.
func (w *Witness) grown() bool {
	head, err := w.opts.Head()
	return err == nil && head.Hash != w.copied.Hash
}

// Look has Keep look now, and says what it found. A caller compares the whole chain with that copy, which is older than the chain.
func (w *Witness) Look(ctx context.Context) Seen {
	if w.opts.Keychain == nil {
		return Seen{}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer := make(chan Seen, 1)
	select {
	case w.asked <- answer:
	case <-w.over:
		return Seen{Why: "the hub is stopping"}
	case <-ctx.Done():
		return Seen{Why: keychain.ErrSilent.Error()}
	}
	select {
	case seen := <-answer:
		return seen
	case <-ctx.Done():
		return Seen{Why: keychain.ErrSilent.Error()}
	}
}

// look reads the copy, compares it, and replaces it if the chain has grown past it.
func (w *Witness) look(ctx context.Context) Seen {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	copied, err := w.read(ctx)
	if err == nil && copied != nil {
		var holds bool
		if holds, err = w.opts.Holds(*copied); err == nil && !holds {
			err = errMissing
		}
	}
	if !errors.Is(err, context.Canceled) { // if the hub ends, Last looks again
		w.failed = err != nil
	}
	switch {
	case errors.Is(err, errMissing):
		w.opts.Missing(*copied)
		return Seen{Copy: copied}
	case errors.Is(err, errStrange):
		w.opts.Missing(store.Mark{})
		return Seen{Why: err.Error()}
	case err != nil:
		return Seen{Why: err.Error()}
	}
	w.opts.Found()
	why := ""
	if copied == nil {
		why = "the keychain had no copy of the head before now"
	}
	if err := w.write(ctx, copied); err != nil {
		w.failed = !errors.Is(err, context.Canceled)
		if copied == nil {
			why = err.Error()
		}
	}
	return Seen{Copy: copied, Why: why}
}

// read is the copy in the keychain, nil if there is none.
func (w *Witness) read(ctx context.Context) (*store.Mark, error) {
	value, err := w.opts.Keychain.Get(ctx, entry)
	if errors.Is(err, keychain.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var k kept
	if err := json.Unmarshal([]byte(value), &k); err != nil || !k.Anew && (k.Sequence == 0 || k.Hash == "") {
		return nil, errStrange
	}
	if k.Anew {
		return nil, nil
	}
	return &k.Mark, nil
}

// write replaces the copy by the head.
func (w *Witness) write(ctx context.Context, copied *store.Mark) error {
	head, err := w.opts.Head()
	if err != nil {
		return err
	}
	if copied != nil {
		w.copied = *copied
	}
	if len(head.ID) > 128 { // the keychain takes no long value
		head.ID = ""
	}
	if head.Sequence == 0 || copied != nil && copied.Hash == head.Hash {
		return nil
	}
	if err := w.put(ctx, kept{Mark: head}); err != nil {
		return err
	}
	w.copied = head
	return nil
}

func (w *Witness) put(ctx context.Context, k kept) error {
	raw, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return w.opts.Keychain.Set(ctx, entry, string(raw))
}

// BeginAgain says that a person started over with an empty store: Last then leaves a note in place of the copy, for the next hub.
func (w *Witness) BeginAgain() { w.anew.Store(true) }

// Last copies the head a last time. Keep must have ended, and nothing may write the chain any more. It does not wait for a keychain that
// could not be used before.
func (w *Witness) Last() {
	if w.opts.Keychain == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	switch {
	case w.anew.Load():
		_ = w.put(ctx, kept{Anew: true}) // without the note, the next hub asks about the old copy
	case !w.failed && w.grown():
		w.look(ctx)
	}
}
