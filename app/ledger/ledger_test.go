package ledger

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// shelf is a real store with the server "s", and a clock that advances a minute with each step.
type shelf struct {
	*store.Store
	t   *testing.T
	now time.Time
}

func open(t *testing.T) *shelf {
	t.Helper()
	kept, err := store.Open(t.TempDir()+"/home", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	s := &shelf{kept, t, time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
	if err := kept.Update(func(tx *store.Tx) error { return tx.PutServer(store.Server{ID: "s", Name: "weather"}) }); err != nil {
		t.Fatal(err)
	}
	return s
}

// do reads the ledger, changes it in one transaction, and returns it as read by the next.
func (s *shelf) do(change func(tx *store.Tx, l *Ledger) error) (l *Ledger) {
	s.t.Helper()
	s.now = s.now.Add(time.Minute)
	err := s.Update(func(tx *store.Tx) error {
		before, err := Read(tx, "s")
		if err != nil {
			return err
		}
		if err := change(tx, before); err != nil {
			return err
		}
		l, err = Read(tx, "s")
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return l
}

// sees makes the server declare these definitions, by the keys of their items.
func (s *shelf) sees(definitions map[string]string) *Ledger {
	s.t.Helper()
	return s.do(func(tx *store.Tx, l *Ledger) error {
		declared := map[string]*review.Declaration{}
		for key, text := range definitions {
			declared[key] = &review.Declaration{Key: key, Era: "legacy", Digest: pin.Digest("digest of " + text), Raw: []byte(text)}
		}
		return l.See(tx, "legacy", declared, s.now)
	})
}

func (s *shelf) approves(key string) *Ledger {
	s.t.Helper()
	return s.do(func(tx *store.Tx, l *Ledger) error { return l.Approve(tx, l.Seen[key][0], "CODE", s.now) })
}

func (s *shelf) rejects(key string) *Ledger {
	s.t.Helper()
	return s.do(func(tx *store.Tx, l *Ledger) error {
		return l.Reject(tx, l.Seen[key][0], vocab.PartChanged, "CODE", s.now)
	})
}

const one = "tool:one"

func TestWhatIsAsItWasIsNotWrittenAgain(t *testing.T) {
	s := open(t)
	first := s.sees(map[string]string{one: "a"})
	s.do(func(tx *store.Tx, l *Ledger) error {
		d := &review.Declaration{Key: one, Era: "legacy", Digest: "digest of a", Raw: []byte("a")}
		if err := l.See(tx, "legacy", map[string]*review.Declaration{one: d}, s.now); err != nil || l.Wrote {
			t.Errorf("wrote: %v, %v", l.Wrote, err)
		}
		return nil
	})
	changed := s.sees(map[string]string{one: "b"})
	if got := changed.Seen[one][0]; got.Digest != "digest of b" || !got.FirstAt.Equal(first.Seen[one][0].FirstAt) {
		t.Errorf("another definition: %+v", got)
	}
}

func TestWhatWasNeverAllowedIsForgottenWhenItGoes(t *testing.T) {
	s := open(t)
	s.sees(map[string]string{one: "a", "tool:two": "a"})
	s.approves(one)
	l := s.sees(nil)
	if seen := l.Seen[one]; len(seen) != 1 || !seen[0].Removed {
		t.Errorf("what was allowed is %+v", seen)
	}
	if _, there := l.Seen["tool:two"]; there {
		t.Error("what nobody allowed is still known")
	}
}

func TestAnApprovalIsOfOneDefinitionAndTheNextTakesItsPlace(t *testing.T) {
	s := open(t)
	s.sees(map[string]string{one: "a"})
	if l := s.approves(one); !l.Approves(one, "digest of a") || l.Approves(one, "digest of b") || l.Approves("tool:two", "digest of a") {
		t.Errorf("allowed: %+v", l.Pins)
	}
	if l := s.sees(map[string]string{one: "b"}); l.Approves(one, "digest of b") || string(l.Base(one, "legacy").Raw) != "a" {
		t.Errorf("a change is allowed, or has another base: %+v", l.Pins)
	}
	if l := s.approves(one); !l.Approves(one, "digest of b") || l.Approves(one, "digest of a") {
		t.Errorf("both are allowed: %+v", l.Pins)
	}
	var actions []string
	err := s.View(func(tx *store.Tx) error {
		events, err := tx.History("s", one)
		for _, e := range events {
			actions = append(actions, string(e.Action)+" "+e.Digest+" for "+e.Before)
		}
		return err
	})
	if want := []string{"approve digest of a for ", "replace digest of b for digest of a"}; err != nil || !slices.Equal(actions, want) {
		t.Errorf("the history has %q, %v", actions, err)
	}
}

func TestARejectionLeavesWhatWasAllowedAndIsForgottenByAnApproval(t *testing.T) {
	s := open(t)
	s.sees(map[string]string{one: "a"})
	s.approves(one)
	s.sees(map[string]string{one: "b"})
	l := s.rejects(one)
	if !l.Approves(one, "digest of a") || !slices.Equal(l.Pins[one][0].Refused, []string{"digest of b"}) {
		t.Errorf("after a rejection: %+v", l.Pins)
	}
	if l = s.approves(one); !l.Approves(one, "digest of b") || len(l.Pins[one][0].Refused) != 0 {
		t.Errorf("allowed after all: %+v", l.Pins)
	}
}

func TestOnlySoManyRejectionsAreRemembered(t *testing.T) {
	s := open(t)
	var l *Ledger
	for n := range maxRefused + 3 {
		s.sees(map[string]string{one: fmt.Sprint(n)})
		l = s.rejects(one)
	}
	if refused := l.Pins[one][0].Refused; len(refused) != maxRefused || refused[0] != "digest of 3" {
		t.Errorf("%d are remembered, from %s", len(refused), refused[0])
	}
}

func TestWhatIsTakenBackWaitsAndStaysTheBaseOfTheNextDiff(t *testing.T) {
	s := open(t)
	s.sees(map[string]string{one: "a"})
	s.approves(one)
	l := s.do(func(tx *store.Tx, l *Ledger) error {
		_, err := l.TakeBack(tx, one, vocab.ByPerson, s.now)
		return err
	})
	if facts := l.Facts().Items[0]; l.Approves(one, "digest of a") || !facts.Held || !slices.Equal(facts.Refused, []pin.Digest{"digest of a"}) || string(l.Base(one, "legacy").Raw) != "a" {
		t.Errorf("taken back: %+v", l.Facts())
	}
}

func TestAnUndoForgetsWhatItsOwnDecisionAllowed(t *testing.T) {
	s := open(t)
	s.sees(map[string]string{one: "a", "tool:two": "b", "tool:three": "c"})
	s.approves(one)
	s.rejects("tool:three")
	s.do(func(tx *store.Tx, l *Ledger) error { return l.Approve(tx, l.Seen["tool:two"][0], "LATER", s.now) })
	it := store.Item{Code: "CODE"}
	for _, key := range []string{one, "tool:two", "tool:three"} {
		it.Parts = append(it.Parts, store.Part{Item: key, State: vocab.PartNew})
	}
	var gone []string
	l := s.do(func(tx *store.Tx, l *Ledger) (err error) {
		gone, err = l.ForgetAllowed(tx, it, s.now)
		return err
	})
	if !slices.Equal(gone, []string{one}) || len(l.Pins[one]) != 0 || !l.Approves("tool:two", "digest of b") || len(l.Pins["tool:three"][0].Refused) != 1 {
		t.Errorf("forgot %q, left %+v", gone, l.Pins)
	}
}

// program is the launch of one program by a client.
func program(client, sum string) pin.LaunchForm {
	return pin.LaunchForm{Client: client, Executable: pin.LaunchFile{Path: "/usr/bin/weather", SHA256: sum}}
}

func (s *shelf) adopts(form pin.LaunchForm) *Ledger {
	s.t.Helper()
	return s.do(func(tx *store.Tx, l *Ledger) error {
		d, err := review.DeclarationOf(form)
		if err != nil {
			return err
		}
		return l.Adopt(tx, d, vocab.ByPerson, s.now)
	})
}

func TestOfLaunchesTheOldestIsForgotten(t *testing.T) {
	s := open(t)
	var l *Ledger
	for n := range maxLaunches + 2 {
		l = s.adopts(program(fmt.Sprint("client ", n), fmt.Sprintf("%064x", n)))
	}
	forms := l.LaunchForms()
	if len(forms) != maxLaunches || forms[0].Client != "client 2" || forms[maxLaunches-1].Client != fmt.Sprint("client ", maxLaunches+1) {
		t.Errorf("%d are allowed, from %s to %s", len(forms), forms[0].Client, forms[len(forms)-1].Client)
	}
}

func TestAnotherClientsStartOfAnAllowedProgramJoinsIt(t *testing.T) {
	s := open(t)
	s.adopts(program("one", fmt.Sprintf("%064x", 1)))
	var counts *review.Declaration
	l := s.do(func(tx *store.Tx, l *Ledger) (err error) {
		counts, err = l.Join(tx, program("two", fmt.Sprintf("%064x", 1)), s.now)
		return err
	})
	if counts == nil || !l.Approves(review.KeyLaunch, counts.Digest) || len(l.LaunchForms()) != 2 {
		t.Errorf("it counts as %+v, and %d are allowed", counts, len(l.LaunchForms()))
	}
}
