package display

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// If two servers have the same name, an item says which of them it is about, in the same way everywhere.
func TestAnItemNamesItsServerAlikeWhereverItIsShown(t *testing.T) {
	p := newPlace(t)
	for _, argv := range []string{"one", "two"} {
		p.declare(p.wrap("notes", argv))
	}
	items, err := p.Inbox()
	if err != nil || len(items) != 2 || items[0].Shown == items[1].Shown {
		t.Fatalf("%+v, %v", items, err)
	}
	status, err := p.Status()
	if err != nil || status.Servers != 2 || status.WaitingCount != 2 || len(status.Wrappers) != 2 {
		t.Fatalf("%+v, %v", status, err)
	}
	for _, it := range items {
		if it.Server != "notes" || !strings.Contains(it.Title, it.Shown) {
			t.Errorf("%q of %q is shown as %q", it.Title, it.Server, it.Shown)
		}
		whole, err := p.Item(strings.ToLower(it.Code))
		if err != nil || whole.Title != it.Title || whole.Shown != it.Shown || whole.Digest != it.Digest {
			t.Errorf("%q, %q, %v; in the inbox %q, %q", whole.Title, whole.Shown, err, it.Title, it.Shown)
		}
		page, err := p.ServerWhole(it.Shown)
		if err != nil || len(page.Waiting) != 1 || page.Waiting[0].Title != it.Title || page.Waiting[0].Code != it.Code || page.Shown != it.Shown {
			t.Errorf("on the page of %q: %+v, %v", it.Shown, page.Waiting, err)
		}
	}
	if _, err := p.Item("ZZZZ"); codeOf(err) != control.CodeNotFound {
		t.Errorf("an item that is not there: %v", err)
	}
}

func TestWhenTheStoreIsLostOneItemIsAllThatIsShown(t *testing.T) {
	p := newPlace(t)
	p.allow(p.wrap("weather"))
	if err := p.office.Store.Close(); err != nil {
		t.Fatal(err)
	}
	p.office.Store = nil
	if err := os.WriteFile(p.from.Home.Store, []byte(strings.Repeat("no store ", 4000)), 0o600); err != nil {
		t.Fatal(err)
	}
	p.from.Lost.Damaged(errors.New("page 3 is no page"))

	items, err := p.Inbox()
	if err != nil || len(items) != 1 || items[0].Kind != vocab.ItemProblem {
		t.Fatalf("%+v, %v", items, err)
	}
	status, err := p.Status()
	if err != nil || status.WaitingCount != 1 || status.Waiting[0].Code != items[0].Code || len(status.Problems) == 0 || len(status.Wrappers) != 1 {
		t.Errorf("status %+v, %v", status, err)
	}
	if whole, err := p.Item(items[0].Code); err != nil || whole.Digest != items[0].Digest {
		t.Errorf("%+v, %v", whole, err)
	}
	if decided, err := p.DecidedSince(time.Time{}); err != nil || len(decided) != 0 {
		t.Errorf("decided %+v, %v", decided, err)
	}
	if light := p.Light(control.Coverage{}, items, true); p.StoreOK() || light.State != LightBroken {
		t.Errorf("the light is %+v", light)
	}
	_, noItem := p.Item("ZZZZ")
	_, noServer := p.ServerWhole("weather")
	_, noRows := p.Servers()
	_, noActivity := p.Activity(control.ActivityQuery{})
	_, noLog := p.Log(control.LogQuery{Server: "weather"})
	for what, err := range map[string]error{"another item": noItem, "a server": noServer, "the servers": noRows, "the timeline": noActivity, "a log": noLog} {
		if codeOf(err) != control.CodeUnavailable {
			t.Errorf("%s: %v", what, err)
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
