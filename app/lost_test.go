package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

// ruin are the ways to lose a store after which a person can start over.
var ruin = map[string]struct {
	do      func(t testing.TB, home control.Home)
	problem string
	marked  bool // the home's mark can still be proved
}{
	"the store is no store any more": {func(t testing.TB, home control.Home) { write(t, home.Store, strings.Repeat("no store ", 4000)) }, office.ProblemStoreDamaged, true},
	"the store is cut": {func(t testing.TB, home control.Home) {
		must(t, os.Truncate(home.Store, 20_000))
	}, office.ProblemStoreDamaged, true},
	"the store is empty":               {func(t testing.TB, home control.Home) { must(t, os.Truncate(home.Store, 0)) }, office.ProblemStoreMissing, true},
	"the store is gone beside its key": {func(t testing.TB, home control.Home) { must(t, os.Remove(home.Store)) }, office.ProblemStoreMissing, true},
	"the key is gone":                  {func(t testing.TB, home control.Home) { must(t, os.Remove(filepath.Join(home.Dir, "seal.key"))) }, office.ProblemStoreSeal, false},
	"the key is another": {func(t testing.TB, home control.Home) {
		write(t, filepath.Join(home.Dir, "seal.key"), strings.Repeat("k", 32))
	}, office.ProblemStoreSeal, false},
	"the store is gone and so is its mark": {func(t testing.TB, home control.Home) {
		must(t, os.Remove(home.Store))
		must(t, os.Remove(filepath.Join(home.Dir, "home.mark")))
	}, office.ProblemStoreMissing, false},
}

func TestAPersonBeginsAgainAfterALostStore(t *testing.T) {
	for name, r := range ruin {
		t.Run(name, func(t *testing.T) {
			home := newHome(t)
			p := open(t, home, nil)
			w := p.wrap("weather")
			w.report(tool("a", "one"))
			p.approve(p.item())
			p.Close()
			r.do(t, home)
			before := filesOf(t, home.Dir)

			q := open(t, home, nil)
			lost := q.item()
			if lost.Kind != "guard_problem" || q.office.Stands(r.problem).Code == "" {
				t.Fatalf("item %+v, problems %+v", lost, q.office.Problems())
			}
			q.Close()
			q = open(t, home, nil) // another hub shows the same item
			if again := q.item(); r.problem != office.ProblemStoreMissing && r.problem != office.ProblemStoreSeal && (again.Code != lost.Code || again.Digest != lost.Digest) {
				t.Fatalf("item %+v, then %+v", lost, again)
			}
			lost = q.item()
			if decided, err := q.DecidedSince(time.Time{}); err != nil || len(decided) != 0 {
				t.Fatalf("decided %+v, %v: a window shows it beside what waits", decided, err)
			}
			shown, err := q.Item(lost.Code)
			if err != nil || len(shown.Details) != 1 || shown.Details[0].Item != control.PartStore || shown.Digest != lost.Digest {
				t.Fatalf("shown %+v, %v", shown, err)
			}
			yes := control.Decide{Code: lost.Code, Digest: lost.Digest}
			wantError(t, errOf(q.Decide(inside, yes)), control.CodeDescends)
			wantError(t, errOf(q.Decide(person, control.Decide{Code: "ZZZZ", Digest: lost.Digest})), control.CodeUnavailable)
			if !r.marked {
				wantError(t, errOf(q.Decide(person, yes)), control.CodeNotHere)
				if q.Welcome(person).CLIApproval {
					t.Fatal("a mark that nothing proves counts")
				}
			} else {
				wantError(t, errOf(q.Decide(person, control.Decide{Code: lost.Code})), control.CodeBadRequest)
				wantError(t, errOf(q.Decide(person, control.Decide{Code: lost.Code, Digest: "other"})), control.CodeStale)
				wantError(t, errOf(q.Decide(person, control.Decide{Code: lost.Code, Digest: lost.Digest, Reject: true})), control.CodeBadRequest)
			}
			decide := func() (control.Decided, error) { return q.Decide(person, yes) }
			if !r.marked {
				decide = func() (control.Decided, error) { return q.Decide(window, yes) }
			}
			out, err := decide()
			if err != nil || !slices.Equal(out.Approved, []string{control.PartStore}) {
				t.Fatalf("decided %+v, %v", out, err)
			}
			if !done(q.Hub) || !q.BeginsAgain() {
				t.Fatal("the hub stays as it was")
			}
			wantError(t, errOf(decide()), control.CodeUnavailable)
			q.Close()
			for name, raw := range before {
				if raw != "" && !strings.HasSuffix(name, "store.lost") && !slices.Contains(slices.Collect(values(filesOf(t, home.Dir))), raw) {
					t.Errorf("%s is lost", name)
				}
			}

			again := open(t, home, nil)
			if got := again.Welcome(person).CLIApproval; got != r.marked {
				t.Errorf("decisions from the command line: %t", got)
			}
			s, err := again.Status()
			if err != nil || r.marked && len(s.Problems) != 0 || len(s.Waiting) != 0 {
				t.Fatalf("status %+v, %v", s, err)
			}
			w = again.wrap("weather")
			w.report(tool("a", "one"))
			if served(w.Last(t), tool("a", "one")) {
				t.Fatal("what the lost store allowed is allowed")
			}
			if got := again.records("approval"); len(got) != 1 || got[0].Code != lost.Code {
				t.Fatalf("records %+v", got)
			}
			if v, err := again.Verify(); err != nil || v.Bad != "" {
				t.Fatalf("chain %+v, %v", v, err)
			}
		})
	}
}

