package app

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/calls"
	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/display"
	"github.com/sallyport/sallyport/app/extensions"
	"github.com/sallyport/sallyport/app/flow"
	"github.com/sallyport/sallyport/app/guardian"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/logs"
	"github.com/sallyport/sallyport/app/lost"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/providers"
	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/app/signin"
	"github.com/sallyport/sallyport/app/tasks"
	"github.com/sallyport/sallyport/app/witness"
	"github.com/sallyport/sallyport/app/wrappers"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/policy"
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
	// AllowCLI is --allow-cli-approval. It counts only on a home first created with it, or if a window has turned approvals.cli on, and
	// never for a hub that a wrapper started.
	AllowCLI bool
	Window   bool // the hub lives in the desktop program: decisions are calls inside that process
	Version  string
	Notify   func(review.Notice) // tells a person about pending items, in our words only; nil: no notifications
	// Show raises the window, Changed says that a window may show outdated content. Both must not block, and may be called while the hub is
	// locked. nil without a window.
	Show    func(route string)
	Changed func()
	// Problem is told of each new problem. It must not block, and may be called while the hub is locked.
	Problem func(control.Problem)
	// Damage is what the previous hub found in its store: the store is put aside, and a person decides.
	Damage string

	Now       func() time.Time // time.Now
	Linger    time.Duration    // how long a hub started by a wrapper stays without one; 60 s
	HomeCheck time.Duration    // how often the home is checked; 2 s
	Settle    time.Duration    // how long a watched file must be quiet before it is read; 100 ms
	CopyEvery time.Duration    // how often a new head of the activity chain is copied into Keychain; 5 s

	Keychain witness.Keychain // for a copy of the head of the activity chain; nil: there is none, and nothing moves there

	// Program is the path of sallyport that goes into clients' files; this program's own where empty.
	Program string
	System  clientconfig.System // whose clients are looked at; this machine where Env is nil

	crash func(point string) // for the tests that kill a hub in the middle of a write
}

// Hub answers the control protocol over one home. It implements control.Handler.
type Hub struct {
	opts   Options
	office *office.Office
	*approvals.Approvals
	*calls.Calls
	*guardian.Guardian
	*quarantine.Quarantine
	*settings.Keeper
	*signin.Desk
	*tasks.Tasks
	*wrappers.Wrappers
	*display.Display
	*providers.Providers
	*flow.Flow

	extensions *extensions.Extensions

	lost    *lost.Store
	logs    *logs.Book
	witness *witness.Witness

	done    chan struct{}
	ended   sync.Once
	closing chan struct{} // ends the goroutines of Open
	work    sync.WaitGroup
	closed  sync.Once

	idle *time.Timer
}

