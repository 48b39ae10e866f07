package lost

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// ruined is a home with a store that was damaged, and the lost store of a hub that could not open it.
func ruined(t *testing.T, do func(home control.Home)) (*Store, control.Home, *office.Office) {
	t.Helper()
	home, err := control.HomeAt(filepath.Join(t.TempDir(), "home"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(home.Dir, store.Options{})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	do(home)
	o := office.New(office.Options{
		Now: func() time.Time { return time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) }, Notify: func(review.Notice) {}, Changed: func() {}, End: func() {},
	})
	l := New(o, home)
	if s, err = store.Open(home.Dir, store.Options{}); err == nil {
		s.Close()
		t.Fatal("the store opens")
	}
	l.Refused(err)
	return l, home, o
}

func damage(t *testing.T) func(control.Home) {
	return func(home control.Home) {
		if err := os.WriteFile(home.Store, []byte(strings.Repeat("no store ", 4000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func codeOf(err error) int {
	var answer *control.Error
	if !errors.As(err, &answer) {
		return 0
	}
	return answer.Code
}

func TestADamagedStoreIsPutAsideAndOneItemIsAllThatWaits(t *testing.T) {
	l, home, o := ruined(t, damage(t))
	it := l.Item()
	if !l.Is() || !l.Waits() || it.Kind != vocab.ItemProblem || it.Code != l.Code() || o.Stands(office.ProblemStoreDamaged).Code == "" {
		t.Fatalf("item %+v, problems %+v", it, o.Problems())
	}
	if _, err := os.Lstat(home.Store); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the damaged store is still in its place: %v", err)
	}
	whole, err := l.Detail(strings.ToLower(it.Code))
	if err != nil || whole.Digest != it.Digest || len(whole.Details) != 1 || !strings.Contains(whole.Details[0].Changes[0].Words, "kept at") {
		t.Errorf("whole %+v, %v", whole, err)
	}
	if _, err := l.Detail("ZZZZ"); codeOf(err) != control.CodeUnavailable {
		t.Errorf("another code: %v", err)
	}
	next := New(o, home) // of the hub after this one
	_, err = store.Open(home.Dir, store.Options{})
	if next.Refused(err); next.Code() != it.Code || next.Item().Digest != it.Digest {
		t.Errorf("after a restart it is %+v", next.Item())
	}
}

func TestOnlyWhatWasShownStartsOver(t *testing.T) {
	l, home, o := ruined(t, damage(t))
	for _, c := range []struct {
		d    control.Decide
		code int
	}{
		{control.Decide{Code: "ZZZZ", Digest: l.Item().Digest}, control.CodeUnavailable},
		{control.Decide{Code: l.Code()}, control.CodeBadRequest},
		{control.Decide{Code: l.Code(), Digest: "another"}, control.CodeStale},
		{control.Decide{Code: l.Code(), Digest: l.Item().Digest, Reject: true}, control.CodeBadRequest},
	} {
		if out, err := l.Decide(c.d); codeOf(err) != c.code || len(out.Approved) != 0 {
			t.Errorf("%+v: %+v, %v", c.d, out, err)
		}
	}
	if o.Leaving() {
		t.Fatal("it made way for another hub")
	}
	if _, err := os.Lstat(home.Store); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a store was made: %v", err)
	}
	out, err := l.Decide(control.Decide{Code: l.Code(), Digest: l.Item().Digest})
	if err != nil || fmt.Sprint(out.Approved) != "["+control.PartStore+"]" || !o.Again() || l.Waits() {
		t.Fatalf("%+v, %v, again %t", out, err, o.Again())
	}
	s, err := store.Open(home.Dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := Interrupted(s); err != nil {
		t.Errorf("the new store: %v", err)
	}
	records, err := s.Records(store.Query{Kind: string(vocab.RecordApproval)})
	if err != nil || len(records) != 1 || records[0].Code != l.Code() {
		t.Errorf("records %+v, %v", records, err)
	}
}

func TestANewStoreWithoutItsDecisionIsNotBelieved(t *testing.T) {
	l, home, _ := ruined(t, damage(t))
	s, err := store.Open(home.Dir, store.Options{AfterLoss: true}) // and a kill comes here
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = Interrupted(s)
	if err == nil {
		t.Fatal("it is taken for a store like any other")
	}
	if l.Refused(err); !l.Is() || l.office.Stands(office.ProblemStoreLost).Code == "" {
		t.Errorf("problems %+v", l.office.Problems())
	}
}

func TestWhatStartingOverMendsNotIsNoItem(t *testing.T) {
	for what, c := range map[string]struct {
		err     error
		problem string
	}{
		"a newer store":     {store.ErrNewer, office.ProblemStoreNewer},
		"a disk that fails": {errors.New("input/output error"), office.ProblemStoreUnreadable},
	} {
		_, home, o := ruined(t, damage(t))
		l := New(o, home)
		if l.Refused(fmt.Errorf("open store: %w", c.err)); l.Is() || l.Waits() || o.Stands(c.problem).Code == "" {
			t.Errorf("%s: is lost %t, problems %+v", what, l.Is(), o.Problems())
		}
	}
}
