package desktop

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/notify"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
)

func TestManyHeldResponsesAreOneRowAndEachIsReadByItself(t *testing.T) {
	d := newDesk(t)
	codes := d.holding(inspect.High)(20, "The end.")
	rows, err := d.Inbox()
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	row := rows[0]
	if row.Code != codes[19] || row.Count != 20 || row.First.IsZero() || row.Last.Before(row.First) || len(row.Codes) != 20 || row.Group == "" {
		t.Errorf("the row: %+v", row)
	}
	for n, code := range codes {
		r, err := d.Review(code)
		if err != nil || r.Code != code || r.Held.Place != 20-n || r.Count != 20 {
			t.Fatalf("%s: %s, place %d of %d, %v", code, r.Code, r.Held.Place, r.Count, err)
		}
		if n > 0 && r.Held.Older != codes[n-1] || n < 19 && r.Held.Newer != codes[n+1] {
			t.Errorf("beside %s: %s and %s", code, r.Held.Newer, r.Held.Older)
		}
		if r.Held.All == nil || r.Held.All.Count != 20 {
			t.Errorf("all of them: %+v", r.Held.All)
		}
	}
	servers, err := d.Servers()
	if err != nil || len(servers) != 1 || servers[0].Held != 20 {
		t.Errorf("the server: %+v, %v", servers, err)
	}
}

func TestTheItemOfAHeldResponseIsOnTheScreenWithAnyOfItsResponses(t *testing.T) {
	d := newDesk(t)
	d.say = &attention{}
	codes := d.holding(inspect.High)(3, "The end.")
	rows, err := d.Inbox()
	if err != nil || len(rows) != 1 {
		t.Fatalf("%+v, %v", rows, err)
	}
	d.Shows("inbox", codes[0], true)
	if !d.say.onScreen.seen(notify.Event{Kind: "response_held", Group: rows[0].Group, Note: notify.Note{Key: "NEWER"}}) {
		t.Error("one more of the item that is read is notified")
	}
	if d.say.onScreen.seen(notify.Event{Kind: "response_held", Group: "another", Note: notify.Note{Key: "NEWER"}}) || d.say.onScreen.seen(notify.Event{Kind: "changed", Note: notify.Note{Key: "4F2A"}}) {
		t.Error("another item is not notified")
	}
}

func TestDiscardAllIsAboutWhatWasHeldWhenThePageWasShown(t *testing.T) {
	d := newDesk(t)
	hold := d.holding(inspect.Critical)
	codes := hold(5, "The end.")
	r, err := d.Review(codes[2])
	if err != nil {
		t.Fatal(err)
	}
	all := HeldAllDecision{Code: r.Code, Digest: r.Held.All.Digest, Nonce: r.Held.All.Nonce}
	late := hold(2, "The end.")
	refused := func(what string, change func(*HeldAllDecision), code int) {
		t.Helper()
		with := all
		change(&with)
		if done, err := d.DiscardAll(with); codeOf(err) != code {
			t.Errorf("%s: %+v, %v", what, done, err)
		}
	}
	refused("at once", func(*HeldAllDecision) {}, control.CodeBadRequest)
	d.at = d.at.Add(time.Second)
	refused("with the nonce of the one response", func(a *HeldAllDecision) { a.Nonce = r.Nonce }, control.CodeStale)
	refused("for another response", func(a *HeldAllDecision) { a.Code = late[0] }, control.CodeStale)
	if shown, err := d.Review(codes[2]); err != nil || shown.Decided != "" {
		t.Fatalf("%+v, %v", shown, err)
	}
	done, err := d.DiscardAll(all)
	if err != nil || done.Discarded != 5 || done.Meanwhile != 0 || done.Came != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	refused("twice", func(*HeldAllDecision) {}, control.CodeStale)
	rows, err := d.Inbox()
	if err != nil || len(rows) != 1 || rows[0].Count != 2 || !slices.Equal(rows[0].Codes, []string{late[1], late[0]}) {
		t.Errorf("what is left: %+v, %v", rows, err)
	}
	decided, err := d.DecidedItems()
	if err != nil {
		t.Fatal(err)
	}
	discarded := 0
	for _, it := range decided {
		if it.Kind == "response_held" {
			discarded++
			if it.Count != 5 || it.Decided != "rejected" {
				t.Errorf("decided: %+v", it)
			}
		}
	}
	if discarded != 1 {
		t.Errorf("%d lines for what was discarded together", discarded)
	}
}

