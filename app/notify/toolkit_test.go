package notify

import (
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// kit is the toolkit of a window, as Wails' functions behave by their source. It is the one boundary that no test here can
// cross: the systems behind it are others.
type kit struct {
	missing, broken, forbidden bool
	unsent, unregistered       bool
	asks                       chan struct{} // where set, the person answers when it is closed

	mu      sync.Mutex
	did     []string
	shown   []Toast
	removed []string
	buttons map[string][]Button
	heard   func(Response)
}

func (k *kit) note(what string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.did = append(k.did, what)
}

func (k *kit) Available() bool { k.note("available"); return !k.missing }

func (k *kit) Initialize() error {
	k.note("initialize")
	return fails(k.broken, "no bundle identifier")
}

func (k *kit) Authorize() (bool, error) {
	k.note("authorize")
	if k.asks != nil {
		<-k.asks
	}
	return !k.forbidden, nil
}

func (k *kit) Hear(f func(Response)) { k.note("hear"); k.mu.Lock(); k.heard = f; k.mu.Unlock() }

func (k *kit) Register(category string, buttons []Button) error {
	k.note("register " + category)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.buttons == nil {
		k.buttons = map[string][]Button{}
	}
	k.buttons[category] = buttons
	return fails(k.unregistered, "no categories")
}

func (k *kit) Send(t Toast) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.unsent {
		k.shown = append(k.shown, t)
	}
	return fails(k.unsent, "not sent")
}

func (k *kit) Remove(id string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.removed = append(k.removed, id)
	return nil
}

func fails(is bool, why string) error {
	if is {
		return errors.New(why)
	}
	return nil
}

// toasted is a notifier with a toolkit, and what came of it.
type toasted struct {
	*toasts
	kit           *kit
	mu            sync.Mutex
	opened, later []string
	plainly       []string
	deaf          error // of the plain way
}

func newToasted(t *testing.T, k *kit) *toasted {
	s := &toasted{kit: k}
	add := func(to *[]string) func(string) {
		return func(what string) { s.mu.Lock(); defer s.mu.Unlock(); *to = append(*to, what) }
	}
	kits := make(chan Toolkit, 1)
	if k != nil {
		kits <- k
	}
	s.toasts = newToasts(Options{Open: add(&s.opened), Later: func(n Note) { add(&s.later)(n.Key) }, Toolkit: kits, Log: slog.New(slog.DiscardHandler)}, func(n Note) error {
		add(&s.plainly)(n.Key)
		return s.deaf
	})
	t.Cleanup(func() { _ = s.Close() })
	synctest.Wait()
	return s
}

// show shows a note and gives what the toolkit got of it last.
func (s *toasted) show(n Note) (last Toast) {
	s.Show(n)
	synctest.Wait()
	if len(s.kit.shown) > 0 {
		last = s.kit.shown[len(s.kit.shown)-1]
	}
	return last
}

func (s *toasted) respond(id, action string) {
	s.kit.heard(Response{ID: id, Action: action})
	synctest.Wait()
}

func is(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

var (
	one = Note{Key: "4F2A", Title: "New server: github", Body: "It's blocked.", Route: "#/inbox/4F2A", Action: "Review", Later: true}
	sum = Note{Key: Summary, Title: "2 things are waiting", Route: "#/inbox", Action: "Open Inbox"}
)

func TestAToastSaysWhatTheNoteDoesAndNothingOfWhereItLeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newToasted(t, &kit{})
		is(t, "the toolkit was asked", s.kit.did, "available", "initialize", "hear", "authorize")
		a, b := s.show(Note{Key: "4F2A", Title: "a\u202eb\n", Body: "It's\x00 blocked.", Route: "#/inbox/4F2A", Action: "Review", Later: true}), s.show(sum)
		if want := (Toast{ID: a.ID, Title: "ab", Body: "It's blocked.", Category: "sallyport Review later"}); a != want {
			t.Errorf("sent %+v, want %+v", a, want)
		}
		if len(a.ID) < 20 || a.ID == b.ID {
			t.Errorf("the ids %q and %q can be guessed", a.ID, b.ID)
		}
		if want := []Button{{"open", "Review"}, {"later", "Later"}}; !slices.Equal(s.kit.buttons[a.Category], want) {
			t.Errorf("buttons %v, want %v", s.kit.buttons[a.Category], want)
		}
		if want := []Button{{"open", "Open Inbox"}}; !slices.Equal(s.kit.buttons[b.Category], want) {
			t.Errorf("buttons of a summary %v, want %v", s.kit.buttons[b.Category], want)
		}
		s.kit.did = nil
		s.show(one)
		is(t, "buttons are registered again", s.kit.did)
		is(t, "shown plainly", s.plainly)
	})
}

