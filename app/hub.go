package app

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Who started a hub.
const (
	ByPerson  = "person"
	ByWrapper = "wrapper"
	ByDesktop = "desktop"
)

// Options of Open. Home and StartedBy must be set; zero values of the rest are what a real hub uses.
type Options struct {
	Home      control.Home
	StartedBy string
	// AllowCLI is --allow-cli-approval. It counts only on a home first made with it, or where a window has switched
	// approvals.cli on, and never for a hub that a wrapper started.
	AllowCLI bool
	Window   bool // the hub lives in the desktop program: decisions are calls inside that process
	Version  string
	Notifier Notifier // nil: nobody is notified
	// Show raises the window, Changed says that something a window shows may be otherwise now. Both must not block, and may
	// be called while the hub is locked. nil where there is no window.
	Show    func(route string)
	Changed func()
	// Damage is what the hub before this one met in its store: the store is put aside, and a person decides.
	Damage string

	Now       func() time.Time // time.Now
	Linger    time.Duration    // how long a hub that a wrapper started stays without one; 60 s
	HomeCheck time.Duration    // how often the home is looked at; 2 s
	Settle    time.Duration    // how long a file that is watched must be quiet before it is read; 100 ms

	// Program is the path of sallyport that goes into clients' files; this program's own where empty.
	Program string
	System  clientconfig.System // whose clients are looked at; this machine where Env is nil

	crash func(point string) // for the tests that kill a hub in the middle of a write
}

// Notifier tells a person that something waits. Its texts are ours alone.
type Notifier interface {
	Notify(review.Notice)
}

// Hub answers the control protocol over one home. It implements control.Handler.
type Hub struct {
	opts  Options
	store *store.Store // nil: it could not be opened, everything is blocked
	lost  *lost        // what a person may decide about that; nil where beginning again would mend nothing
	logs  *logBook
	guard guardian

	starts starts

	quarantine quarantine // h.mu guards what is in it
	clean      cleanSets  // h.mu guards it too
	around     surroundings

	done    chan struct{}
	ended   sync.Once
	closing chan struct{} // ends the goroutines of Open
	orphans chan struct{} // a wrapper has gone: what it wrote down may be nobody's now
	work    sync.WaitGroup
	closed  sync.Once

	mu        sync.Mutex
	revision  uint64
	sessions  map[control.Wrapper]*session
	reports   uint64 // counts reports, to order them
	servers   map[string]*standing
	stale     map[string]bool        // servers whose wrappers may know something old (pushChanged)
	waiting   []store.Item           // what waits, without its parts
	counted   uint64                 // of which number of commits waiting was read
	commits   atomic.Uint64          // of decisions and declarations, not of records
	resting   map[string]resting     // the allowed tools of every server, by id; nil before they were read
	minted    map[string][]time.Time // new codes of the last minute, by server
	withdrawn map[string]string      // code of the item that left last, by server and kind
	flood     map[string][]string    // codes of a flood that are kept, by server and kind
	settings  settings
	own       ownRules
	unseen    unseen
	listers   listers
	files     map[string]pin.FileStamp   // by path: what was in them when they stood like this; nil before the store was asked
	problems  map[string]control.Problem // by code
	cli       bool                       // decisions may come over the socket
	windowOn  bool                       // a window switched approvals.cli on
	leaving   bool
	again     bool   // another hub takes this one's place at once
	damage    string // what was met in the store while it was used
	idle      *time.Timer
}