func TestDiscardAllAtTheRowIsAboutWhatWasHeldWhenItAsked(t *testing.T) {
	d := newDesk(t)
	hold := d.holding(inspect.Critical)
	codes := hold(5, "The end.")
	row := func() Item {
		t.Helper()
		rows, err := d.Inbox()
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		return rows[0]
	}
	all, err := d.HeldTogether(row().Code)
	if err != nil || all.Count != 5 || all.ArmAfterMs != 800 {
		t.Fatalf("%+v, %v", all, err)
	}
	hold(2, "The end.")
	question := HeldAllDecision{Code: codes[4], Digest: all.Digest, Nonce: all.Nonce}
	if done, err := d.DiscardAll(question); codeOf(err) != control.CodeBadRequest {
		t.Errorf("at once: %+v, %v", done, err)
	}
	d.at = d.at.Add(time.Second)
	if done, err := d.DiscardAll(question); err != nil || done.Discarded != 5 || done.Meanwhile != 0 || done.Came != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	if left := row(); left.Count != 2 {
		t.Errorf("left: %+v", left)
	}
	if _, err := d.HeldTogether(codes[4]); codeOf(err) != control.CodeStale {
		t.Errorf("asked about what is discarded: %v", err)
	}
}

func TestTheRowKnowsWhyAndWhetherTheToolCanBeBlocked(t *testing.T) {
	d := newDesk(t)
	codes := d.holding(inspect.High)(3, "The end.")
	rows, err := d.Inbox()
	if err != nil || len(rows) != 1 || rows[0].Why != "threat" || rows[0].Rule != "instruction_override_short" || !rows[0].Allowed {
		t.Fatalf("%+v, %v", rows, err)
	}
	if _, err := d.Block(rows[0].Identity, []string{"tool:read_note"}); err != nil {
		t.Fatal(err)
	}
	if rows, err = d.Inbox(); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.Kind == "response_held" && (row.Allowed || row.Count != 3) {
			t.Errorf("blocked: %+v", row)
		}
	}
	if r, err := d.Review(codes[0]); err != nil || r.Allowed || r.Why != "threat" {
		t.Errorf("the open item: %v, %s, %v", r.Allowed, r.Why, err)
	}
}

func TestASetThatWasShownIsForgottenWithItsWindow(t *testing.T) {
	d := newDesk(t)
	codes := d.holding(inspect.High)(3, "The end.")
	r, err := d.Review(codes[0])
	if err != nil {
		t.Fatal(err)
	}
	d.at = d.at.Add(time.Second)
	d.shell.Closing()
	if _, err := d.DiscardAll(HeldAllDecision{Code: r.Code, Digest: r.Held.All.Digest, Nonce: r.Held.All.Nonce}); codeOf(err) != control.CodeStale {
		t.Errorf("of a window that nobody sees: %v", err)
	}
}

// quietMemory is what was allocated so far, once nothing else allocates: a hub that has just opened looks at files in the background.
func quietMemory(t *testing.T) (now runtime.MemStats) {
	t.Helper()
	for range 300 {
		runtime.ReadMemStats(&now)
		before := now.TotalAlloc
		time.Sleep(100 * time.Millisecond)
		if runtime.ReadMemStats(&now); now.TotalAlloc-before < 64<<10 {
			return now
		}
	}
	t.Fatal("the hub is never quiet")
	return now
}

// A page asks three things before it shows anything. With a thousand responses held, 20 MB of text, they are answered at once after a
// restart: what is held is not read through to name it. Counted is memory, which is the same on every machine.
func TestTheListIsThereAtOnceAfterARestart(t *testing.T) {
	root := t.TempDir()
	d := newDeskAt(t, root)
	letter := strings.Repeat("A long letter. ", 1400)
	d.holding(inspect.High)(1001, letter)
	if err := d.hub.Close(); err != nil {
		t.Fatal(err)
	}
	d = newDeskAt(t, root)
	before, after := quietMemory(t), runtime.MemStats{}
	began := time.Now()
	overview, one := d.Overview()
	rows, two := d.Inbox()
	_, three := d.DecidedItems()
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if one != nil || two != nil || three != nil || len(rows) != 1 || rows[0].Count != 1001 || overview.Waiting.High != 1 {
		t.Fatalf("%v, %v, %v: %d rows, %+v", one, two, three, len(rows), overview.Waiting)
	}
	held, used := 1001*len(letter), int(after.TotalAlloc-before.TotalAlloc)
	t.Logf("1,001 held, %d KB: the page's first calls take %s and %d KB of memory", held>>10, took.Round(100*time.Microsecond), used>>10)
	if used > held/10 {
		t.Errorf("the page's first calls take %d KB of memory with %d KB held", used>>10, held>>10)
	}
}
