package app

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/keychain/ring"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// witnessed opens a hub on a home whose head is copied into the keychain on the bus of the test.
func witnessed(t *testing.T, home control.Home) *place {
	t.Helper()
	return open(t, home, func(o *Options) {
		o.Keychain, o.CopyEvery, o.AllowCLI = keychain.Seals(home.Dir), time.Millisecond, true
	})
}

func (p *place) close() {
	p.t.Helper()
	if err := p.Close(); err != nil {
		p.t.Fatal(err)
	}
}

// note appends a record, as a call of a wrapper does.
func (p *place) note(summary string) {
	p.t.Helper()
	if _, err := p.office.Store.AppendNow(p.office.Record(vocab.RecordCall, vocab.StatusOK, control.Record{Summary: summary})); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) verified() control.Verified {
	p.t.Helper()
	v, err := p.Verify()
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

// lacks reports whether the hub says that the chain lacks the head in the keychain.
func (p *place) lacks() bool {
	p.t.Helper()
	status, err := p.Status()
	if err != nil {
		p.t.Fatal(err)
	}
	return slices.ContainsFunc(status.Problems, func(problem control.Problem) bool { return problem.Code == office.ProblemHead })
}

func TestVerifySaysUntouchedOnlyWithAHeadFromTheKeychain(t *testing.T) {
	ring.StartBus(t, "").Keyring()
	home := newHome(t)
	without := open(t, home, nil)
	without.note("before")
	if v := without.verified(); v.Bad != "" || v.Sealed || v.Unsealed != "" {
		t.Errorf("without a keychain: %+v", v)
	}
	without.close()

	p := open(t, home, func(o *Options) { o.Keychain, o.CopyEvery = keychain.Seals(home.Dir), time.Hour })
	eventually(t, "the copy", func() bool { v := p.verified(); return v.Sealed && v.Bad == "" }) // the first look has made the copy, so this reads it
	p.note("later")                                                                              // an hour may pass before the copy has it
	if v := p.verified(); v.Bad != "" || !v.Sealed || v.Records != 2 {
		t.Errorf("with a copy that is older than the chain: %+v", v)
	}
	other := witnessed(t, newHome(t))
	other.note("of another home")
	eventually(t, "the copy", func() bool { return other.verified().Sealed })
	if p.lacks() || other.lacks() || !p.verified().Sealed {
		t.Error("two homes share a copy")
	}
}

// A hub that is killed has not copied the newest records. That is no reason for an alarm.
func TestRecordsAfterTheCopyAreFine(t *testing.T) {
	ring.StartBus(t, "").Keyring()
	home := newHome(t)
	p := witnessed(t, home)
	p.note("copied at the end")
	p.close()
	killed := open(t, home, nil) // it copies nothing, like one that was killed in time
	killed.note("not copied")
	killed.close()
	p = witnessed(t, home)
	if v := p.verified(); v.Bad != "" || !v.Sealed || v.Records != 2 || p.lacks() {
		t.Errorf("%+v, problem %v", v, p.lacks())
	}
}

func TestAStoreFromABackupIsFoundByTheKeychain(t *testing.T) {
	ring.StartBus(t, "").Keyring()
	home := newHome(t)
	p := witnessed(t, home)
	p.note("old")
	p.close()
	backup, err := os.ReadFile(home.Store)
	if err != nil {
		t.Fatal(err)
	}
	p = witnessed(t, home)
	p.note("new")
	p.note("newest")
	p.close()
	if err := os.WriteFile(home.Store, backup, 0o600); err != nil {
		t.Fatal(err)
	}

	for range 2 { // the second hub knows as much, and does not repeat it in the timeline
		p = witnessed(t, home)
		eventually(t, "a problem", p.lacks)
		v := p.verified()
		if v.Sealed || v.Bad == "" || !strings.Contains(v.Reason, "an older store was put in its place") {
			t.Errorf("verify does not say so: %+v", v)
		}
		told := 0
		all, err := p.Activity(control.ActivityQuery{Kind: string(vocab.RecordProblem), Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all.Items {
			var detail struct{ Check string }
			if err := json.Unmarshal(r.Detail, &detail); err == nil && detail.Check == "head" {
				told++
			}
		}
		if told != 1 {
			t.Errorf("the timeline says so %d times", told)
		}
		p.close()
	}

	// Whoever put it back deletes the copy, and the next look makes a new one.
	if err := keychain.Seals(home.Dir).Delete(context.Background(), "activity"); err != nil {
		t.Fatal(err)
	}
	p = witnessed(t, home)
	eventually(t, "the copy", func() bool { return p.verified().Sealed })
	if p.lacks() {
		t.Error("the problem stays")
	}
}

func TestTheNewestRecordsTakenAwayFromARunningHubAreNotCopied(t *testing.T) {
	bus := ring.StartBus(t, "")
	bus.Keyring()
	home := newHome(t)
	seals := keychain.Seals(home.Dir)
	p := witnessed(t, home)
	p.note("first")
	eventually(t, "the copy", func() bool { return p.verified().Sealed })
	forged := `{"sequence":1,"records":1,"hash":"` + strings.Repeat("0", 64) + `","time":"2026-01-02T03:04:05Z"}`
	for name, value := range map[string]string{"of another chain": forged, "that is no head": "something else"} {
		if err := seals.Set(context.Background(), "activity", value); err != nil {
			t.Fatal(err)
		}
		p.note(name)
		eventually(t, "a problem", p.lacks)
		p.verified()
		if now, err := seals.Get(context.Background(), "activity"); err != nil || now != value {
			t.Errorf("a copy %s was replaced by %s (%v)", name, now, err)
		}
	}
}

// A keychain that can't be used costs nobody anything: the hub opens, answers, says so and ends.
func TestAHubWorksWithoutItsKeychain(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T)
		says string
	}{
		{"absent", func(t *testing.T) { ring.StartBus(t, "") }, keychain.ErrAbsent.Error()},
		{"locked", func(t *testing.T) { bus := ring.StartBus(t, ""); bus.Keyring(); bus.Lock() }, keychain.ErrLocked.Error()},
		{"refused", func(t *testing.T) { ring.StartBus(t, ring.Refusing).Silent() }, keychain.ErrRefused.Error()},
		{"silent", func(t *testing.T) { ring.StartBus(t, "").Silent() }, keychain.ErrSilent.Error()},
		{"off", func(t *testing.T) { t.Setenv(keychain.Variable, "off") }, keychain.ErrOff.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.make(t)
			p := witnessed(t, newHome(t))
			p.wrap("weather").report(tool("get", "gets"))
			if v := p.verified(); v.Bad != "" || v.Sealed || !strings.HasPrefix(v.Unsealed, c.says) {
				t.Errorf("%+v", v)
			}
			if p.lacks() {
				t.Error("a keychain that can't be used counts as one with another head")
			}
			p.close()
		})
	}
}