// Open opens the home and is ready to answer. An unusable store is not an error: the hub then runs, blocks everything and says why. An
// error means that the home is not ours, or that another hub has it (store.ErrLocked).
func Open(opts Options) (*Hub, error) {
	switch opts.StartedBy {
	case ByPerson, ByWrapper, ByDesktop:
	default:
		return nil, fmt.Errorf("open hub: unknown starter %q", opts.StartedBy)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	opts.Linger = cmp.Or(opts.Linger, 60*time.Second)
	opts.HomeCheck = cmp.Or(opts.HomeCheck, 2*time.Second)
	opts.Settle = cmp.Or(opts.Settle, 100*time.Millisecond)
	opts.CopyEvery = cmp.Or(opts.CopyEvery, 5*time.Second)
	if opts.Program == "" {
		opts.Program, _ = os.Executable() // if unknown, nothing counts as guarded, and protect says so
	}
	if opts.Notify == nil {
		opts.Notify = func(review.Notice) {}
	}
	if opts.Changed == nil {
		opts.Changed = func() {}
	}
	if opts.Problem == nil {
		opts.Problem = func(control.Problem) {}
	}
	opts.AllowCLI = opts.AllowCLI && opts.StartedBy == ByPerson
	opts.System = guardian.System(opts.System)
	if err := opts.Home.Make(); err != nil {
		return nil, fmt.Errorf("open hub: %w", err)
	}
	h := &Hub{
		opts:    opts,
		logs:    logs.New(opts.Home.Logs),
		done:    make(chan struct{}),
		closing: make(chan struct{}),
	}
	h.office = office.New(office.Options{Now: opts.Now, Window: opts.Window, AllowCLI: opts.AllowCLI, Notify: func(n review.Notice) { h.opts.Notify(n) }, Changed: opts.Changed, Told: opts.Problem, End: h.end, Raise: h.raise, Crash: opts.crash})
	h.lost = lost.New(h.office, opts.Home)
	h.witness = h.newWitness()
	h.Providers = providers.New(h.office, providers.Hub{
		Home: opts.Home, Wrapper: func(w control.Wrapper, call string) (*office.Wrapper, error) { return h.WrapperOf(w, call) }, NameOf: func(w *office.Wrapper) string { return h.NameOf(w) }, Settings: func(s store.Server) policy.Values { return h.ValuesFor(s) }, InForce: func() []policy.Values { return h.InForce() },
		Stderr: func(provider string, chunk []byte) { _ = h.logs.Write(providers.LogOf(provider), "", nil, chunk) },
	})
	h.Flow = flow.New(opts.Now, func() { h.KeepFlow() })
	h.Desk = signin.New(h.office, signin.Hub{
		Wrapper: func(w control.Wrapper, call string) (*office.Wrapper, error) { return h.WrapperOf(w, call) }, State: func(w control.Wrapper) (control.State, error) { return h.StateNow(w) },
		Settings: func(s store.Server) policy.Values { return h.ValuesFor(s) }, PushAll: func() { h.PushAll() }, Home: opts.Home, Work: &h.work, Closing: h.closing,
	})
	h.Wrappers = wrappers.New(h.office, wrappers.Options{SignIn: h.SignInState, Flow: h.Flow, Home: opts.Home, Logs: h.logs, Lost: h.lost.Code, Idling: h.idling, Closing: h.closing, Work: &h.work, Guards: h.Providers})
	h.Keeper = settings.New(h.office, settings.Hub{Restand: h.Restand, LookAgain: h.LookAgain, PushAll: h.PushAll, Guards: h.Providers}, settings.Options{
		Home: opts.Home, Settle: opts.Settle, HomeCheck: opts.HomeCheck, Closing: h.closing,
	})
	h.Approvals = approvals.New(h.office, approvals.Hub{
		Settings: h.ValuesFor, Wrappers: h.WrappersOf, Wrapper: h.WrapperOf, Refresh: h.Refresh, PushAll: h.PushAll, Cut: h.Cut, Rules: h.Rules,
	})
	h.Guardian = guardian.New(h.office, guardian.Hub{PushAll: h.PushAll, AutoProtect: h.AutoProtect, Plaintext: h.Plaintext, Started: h.Starts.Has, NotStarted: h.Starts.Forget}, guardian.Options{
		Home: opts.Home, Program: opts.Program, System: opts.System, Settle: opts.Settle, HomeCheck: opts.HomeCheck, Closing: h.closing,
	})
	h.extensions = extensions.New(h.office, h.PushAll, extensions.Options{
		Home: opts.Home, System: opts.System, Asked: func() bool { return len(h.ProtectedFiles()) > 0 },
		Settle: extensionSettles * opts.Settle, Longest: extensionLongest * opts.Settle, HomeCheck: opts.HomeCheck, Closing: h.closing,
	})
	h.Quarantine = quarantine.New(h.office, quarantine.Hub{
		Wrapper: h.WrapperOf, AnyWrapper: h.AnyWrapper, NameOf: h.NameOf, Settings: h.ValuesForItem, Retention: h.Retention, Allows: h.AllowsTool,
		Stale: h.MarkStale, PushChanged: h.PushChanged, PushAll: h.PushAll, Rules: h.Rules, Caused: wrappers.Caused,
	})
	h.Calls = calls.New(h.office, calls.Hub{Wrapper: h.WrapperOf, PushAll: h.PushAll, Flow: h.Flow})
	h.Tasks = tasks.New(h.office, tasks.Hub{Wrapper: h.WrapperOf, Collect: h.CollectTasks})
	h.Join(h.Keeper, h.Approvals, h.Quarantine, h.Tasks)
	h.Display = display.New(h.office, display.Sources{
		Home: opts.Home, Welcome: h.Welcome, Approvals: h.Approvals, Guardian: h.Guardian, Held: h.Quarantine, Settings: h.Keeper, Wrappers: h.Wrappers, Logs: h.logs, Lost: h.lost, Witness: h.witness,
	})
	if err := h.openStore(); err != nil {
		return nil, err
	}
	for _, open := range []func() error{h.OpenSettings, h.OpenRules, h.OpenHeld, h.OpenCalls, h.OpenSignIns} {
		if err := open(); err != nil {
			h.Close()
			return nil, err
		}
	}
	h.office.Lock()
	h.Providers.Reset(true)
	h.office.Unlock()
	h.Starts.Open()
	h.begin()
	return h, nil
}

// An extension has many files, which its client writes one after the other: two seconds of quiet, five at most.
const (
	extensionSettles = 20
	extensionLongest = 50
)

// openStore opens the store, or records why everything stays blocked.
func (h *Hub) openStore() error {
	if h.opts.Damage != "" {
		h.lost.Damaged(errors.New(h.opts.Damage))
		return nil
	}
	s, err := store.Open(h.opts.Home.Dir, store.Options{})
	if err == nil {
		if err = h.trustStore(s); err == nil {
			return nil
		}
		h.office.Store = nil
		s.Close()
	}
	if errors.Is(err, store.ErrLocked) || errors.Is(err, store.ErrFolder) {
		return fmt.Errorf("open hub: %w", err)
	}
	h.lost.Refused(err)
	return nil
}

// trustStore checks an open store before anything in it counts.
func (h *Hub) trustStore(s *store.Store) error {
	if err := lost.Interrupted(s); err != nil {
		return err
	}
	h.office.Store = s
	if err := h.checkSeals(); err != nil {
		return err
	}
	return h.office.CheckMarks()
}

// checkSeals finds what something else wrote into the store. A pin with an invalid seal is never read; if pins were removed or older ones
// restored, no approval of this store counts until a person has confirmed it.
func (h *Hub) checkSeals() error {
	found, err := h.office.Store.Tampered()
	if err != nil || !found.Any() {
		return err
	}
	err = h.office.Store.Update(func(tx *store.Tx) error {
		if found.Rolled {
			if err := errors.Join(distrustPins(tx, h.office.Now()), h.DistrustHeld(tx, h.office.Now()), calls.DistrustCalls(tx), flow.Distrust(tx), extensions.Distrust(tx)); err != nil {
				return err
			}
		}
		if err := tx.Reseal(); err != nil {
			return err
		}
		_, err = tx.Append(h.office.Record(vocab.RecordProblem, vocab.StatusBlocked, store.Record{
			Summary: "something other than Sallyport changed the store; what it approved doesn't count",
			Detail:  office.Detail(map[string]any{"check": "seal", "records": len(found.Records), "rolled": found.Rolled}),
		}))
		return err
	})
	if err != nil {
		return err
	}
	what := fmt.Sprintf("something other than Sallyport changed the store (%d records)", len(found.Records))
	h.office.Problem(office.ProblemTampered, what, "review the items in the inbox again, and find out which program changed "+h.opts.Home.Store)
	if found.Rolled {
		return h.SettleAll()
	}
	return nil
}

// distrustPins takes every approval back.
func distrustPins(tx *store.Tx, now time.Time) error {
	for _, server := range tx.Servers() {
		l, err := ledger.Read(tx, server.ID)
		if err != nil {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(l.Pins)) {
			if _, err := l.TakeBack(tx, key, vocab.BySeal, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close ends the hub and releases store and files. Serving must have ended.
func (h *Hub) Close() error {
	var err error
	h.closed.Do(func() {
		h.end()
		close(h.closing)
		h.work.Wait()
		h.witness.Last()
		h.Providers.Close()
		h.logs.Close()
		if h.office.Store != nil {
			err = h.office.Store.Close()
		}
	})
	return err
}

// Welcome says which hub this is.
func (h *Hub) Welcome(control.Peer) control.Welcome {
	return control.Welcome{
		Protocol: control.Protocol, Version: h.opts.Version, PID: os.Getpid(),
		Window: h.opts.Window, CLIApproval: h.office.TakesCLI(), StartedBy: h.opts.StartedBy,
	}
}

// Damage is what this hub found in its store, for the Options of the next one.
func (h *Hub) Damage() string {
	h.office.Lock()
	defer h.office.Unlock()
	return h.office.Damage()
}

// BeginsAgain reports, once Done is closed, whether another hub should replace this one at once.
func (h *Hub) BeginsAgain() bool {
	h.office.Lock()
	defer h.office.Unlock()
	return h.office.Again()
}

// Foreign records that another program than the proved one wrote on a connection, which never happens by accident.
func (h *Hub) Foreign(f control.Foreign) {
	h.attacked(control.ForeignRecord(f))
}

// Displaced records that another program replaced the hub's socket.
func (h *Hub) Displaced(d control.Displaced) { h.attacked(control.DisplacedRecord(d)) }

func (h *Hub) attacked(told control.Record) {
	if h.office.Store == nil {
		return
	}
	_, err := h.office.Store.AppendNow(h.office.Record(told.Kind, told.Status, store.Record{Summary: told.Summary, Detail: told.Detail}))
	_ = h.office.FailedReading(err)
	h.office.Changed()
}