func TestAClickOnAToastOpensItsRouteAndNothingElseDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newToasted(t, &kit{})
		a := s.show(one)
		for _, nothing := range []Response{
			{a.ID, "com.apple.UNNotificationDismissActionIdentifier"}, {a.ID, ""}, {a.ID, "default"}, {a.ID, "allow"}, {a.ID, "#/settings"}, {a.ID, "TEXT_REPLY"},
			{"", ActionClicked}, {"4F2A", ActionClicked}, {"#/inbox/4F2A", actionOpen}, {a.ID + "x", actionLater},
		} {
			s.respond(nothing.ID, nothing.Action)
		}
		is(t, "opened", s.opened)
		is(t, "put off", s.later)
		s.respond(a.ID, ActionClicked)
		s.respond(a.ID, actionOpen)
		is(t, "opened", s.opened, "#/inbox/4F2A", "#/inbox/4F2A")

		b := s.show(sum)
		s.respond(b.ID, actionLater) // it has no such button
		is(t, "put off", s.later)
		s.respond(a.ID, actionLater)
		is(t, "put off", s.later, "4F2A")
		is(t, "removed", s.kit.removed, a.ID)
		s.respond(a.ID, actionLater)
		is(t, "put off", s.later, "4F2A")
	})
}

func TestAToastIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newToasted(t, &kit{})
		a := s.show(one)
		again := s.show(one) // takes the place of the first
		is(t, "removed", s.kit.removed, a.ID)
		s.Withdraw("4F2A")
		s.Withdraw("4F2A")
		s.Withdraw("never shown")
		synctest.Wait()
		is(t, "removed", s.kit.removed, a.ID, again.ID)
		// Windows leaves it there: it then leads to what was decided, and cannot be put off.
		s.respond(again.ID, actionLater)
		s.respond(again.ID, ActionClicked)
		is(t, "put off", s.later)
		is(t, "opened", s.opened, "#/inbox/4F2A")
	})
}

func TestWhereTheToolkitCannotANoteIsShownPlainly(t *testing.T) {
	for name, k := range map[string]*kit{
		"there are none":     {missing: true},
		"it does not begin":  {broken: true},
		"nobody permitted":   {forbidden: true},
		"it is not sent":     {unsent: true},
		"there is no window": nil,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newToasted(t, k)
				s.Show(one)
				<-time.After(windowAfter)
				synctest.Wait()
				is(t, "shown plainly", s.plainly, "4F2A")
				if s.Why() != "" {
					t.Errorf("it says that there are none: %s", s.Why())
				}
				s.Withdraw("4F2A")
				s.deaf = errors.New("no service")
				s.Show(sum)
				synctest.Wait()
				if s.Why() == "" {
					t.Error("nobody is told that nothing is shown")
				}
			})
		})
	}
}

func TestAToastWithoutButtonsIsStillShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newToasted(t, &kit{unregistered: true})
		if a := s.show(one); a.Category != "" || a.Title != one.Title {
			t.Errorf("sent %+v", a)
		}
	})
}

// A person takes minutes to permit it; what is said meanwhile waits, and what was decided meanwhile is not said.
func TestNotesWaitForTheAnswerOfThePerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &kit{asks: make(chan struct{})}
		s := newToasted(t, k)
		s.Show(one)
		s.Show(Note{Key: "7CK4", Title: "first"})
		s.Show(Note{Key: "7CK4", Title: "second"})
		s.Withdraw("4F2A")
		<-time.After(3 * time.Minute)
		synctest.Wait()
		if len(k.shown) != 0 {
			t.Fatalf("shown %+v", k.shown)
		}
		is(t, "shown plainly", s.plainly)
		close(k.asks)
		synctest.Wait()
		if len(k.shown) != 1 || k.shown[0].Title != "second" {
			t.Errorf("shown %+v", k.shown)
		}
	})
}

func TestWhatIsKeptOfToastsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newToasted(t, &kit{})
		first := s.show(one)
		for n := range maxShown + 5 {
			s.show(Note{Key: string(rune('a'+n%26)) + string(rune('a'+n/26)), Title: "t", Route: "#/inbox"})
		}
		if len(s.sent) != maxShown || len(s.history) != maxShown || len(s.ids) > maxShown {
			t.Errorf("kept %d, %d, %d", len(s.sent), len(s.history), len(s.ids))
		}
		s.respond(first.ID, ActionClicked)
		is(t, "opened", s.opened)
	})
}

// A Toolkit is told what a note says, and never where it leads.
func TestAToastHasNoPlaceForARoute(t *testing.T) {
	var fields []string
	for field := range reflect.TypeFor[Toast]().Fields() {
		fields = append(fields, field.Name)
	}
	is(t, "a toast has", fields, "ID", "Title", "Body", "Category")
}