// On a full disk there is no store, and the hub says so and blocks everything until it is ended.
func TestAHubWithoutAUsableStoreEndsAsAnyOther(t *testing.T) {
	ring.StartBus(t, "").Keyring()
	home := newHome(t)
	p := witnessed(t, home)
	p.note("before")
	eventually(t, "the copy", func() bool { return p.verified().Sealed })
	p.close()
	if err := os.WriteFile(home.Store, []byte("not a store"), 0o600); err != nil {
		t.Fatal(err)
	}
	witnessed(t, home).close()
}

func TestStartingOverWithAnEmptyStoreIsNoAlarm(t *testing.T) {
	ring.StartBus(t, "").Keyring()
	home := newHome(t)
	p := witnessed(t, home)
	p.note("of the store that is lost")
	eventually(t, "the copy", func() bool { return p.verified().Sealed })
	p.close()
	if err := os.WriteFile(home.Store, []byte("not a store"), 0o600); err != nil {
		t.Fatal(err)
	}
	p = witnessed(t, home)
	items, err := p.Inbox()
	if err != nil || len(items) != 1 {
		t.Fatalf("%+v, %v", items, err)
	}
	if _, err := p.Decide(person, control.Decide{Code: items[0].Code, Digest: items[0].Digest, All: true}); err != nil {
		t.Fatal(err)
	}
	p.close()
	p = witnessed(t, home)
	eventually(t, "the copy", func() bool { v := p.verified(); return v.Sealed && v.Bad == "" })
	if p.lacks() {
		t.Error("the new store is taken for an older one")
	}
}