// Open opens the home and is ready to answer. A store that cannot be opened is no error: the hub then runs, blocks
// everything and says why. An error is a home that is not ours, or another hub that has it (store.ErrLocked).
func Open(opts Options) (*Hub, error) {
	switch opts.StartedBy {
	case ByPerson, ByWrapper, ByDesktop:
	default:
		return nil, fmt.Errorf("open hub: unknown starter %q", opts.StartedBy)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Linger == 0 {
		opts.Linger = 60 * time.Second
	}
	if opts.HomeCheck == 0 {
		opts.HomeCheck = 2 * time.Second
	}
	if opts.Settle == 0 {
		opts.Settle = 100 * time.Millisecond
	}
	if opts.Program == "" {
		opts.Program, _ = os.Executable() // where it cannot be told nothing is taken for guarded, and protect says so
	}
	opts.AllowCLI = opts.AllowCLI && opts.StartedBy == ByPerson
	opts.System = system(opts.System)
	if err := opts.Home.Make(); err != nil {
		return nil, fmt.Errorf("open hub: %w", err)
	}
	h := &Hub{
		opts:       opts,
		logs:       newLogBook(opts.Home.Logs),
		done:       make(chan struct{}),
		closing:    make(chan struct{}),
		orphans:    make(chan struct{}, 1),
		revision:   uint64(opts.Now().UnixMicro()), // grows over restarts too, as wrappers expect
		sessions:   map[control.Wrapper]*session{},
		servers:    map[string]*standing{},
		stale:      map[string]bool{},
		minted:     map[string][]time.Time{},
		flood:      map[string][]string{},
		withdrawn:  map[string]string{},
		problems:   map[string]control.Problem{},
		listers:    listers{of: map[clientProcess]*lister{}},
		quarantine: newQuarantine(),
		unseen:     newUnseen(),
		own:        ownRules{wake: make(chan struct{}, 1)},
		guard:      guardian{wake: make(chan struct{}, 1), looked: map[string]bool{}, lastly: map[string]stamp{}},
	}
	if err := h.openStore(); err != nil {
		return nil, err
	}
	if err := h.openSettings(); err != nil {
		h.Close()
		return nil, err
	}
	if err := h.openRules(); err != nil {
		h.Close()
		return nil, err
	}
	if err := h.openQuarantine(); err != nil {
		h.Close()
		return nil, err
	}
	h.openStarts()
	h.begin()
	return h, nil
}

// openStore takes the store, or says why everything stays blocked.
func (h *Hub) openStore() error {
	if h.opts.Damage != "" {
		h.loseDamaged(errors.New(h.opts.Damage))
		return nil
	}
	s, err := store.Open(h.opts.Home.Dir, store.Options{})
	if err == nil {
		if err = h.trustStore(s); err == nil {
			return nil
		}
		h.store = nil
		s.Close()
	}
	switch {
	case errors.Is(err, store.ErrLocked), errors.Is(err, store.ErrFolder):
		return fmt.Errorf("open hub: %w", err)
	case errors.Is(err, store.ErrCorrupt):
		h.loseDamaged(err)
	case errors.Is(err, store.ErrMissing):
		h.loseMissing(err)
	case errors.Is(err, errBegunAgain):
		h.lose(problemStoreLost, oneLine(err.Error()), "", time.Time{})
	case errors.Is(err, store.ErrSeal):
		h.lose(problemStoreSeal, err.Error(), "", time.Time{})
	case errors.Is(err, store.ErrNewer):
		h.problem(problemStoreNewer, err.Error(), "install the newer version of Sallyport; until then everything is blocked")
	default:
		h.problem(problemStoreUnreadable, err.Error(), "check that the disk isn't full and that you can read and write the data folder, then restart the hub; until then everything is blocked")
	}
	return nil
}

// errBegunAgain: an empty store was begun after a loss, and a kill came before the decision was written into it.
var errBegunAgain = errors.New("an earlier store was lost, and starting over was interrupted")

// trustStore looks at what an open store says about itself before anything of it counts.
func (h *Hub) trustStore(s *store.Store) error {
	loss, err := s.Loss()
	switch {
	case err != nil:
		return err
	case loss != nil:
		return fmt.Errorf("%w: %s", errBegunAgain, loss.Why)
	}
	h.store = s
	if err := h.checkSeals(); err != nil {
		return err
	}
	return h.checkMarks()
}

// metaCLI is the mark of a home first made with --allow-cli-approval, metaWindowCLI that a window switched approvals.cli on.
const (
	metaCLI       = "cli"
	metaWindowCLI = "approvals.cli"
)

// checkMarks settles whether decisions may come over the socket.
func (h *Hub) checkMarks() error {
	marked := false
	err := h.update(func(tx *store.Tx) (bool, error) {
		if h.opts.AllowCLI && h.store.Fresh() {
			marked = true
			return true, tx.SetMeta(metaCLI, []byte("1"))
		}
		for _, name := range []string{metaCLI, metaWindowCLI} {
			value, err := tx.Meta(name)
			switch {
			case err == nil:
				h.windowOn = h.windowOn || name == metaWindowCLI && string(value) == "on"
				marked = marked || name == metaCLI || h.windowOn
			case !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrSeal):
				return false, err
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("open hub: %w", err)
	}
	if marked && !h.windowOn {
		if err := h.store.KeepMark(metaCLI); err != nil {
			h.problem(problemStoreWrite, err.Error(), "check that the disk isn't full and that you can write to the data folder")
		}
	}
	h.marked(marked)
	return nil
}

// marked settles whether decisions may come over the socket of a home that has the mark, or has not.
func (h *Hub) marked(is bool) {
	asked := h.opts.AllowCLI && !h.opts.Window
	h.cli = asked && is
	if h.cli == asked {
		return
	}
	h.problem(problemCLIIgnored, "--allow-cli-approval is ignored: this data folder was not created with it", "decide in the window, or turn on approvals.cli there")
}

// setWindowOn is what a window switched approvals.cli to.
func (h *Hub) setWindowOn(on bool) { h.windowOn = on }

// checkSeals finds what something else wrote into the store. A pin whose seal does not hold is never read; where pins were
// taken away or older ones brought back, no approval of this store is believed: each waits for a person again.
func (h *Hub) checkSeals() error {
	found, err := h.store.Tampered()
	if err != nil || !found.Any() {
		return err
	}
	now := h.opts.Now()
	err = h.store.Update(func(tx *store.Tx) error {
		servers, err := tx.Servers()
		if err != nil {
			return err
		}
		for _, server := range servers {
			if !found.Rolled {
				break
			}
			pins, _, err := tx.Pins(server.ID)
			if err != nil {
				return err
			}
			for _, p := range pins {
				if p.State != vocab.PartApproved {
					continue
				}
				ledger.TakeBack(&p, now)
				if err := errors.Join(tx.PutPin(p), tx.AddHistory(store.Event{ServerID: p.ServerID, Item: p.Item, Era: p.Era, At: now, Action: "block", By: "seal", Digest: p.Digest})); err != nil {
					return err
				}
			}
		}
		if found.Rolled {
			if err := h.distrustHeld(tx, now); err != nil {
				return err
			}
		}
		if err := tx.Reseal(); err != nil {
			return err
		}
		_, err = tx.Append(h.record(vocab.RecordProblem, vocab.StatusBlocked, store.Record{
			Summary: "something other than Sallyport changed the store; what it approved doesn't count",
			Detail:  detail(map[string]any{"check": "seal", "records": len(found.Records), "rolled": found.Rolled}),
		}))
		return err
	})
	if err != nil {
		return err
	}
	what := fmt.Sprintf("something other than Sallyport changed the store (%d records)", len(found.Records))
	h.problem(problemTampered, what, "review the items in the inbox again, and find out which program changed "+h.opts.Home.Store)
	if found.Rolled {
		return h.settleAll()
	}
	return nil
}

// Close ends the hub: what is queued is written, store and files are given back. Serving must have ended.
func (h *Hub) Close() error {
	var err error
	h.closed.Do(func() {
		h.end()
		close(h.closing)
		h.work.Wait()
		h.logs.close()
		if h.store != nil {
			err = h.store.Close()
		}
	})
	return err
}

// Welcome says which hub this is.
func (h *Hub) Welcome(control.Peer) control.Welcome {
	return control.Welcome{
		Protocol: control.Protocol, Version: h.opts.Version, PID: os.Getpid(),
		Window: h.opts.Window, CLIApproval: h.cli, StartedBy: h.opts.StartedBy,
	}
}

// errNothing ends a transaction in which there was nothing to write: no commit, no fsync.
var errNothing = errors.New("nothing to write")

// update is commit, for callers that hold h.mu: a commit that the disk took ends the problem of one that it did not.
func (h *Hub) update(f func(*store.Tx) (wrote bool, err error)) error {
	var some bool
	err := h.commit(func(tx *store.Tx) (wrote bool, err error) {
		wrote, err = f(tx)
		some = wrote
		return wrote, err
	})
	if err == nil && some {
		h.solved(problemStoreWrite)
	}
	return err
}

// commit runs f in a transaction; it says whether it wrote anything.
func (h *Hub) commit(f func(*store.Tx) (wrote bool, err error)) error {
	err := h.store.Update(func(tx *store.Tx) error {
		wrote, err := f(tx)
		if err == nil && !wrote {
			return errNothing
		}
		return err
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	if err == nil {
		h.commits.Add(1)
		h.changed()
	}
	return err
}

// usable says whether a call can be answered at all.
func (h *Hub) usable() error {
	if h.leaving {
		return &control.Error{Code: control.CodeUnavailable, Message: "the hub is stopping; try again in a moment"}
	}
	if !h.works() {
		return &control.Error{Code: control.CodeUnavailable, Message: "the store can't be read, so everything is blocked; run `sallyport status` to see why"}
	}
	return nil
}

// works says that there is a store that can be believed.
func (h *Hub) works() bool { return h.store != nil && h.damage == "" }

// failed turns an error of the store into an answer, and into a problem that status names.
func (h *Hub) failed(err error) error {
	var answer *control.Error
	if err == nil || errors.As(err, &answer) {
		return err
	}
	if errors.Is(err, store.ErrCorrupt) {
		h.damaged(err)
		return &control.Error{Code: control.CodeUnavailable, Message: "the store is damaged, so everything is blocked; run `sallyport status` to see what to do"}
	}
	h.problem(problemStoreWrite, err.Error(), "check that the disk isn't full and that you can write to the data folder; what you allowed still works, everything else is blocked")
	return &control.Error{Code: control.CodeUnavailable, Message: "the store can't be used: " + oneLine(err.Error())}
}

// damaged ends this hub for one that puts the store aside: a store that cannot be read is never worked with any further.
// The caller holds h.mu.
func (h *Hub) damaged(err error) {
	if h.damage == "" {
		h.damage = oneLine(err.Error())
		h.leave(true)
	}
}

// openedDamaged is damaged while the hub opens: it is made, and gives way at once.
func (h *Hub) openedDamaged(err error) error {
	h.damaged(err)
	return nil
}

// damageMet is what was met in the store while it was used, "" for nothing.
func (h *Hub) damageMet() string { return h.damage }

// Damage is what this hub met in its store, for Options of the one that takes its place.
func (h *Hub) Damage() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.damageMet()
}

func answer(code int, format string, args ...any) error {
	return &control.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func absent(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrSeal)
}
