package display

import (
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/guardian"
	"github.com/sallyport/sallyport/app/logs"
	"github.com/sallyport/sallyport/app/lost"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/app/wrappers"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// place is a display over a real store and the real departments.
type place struct {
	*Display
	t *testing.T
}

// conn is the connection of a wrapper.
type conn struct{ name string }

func (*conn) Push(control.State) {}

func newPlace(t *testing.T) *place {
	t.Helper()
	home := stage.Home(t)
	if err := home.Make(); err != nil {
		t.Fatal(err)
	}
	o := office.New(office.Options{Now: time.Now, Notify: func(review.Notice) {}, Changed: func() {}, End: func() {}, Raise: func(string) {}})
	var err error
	if o.Store, err = store.Open(home.Dir, store.Options{}); err != nil {
		t.Fatal(err)
	}
	closing, book := make(chan struct{}), logs.New(home.Logs)
	l := lost.New(o, home)
	w := wrappers.New(o, wrappers.Options{Home: home, Logs: book, Lost: l.Code, Idling: func() {}, Closing: closing, Work: &sync.WaitGroup{}})
	k := settings.New(o, settings.Hub{Restand: w.Restand, LookAgain: w.LookAgain, PushAll: w.PushAll}, settings.Options{Home: home, Settle: time.Millisecond, HomeCheck: time.Second, Closing: closing})
	a := approvals.New(o, approvals.Hub{Settings: k.ValuesFor, Wrappers: w.WrappersOf, Wrapper: w.WrapperOf, Refresh: w.Refresh, PushAll: w.PushAll, Rules: k.Rules})
	q := quarantine.New(o, quarantine.Hub{
		Wrapper: w.WrapperOf, AnyWrapper: w.AnyWrapper, NameOf: w.NameOf, Settings: k.ValuesForItem, Retention: k.Retention, Allows: w.AllowsTool,
		Stale: w.MarkStale, PushChanged: w.PushChanged, PushAll: w.PushAll, Rules: k.Rules, Caused: wrappers.Caused,
	})
	nobodys := stage.Machine("linux", t.TempDir())
	g := guardian.New(o, guardian.Hub{PushAll: w.PushAll, AutoProtect: k.AutoProtect, Plaintext: k.Plaintext, Started: w.Starts.Has, NotStarted: w.Starts.Forget}, guardian.Options{
		Home: home, Program: "/usr/bin/sallyport", System: nobodys, Settle: time.Millisecond, HomeCheck: time.Second, Closing: closing,
	})
	w.Join(k, a, q, nil)
	for _, open := range []func() error{o.CheckMarks, k.OpenSettings, q.OpenHeld} {
		if err := open(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		close(closing)
		book.Close()
		if o.Store == nil {
			return // the test lost it
		}
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	welcome := func(control.Peer) control.Welcome { return control.Welcome{Version: "test"} }
	return &place{New(o, Sources{Home: home, Welcome: welcome, Approvals: a, Guardian: g, Held: q, Settings: k, Wrappers: w, Logs: book, Lost: l}), t}
}

// wrap is a wrapper that Claude Desktop started for a server.
func (p *place) wrap(name string, argv ...string) *conn {
	p.t.Helper()
	w := &conn{name}
	_, err := p.from.Wrappers.Register(w, control.Peer{Role: control.RoleWrapper}, control.Register{Client: "claude-desktop", Server: control.ServerRef{Name: name, Transport: "stdio", Argv: append([]string{"npx"}, argv...)}})
	if err != nil {
		p.t.Fatal(err)
	}
	return w
}

// declare makes a wrapper's server declare a tool.
func (p *place) declare(w *conn) {
	p.t.Helper()
	definition := []byte(`{"name":"read","description":"Reads.","inputSchema":{"type":"object"}}`)
	if _, err := p.from.Wrappers.Report(w, control.Report{Era: "legacy", Protocol: "2025-06-18", Items: []pin.Item{{Kind: pin.Tool, Name: "read", Raw: definition}}}); err != nil {
		p.t.Fatal(err)
	}
}

// allow declares a tool and allows it.
func (p *place) allow(w *conn) {
	p.t.Helper()
	p.declare(w)
	items, err := p.Inbox()
	if err != nil || len(items) != 1 {
		p.t.Fatalf("%+v, %v", items, err)
	}
	err = p.office.Updating(func(tx *store.Tx) error {
		it, err := tx.Item(items[0].Code)
		if err != nil {
			return err
		}
		_, err = p.from.Approvals.DecideServer(tx, it, control.Decide{Code: it.Code, Digest: it.Digest, All: true}, &control.Decided{})
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}
