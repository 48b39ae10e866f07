package settings

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

var (
	person, inside              = stage.Person, stage.Inside
	newHome, write, replace     = stage.Home, stage.Write, stage.Replace
	wantError, eventually       = stage.WantError, stage.Eventually
	ruleFor, nameOf, ruleFileAt = stage.RuleFor, stage.RuleSet, stage.RuleFile
)

// room is the department over a real store, following real files.
type room struct {
	*Keeper
	t     testing.TB
	home  control.Home
	close func()
}

func newRoom(t testing.TB) *room {
	t.Helper()
	return roomAt(t, newHome(t), true)
}

func roomAt(t testing.TB, home control.Home, cli bool) *room {
	t.Helper()
	if err := home.Make(); err != nil {
		t.Fatal(err)
	}
	kept, err := store.Open(home.Dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := office.New(office.Options{Now: time.Now, AllowCLI: cli, Notify: func(review.Notice) {}, Changed: func() {}, End: func() {}})
	o.Store = kept
	closing := make(chan struct{})
	nothing := func() error { return nil }
	r := &room{t: t, home: home}
	r.Keeper = New(o, Hub{Restand: nothing, LookAgain: nothing, PushAll: func() {}}, Options{Home: home, Settle: time.Millisecond, HomeCheck: 20 * time.Millisecond, Closing: closing})
	if err := errors.Join(o.CheckMarks(), r.OpenSettings(), r.OpenRules()); err != nil {
		t.Fatal(err)
	}
	var following sync.WaitGroup
	following.Go(r.WatchSettings)
	following.Go(r.WatchRules)
	r.close = sync.OnceFunc(func() {
		close(closing)
		following.Wait()
		if err := kept.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	t.Cleanup(r.close)
	return r
}

// again is the department after a restart.
func (r *room) again() *room {
	r.t.Helper()
	r.close()
	return roomAt(r.t, r.home, true)
}

func (r *room) setting(key string) string {
	r.t.Helper()
	rows, err := r.Settings(control.SettingQuery{Key: key})
	if err != nil || len(rows) != 1 {
		r.t.Fatalf("%s: %+v, %v", key, rows, err)
	}
	return rows[0].Value
}

func (r *room) set(key, value string) {
	r.t.Helper()
	if _, err := r.SetSetting(person, control.SettingQuery{Key: key, Value: value, Decided: true}); err != nil {
		r.t.Fatalf("set %s: %v", key, err)
	}
}

// waiting lists the pending items.
func (r *room) waiting() (items []store.Item) {
	r.t.Helper()
	err := r.office.Viewing(func(tx *store.Tx) error {
		items = tx.Waiting()
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return items
}

func (r *room) waits() int { return len(r.waiting()) }

// item is the only pending item.
func (r *room) item() store.Item {
	r.t.Helper()
	items := r.waiting()
	if len(items) != 1 {
		r.t.Fatalf("%d items wait, not one: %+v", len(items), items)
	}
	return items[0]
}

func (r *room) quiet() {
	r.t.Helper()
	if items := r.waiting(); len(items) != 0 {
		r.t.Fatalf("something waits: %+v", items)
	}
}

// decide carries out a decision as the hub does: in one transaction, and the rest once that is on disk.
func (r *room) decide(d control.Decide) (out control.Decided, err error) {
	r.office.Lock()
	defer r.office.Unlock()
	var apply func()
	err = r.office.Update(func(tx *store.Tx) (wrote bool, err error) {
		it, err := office.Decidable(tx, d)
		if err == nil {
			wrote, apply, err = r.DecideSettings(tx, it, d, &out)
		}
		return wrote, err
	})
	if err == nil && apply != nil {
		apply()
	}
	return out, r.office.Failed(err)
}

func (r *room) approve(it store.Item, items ...string) control.Decided {
	r.t.Helper()
	d, err := r.decide(control.Decide{Code: it.Code, Digest: it.Digest, Items: items})
	if err != nil {
		r.t.Fatalf("approve %s: %v", it.Code, err)
	}
	return d
}

func (r *room) reject(it store.Item) {
	r.t.Helper()
	if _, err := r.decide(control.Decide{Code: it.Code, Digest: it.Digest, Reject: true}); err != nil {
		r.t.Fatalf("reject %s: %v", it.Code, err)
	}
}

// problem is the current problem with a code, "" for none.
func (r *room) problem(code string) string {
	r.office.Lock()
	defer r.office.Unlock()
	return r.office.Stands(code).What
}

func (r *room) ruleSet() string      { return r.Rules().RuleSet() }
func (r *room) rulesProblem() string { return r.problem(office.ProblemRules) }

func states(it store.Item) string {
	var parts []string
	for _, p := range it.Parts {
		parts = append(parts, p.Item+"="+string(p.State))
	}
	return strings.Join(parts, " ")
}

func errOf[T any](_ T, err error) error { return err }
