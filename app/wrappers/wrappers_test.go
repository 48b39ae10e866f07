package wrappers

import (
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/logs"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// place is the department over a store of its own, beside the departments that it asks.
type place struct {
	*Wrappers
	t     testing.TB
	n     int
	told  []review.Notice
	ended sync.Once
}

// server is a wrapper of one server, as a test drives it.
type server struct {
	*stage.Ears
	p *place
}

func newHome(t testing.TB) control.Home {
	t.Helper()
	home := stage.Home(t)
	if err := home.Make(); err != nil {
		t.Fatal(err)
	}
	return home
}

func newPlace(t testing.TB) *place {
	t.Helper()
	return open(t, newHome(t))
}

func open(t testing.TB, home control.Home) *place {
	t.Helper()
	p := &place{t: t}
	o := office.New(office.Options{Now: time.Now, Notify: func(n review.Notice) { p.told = append(p.told, n) }, Changed: func() {}, End: func() {}, Raise: func(string) {}})
	var err error
	if o.Store, err = store.Open(home.Dir, store.Options{}); err != nil {
		t.Fatal(err)
	}
	closing := make(chan struct{})
	w := New(o, Options{Home: home, Logs: logs.New(home.Logs), Lost: func() string { return "" }, Idling: func() {}, Closing: closing, Work: &sync.WaitGroup{}})
	p.Wrappers = w
	k := settings.New(o, settings.Hub{Restand: w.Restand, LookAgain: w.LookAgain, PushAll: w.PushAll}, settings.Options{Home: home, Settle: time.Millisecond, HomeCheck: time.Second, Closing: closing})
	a := approvals.New(o, approvals.Hub{Settings: k.ValuesFor, Wrappers: w.WrappersOf, Wrapper: w.WrapperOf, Refresh: w.Refresh, PushAll: w.PushAll, Cut: w.Cut, Rules: k.Rules})
	q := quarantine.New(o, quarantine.Hub{
		Wrapper: w.WrapperOf, AnyWrapper: w.AnyWrapper, NameOf: w.NameOf, Settings: k.ValuesForItem, Retention: k.Retention, Allows: w.AllowsTool,
		Stale: w.MarkStale, PushChanged: w.PushChanged, PushAll: w.PushAll, Rules: k.Rules, Caused: Caused,
	})
	w.Join(k, a, q, nil)
	for _, open := range []func() error{o.CheckMarks, k.OpenSettings, q.OpenHeld} {
		if err := open(); err != nil {
			t.Fatal(err)
		}
	}
	w.Starts.Open()
	t.Cleanup(p.close)
	return p
}

// close ends it as a hub does that stops.
func (p *place) close() {
	p.ended.Do(func() {
		close(p.opts.Closing)
		p.opts.Work.Wait()
		p.opts.Logs.Close()
		if err := p.office.Store.Close(); err != nil {
			p.t.Error(err)
		}
	})
}
