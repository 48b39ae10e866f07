package office

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// desk is an office over a real store, with a clock that the test sets.
type desk struct {
	*Office
	t             *testing.T
	now           time.Time
	changes, ends int
	raised        []string
}

func open(t *testing.T, dir string, opts Options) *desk {
	t.Helper()
	d := &desk{t: t, now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
	opts.Now = func() time.Time { return d.now }
	opts.Changed = func() { d.changes++ }
	opts.End = func() { d.ends++ }
	opts.Notify, opts.Raise = func(review.Notice) {}, func(code string) { d.raised = append(d.raised, code) }
	d.Office = New(opts)
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	d.Store = s
	if err := d.CheckMarks(); err != nil {
		t.Fatal(err)
	}
	return d
}

// settle makes one definition pending for a kind of item of the server "s", or none if it is "".
func (d *desk) settle(definition string) (item *store.Item) {
	d.t.Helper()
	var want *review.Content
	if definition != "" {
		want = &review.Content{Kind: vocab.ItemChanged, ServerID: "s", Parts: []store.Part{{Item: "tool:a", State: vocab.PartChanged, Digest: definition}}}
	}
	err := d.Update(func(tx *store.Tx) (fresh bool, err error) {
		item, fresh, err = d.Settle(tx, want, vocab.ItemChanged, "s", d.now)
		return fresh, err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return item
}

// decide is the error of a decision with this code and digest.
func (d *desk) decide(code, digest string) (err error) {
	_ = d.Store.View(func(tx *store.Tx) error {
		_, err = Decidable(tx, control.Decide{Code: code, Digest: digest})
		return nil
	})
	return err
}

func answerOf(t *testing.T, err error) *control.Error {
	t.Helper()
	var answer *control.Error
	if !errors.As(err, &answer) {
		t.Fatalf("%v is no answer", err)
	}
	return answer
}

func TestOverTheSocketOnlyAHomeMadeForItTakesDecisions(t *testing.T) {
	person, inside := control.Peer{}, control.Peer{Descends: true}
	cli := Options{AllowCLI: true}
	for name, c := range map[string]struct {
		first, again Options // options of the home's first hub, and of the tested one
		windowOn     string  // what a window stored in between
		code         int     // of the error for a person's own command, 0 if it may decide
		ignored      bool    // there is a problem that the flag is ignored
	}{
		"made with the flag, and started with it":            {first: cli, again: cli},
		"made with the flag, and started without":            {first: cli, code: control.CodeNotHere},
		"made without, and started with it":                  {again: cli, code: control.CodeNotHere, ignored: true},
		"made without, and a window switched it on":          {again: cli, windowOn: "on"},
		"made without, and a window switched it off again":   {again: cli, windowOn: "off", code: control.CodeNotHere, ignored: true},
		"a hub with a window, in a home made with the flag":  {first: cli, again: Options{AllowCLI: true, Window: true}, code: control.CodeNotHere},
		"a hub with a window, in a home made without a flag": {again: Options{Window: true}, code: control.CodeNotHere},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir() + "/home"
			d := open(t, dir, c.first)
			if c.windowOn != "" {
				if err := d.Updating(func(tx *store.Tx) error { return tx.SetMeta(MetaWindowCLI, []byte(c.windowOn)) }); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Store.Close(); err != nil {
				t.Fatal(err)
			}
			d = open(t, dir, c.again)
			err := d.MayDecide(person)
			if c.code == 0 && err != nil {
				t.Errorf("a person is refused: %v", err)
			}
			if c.code != 0 && (err == nil || answerOf(t, err).Code != c.code) {
				t.Errorf("a person is told %v, and not %d", err, c.code)
			}
			if err := d.MayDecide(control.Peer{Here: true}); err != nil {
				t.Errorf("a person at the window is refused: %v", err)
			}
			if err := d.MayDecide(inside); err == nil || answerOf(t, err).Code != control.CodeDescends {
				t.Errorf("a program inside a server is told %v", err)
			}
			if ignored := d.Stands(ProblemCLIIgnored).Code != ""; ignored != c.ignored {
				t.Errorf("the flag is said to be ignored: %t", ignored)
			}
		})
	}
}

func TestWhatMayNotBeDecidedHereIsRaisedForThePersonWhoMay(t *testing.T) {
	d := open(t, t.TempDir()+"/home", Options{Window: true})
	for _, c := range []struct {
		peer   control.Peer
		code   int // 0 if it may decide
		raised int
	}{{control.Peer{}, control.CodeNotHere, 2}, {control.Peer{Descends: true}, control.CodeDescends, 0}, {control.Peer{Here: true}, 0, 0}} {
		d.raised = nil
		err := d.Decides(c.peer, "A", "B")
		if (err == nil) != (c.code == 0) || err != nil && answerOf(t, err).Code != c.code || len(d.raised) != c.raised {
			t.Errorf("%+v is told %v, and %q are raised", c.peer, err, d.raised)
		}
	}
}

func TestAnOldCodeLeadsToWhatWaitsNowAndDecidesNothing(t *testing.T) {
	d := open(t, t.TempDir()+"/home", Options{})
	first := *d.settle("one")
	if again := d.settle("one"); again.Code != first.Code {
		t.Errorf("the same content has code %s, and had %s", again.Code, first.Code)
	}
	d.settle("two")
	third := d.settle("three")
	for name, told := range map[string]error{
		"the digest it was shown with":   d.decide(first.Code, first.Digest),
		"the digest of what waits now":   d.decide(first.Code, third.Digest),
		"the newest code, an old digest": d.decide(third.Code, first.Digest),
	} {
		if answer := answerOf(t, told); answer.Code != control.CodeStale || answer.See != third.Code {
			t.Errorf("%s: %+v", name, answer)
		}
	}
	if answer := answerOf(t, d.decide(third.Code, "")); answer.Code != control.CodeBadRequest {
		t.Errorf("without a digest: %+v", answer)
	}
	if err := d.decide(third.Code, third.Digest); err != nil {
		t.Errorf("what was shown can't be decided: %v", err)
	}
	d.settle("")
	if answer := answerOf(t, d.decide(third.Code, third.Digest)); answer.Code != control.CodeStale || !strings.Contains(answer.Message, "went back") {
		t.Errorf("what went away by itself: %+v", answer)
	}
}

func TestAFloodUsesUpNoCodes(t *testing.T) {
	d := open(t, t.TempDir()+"/home", Options{})
	var codes []string
	for n := range FloodCodes + 3*KeptCodes {
		item := d.settle(fmt.Sprintf("definition %d", n))
		codes = append(codes, item.Code)
		if noisy := n >= FloodCodes; item.Noisy != noisy {
			t.Fatalf("item %d of a minute is noisy: %t", n+1, item.Noisy)
		}
	}
	waits := codes[len(codes)-1]
	kept := 0
	for n, code := range codes[:len(codes)-1] {
		answer := answerOf(t, d.decide(code, "any"))
		switch {
		case answer.Code == control.CodeStale && answer.See == waits:
			kept++
		case answer.Code != control.CodeNotFound:
			t.Errorf("code %d: %+v", n+1, answer)
		}
	}
	// The codes from before the flood and its last ones, without the pending one.
	if want := FloodCodes + KeptCodes - 1; kept != want {
		t.Errorf("%d codes lead on, and not %d", kept, want)
	}
	d.now = d.now.Add(FloodWindow)
	if d.Flooded("s", d.now) {
		t.Error("a minute later it is still said to flood")
	}
}

func TestWhatComesBackDuringAFloodHasTheCodeItHad(t *testing.T) {
	d := open(t, t.TempDir()+"/home", Options{})
	quiet := d.settle("one").Code
	d.settle("")
	if back := d.settle("one").Code; back == quiet {
		t.Errorf("a server that is quiet got code %s again", back)
	}
	for n := range FloodCodes {
		d.settle(fmt.Sprintf("definition %d", n))
	}
	noisy := d.settle("two").Code
	d.settle("")
	if other := d.settle("three").Code; other == noisy {
		t.Error("other content has the code of what went away")
	}
	d.settle("two")
	last := d.settle("two").Code
	d.settle("")
	if back := d.settle("two"); back.Code != last || !back.Noisy || back.Decided != "" {
		t.Errorf("it came back as %+v, and was %s", back, last)
	}
}

func TestAProblemIsToldWhenItComesAndWhenItGoes(t *testing.T) {
	d := open(t, t.TempDir()+"/home", Options{})
	told := func(what string, f func()) int {
		before := d.changes
		f()
		return d.changes - before
	}
	for _, step := range []struct {
		what string
		do   func()
		told int
	}{
		{"a problem comes", func() { d.Problem(ProblemLog, "no\nspace\n left", "make room") }, 1},
		{"the same again", func() { d.Problem(ProblemLog, "no space left", "make room") }, 0},
		{"it is another now", func() { d.Problem(ProblemLog, "not permitted", "look who may write") }, 1},
		{"it is solved", func() { d.Solved(ProblemLog) }, 1},
		{"solved twice", func() { d.Solved(ProblemLog) }, 0},
	} {
		if n := told(step.what, step.do); n != step.told {
			t.Errorf("%s: told %d times, and not %d", step.what, n, step.told)
		}
	}
	d.Problem(ProblemSpool, "b", "")
	d.Problem(ProblemLog, "a\nb", "")
	if list := d.Problems(); len(list) != 2 || list[0].Code != ProblemLog || list[0].What != "a b" || list[1].Code != ProblemSpool {
		t.Errorf("%+v", list)
	}
}

func TestAStoreThatIsDamagedIsNeverWorkedWithAnyFurther(t *testing.T) {
	d := open(t, t.TempDir()+"/home", Options{})
	for range 2 {
		if answer := answerOf(t, d.Failed(fmt.Errorf("read a pin: %w", store.ErrCorrupt))); answer.Code != control.CodeUnavailable {
			t.Errorf("%+v", answer)
		}
	}
	if d.ends != 1 || !d.Again() || !d.Leaving() || d.Works() {
		t.Errorf("ended %d times, for another hub: %t", d.ends, d.Again())
	}
	if !strings.HasPrefix(d.Damage(), "read a pin") {
		t.Errorf("met %q", d.Damage())
	}
	read := false
	if err := d.Viewing(func(*store.Tx) error { read = true; return nil }); err == nil || read {
		t.Errorf("it was read: %v", err)
	}
	if _, err := d.Reading(); err == nil {
		t.Error("it is handed out")
	}
}

func TestADiskThatTakesNothingIsAProblemUntilItTakesSomething(t *testing.T) {
	d := open(t, t.TempDir()+"/home", Options{})
	before := d.Commits()
	full := errors.New("no space left on device")
	if err := d.Updating(func(*store.Tx) error { return full }); answerOf(t, err).Code != control.CodeUnavailable {
		t.Errorf("%v", err)
	}
	if d.Stands(ProblemStoreWrite).Code == "" || d.Commits() != before {
		t.Error("a write that failed is no problem, or counts as one that was made")
	}
	if err := d.Update(func(*store.Tx) (bool, error) { return false, nil }); err != nil || d.Commits() != before || d.Stands(ProblemStoreWrite).Code == "" {
		t.Errorf("nothing was written, and the disk is said to work: %v", err)
	}
	if err := d.Updating(func(tx *store.Tx) error { return tx.SetMeta("x", []byte("1")) }); err != nil || d.Commits() != before+1 || d.Stands(ProblemStoreWrite).Code != "" {
		t.Errorf("the disk works again, and it isn't said: %v", err)
	}
}

func TestALongListOfNamesIsCutAndCounted(t *testing.T) {
	var keys []string
	for n := range MaxListed + 7 {
		keys = append(keys, fmt.Sprint(n))
	}
	if cut := CutList(keys); len(cut) != MaxListed+1 || cut[MaxListed] != "and 7 more" || len(keys) != MaxListed+7 {
		t.Errorf("%d names, the last %q", len(cut), cut[len(cut)-1])
	}
	if whole := CutList(keys[:MaxListed]); len(whole) != MaxListed {
		t.Errorf("%d names of %d", len(whole), MaxListed)
	}
}