func values(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

func TestAGoodStorePutBackIsNotReplacedByAnEmptyOne(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	w := p.wrap("weather")
	w.report(tool("a", "one"))
	p.approve(p.item())
	p.Close()
	must(t, os.Rename(home.Store, home.Store+".away"))
	q := open(t, home, nil)
	must(t, os.Rename(home.Store+".away", home.Store))
	lost := q.item()
	wantError(t, errOf(q.Decide(person, control.Decide{Code: lost.Code, Digest: lost.Digest})), control.CodeStale)
	q.Close()
	again := open(t, home, nil)
	w = again.wrap("weather")
	w.report(tool("a", "one"))
	if !served(w.Last(t), tool("a", "one")) {
		t.Fatal("what was allowed is not any more")
	}
}

// A store that breaks while it is used is noticed by a call: the hub gives way to one that blocks everything and asks, instead of failing
// every call from then on. Either a reader or a writer can notice first.
func TestDamageMetInUseBlocksEverythingAndAsks(t *testing.T) {
	for damage, do := range map[string]func(t *testing.T, path string){
		"noise behind the meta pages": func(t *testing.T, path string) { noiseFrom(t, path, 8192) },
		"noise all over":              func(t *testing.T, path string) { noiseFrom(t, path, 0) },
		"cut":                         func(t *testing.T, path string) { must(t, os.Truncate(path, 8192)) },
		"emptied":                     func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) },
	} {
		for first, use := range map[string]func(p *place){
			"a reader": func(p *place) { p.Inbox(); p.Verify() },
			"a writer": func(p *place) {
				p.SetSetting(person, control.SettingQuery{Key: "pins.recheck", Value: "0", Decided: true})
				p.Block(person, control.Block{Server: "weather"})
			},
		} {
			t.Run(damage+", met by "+first, func(t *testing.T) {
				t.Parallel()
				home := newHome(t)
				p := open(t, home, nil)
				w := p.wrap("weather")
				w.report(tool("a", "one"))
				p.approve(p.item())
				do(t, home.Store)
				use(p)
				if !done(p.Hub) || !p.BeginsAgain() || p.Damage() == "" {
					t.Fatalf("it goes on: %+v", p.office.Problems())
				}
				p.Close()
				q := open(t, home, func(o *Options) { o.Damage = p.Damage() })
				lost := q.item()
				if lost.Kind != "guard_problem" || q.office.Stands(office.ProblemStoreDamaged).Code == "" {
					t.Fatalf("item %+v, problems %+v", lost, q.office.Problems())
				}
				q.approve(lost)
				q.Close()
				again := open(t, home, nil)
				w = again.wrap("weather")
				w.report(tool("a", "one"))
				if it := again.item(); it.Kind != "new_server" || served(w.Last(t), tool("a", "one")) {
					t.Fatalf("after the loss: %+v", it)
				}
			})
		}
	}
}

// noiseFrom leaves the length in the head of each page 0: a commit that is just under way believes the one of the list of free pages,
// and would take tens of gigabytes for noise there. Where none is under way, package store looks first.
func noiseFrom(t *testing.T, path string, from int64) {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	noise := []byte(strings.Repeat("noise", int(info.Size()-from)/5))
	for page := 0; page+16 <= len(noise); page += 4096 {
		clear(noise[page+12 : page+16])
	}
	_, err = f.WriteAt(noise, from)
	must(t, err)
	must(t, f.Close())
}
