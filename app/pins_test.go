package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

func TestTwoWrappersOfOneServerShareOnePinAndOneItem(t *testing.T) {
	p := newPlace(t)
	first, second := p.wrap("weather"), p.wrap("wetter")
	a := tool("a", "one")
	first.report(a)
	second.report(a)
	it := p.item()
	p.approve(it)
	for _, w := range []*server{first, second} {
		if !served(w.Last(t), a) {
			t.Fatalf("state %+v", w.Last(t))
		}
	}
	if first.Last(t).Name != "weather" || second.Last(t).Name != "wetter" {
		t.Fatal("each wrapper goes by the name of its own entry")
	}
	servers, err := p.Servers()
	if err != nil || len(servers) != 1 || servers[0].Wrappers != 2 || servers[0].Server != "weather" || servers[0].Allowed != 1 {
		t.Fatalf("servers %+v, %v", servers, err)
	}
	// One of them drifts: the item stays as long as it declares the change, whatever the other one declares.
	b := tool("a", "two")
	first.report(b)
	second.report(a, tool("c", "new"))
	if it := p.item(); states(it) != "tool:a=changed tool:c=new" {
		t.Fatalf("item %s", states(it))
	}
	first.report(a)
	if it := p.item(); states(it) != "tool:c=new" {
		t.Fatalf("item %s", states(it))
	}
}

func TestAnApprovalThatReplacesWhatAnotherProcessStillDeclaresIsSaid(t *testing.T) {
	p := newPlace(t)
	first, second := p.wrap("weather"), p.wrap("weather")
	a, b := tool("a", "one"), tool("a", "two")
	first.report(a)
	second.report(a)
	p.approve(p.item())
	second.report(b)
	p.approve(p.item())
	it := p.item()
	if s := first.Last(t); served(s, a) || s.Items["tool:a"].Code != it.Code {
		t.Fatalf("the first process is refused without a code: %+v", s)
	}
	p.Unregister(first)
	second.report(b, tool("c", "x"))
	if got := p.item(); states(got) != "tool:c=new" {
		t.Fatalf("item %s", states(got))
	}
}

func TestApprovalsOfBothErasCount(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	legacy, modern := tool("a", "one"), tool("a", "one, modern")
	w.report(legacy)
	p.approve(p.item())
	if _, err := p.Report(w, control.Report{Era: "modern", Items: []pin.Item{modern}}); err != nil {
		t.Fatal(err)
	}
	p.approve(p.item())
	if s := w.Last(t); !served(s, legacy) || !served(s, modern) {
		t.Fatalf("state %+v", s)
	}
	newer := tool("a", "one, newer")
	if _, err := p.Report(w, control.Report{Era: "modern", Items: []pin.Item{newer}}); err != nil {
		t.Fatal(err)
	}
	p.approve(p.item())
	if s := w.Last(t); !served(s, legacy) || served(s, modern) || !served(s, newer) {
		t.Fatalf("the approval did not replace the one of its era alone: %+v", s)
	}
}

func TestPinsThatSomethingElseWroteAreNotTrusted(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	w := p.wrap("weather")
	a, b := tool("a", "one"), tool("a", "two")
	w.report(a)
	p.approve(p.item())
	old := copyHome(t, home)
	w.report(b)
	p.reject(p.item())
	if _, err := p.Block(person, control.Block{Server: "weather", Items: []string{"tool:a"}}); err != nil {
		t.Fatal(err)
	}
	p.Close()
	// The approval is put back from an older copy, seal and all.
	rawPins := rawBucket(t, old, "pins")
	putRawBucket(t, home, "pins", rawPins)

	q := open(t, home, nil)
	again := q.wrap("weather")
	if s := again.report(a); served(s, a) || s.Open {
		t.Fatalf("a pin that was brought back is trusted: %+v", s)
	}
	status, err := q.Status()
	if err != nil || !slices.ContainsFunc(status.Problems, func(p control.Problem) bool { return p.Code == office.ProblemTampered }) {
		t.Fatalf("problems %+v, %v", status.Problems, err)
	}
	if it := q.item(); states(it) != "tool:a=rejected" {
		t.Fatalf("item %+v", it)
	}
	if got := q.records("guard_problem"); len(got) != 1 {
		t.Fatalf("the timeline says nothing: %+v", got)
	}
}

func TestAForgedPinOpensNothing(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	w := p.wrap("weather")
	a, b := tool("a", "one"), tool("a", "two")
	w.report(a)
	p.approve(p.item())
	p.Close()
	from, err := pin.DigestOf(a.Kind, a.Name, a.Raw)
	if err != nil {
		t.Fatal(err)
	}
	to, err := pin.DigestOf(b.Kind, b.Name, b.Raw)
	if err != nil {
		t.Fatal(err)
	}
	pins := rawBucket(t, home, "pins")
	for key, value := range pins {
		pins[key] = []byte(strings.ReplaceAll(string(value), string(from), string(to)))
	}
	putRawBucket(t, home, "pins", pins)

	q := open(t, home, nil)
	again := q.wrap("weather")
	for _, it := range []pin.Item{a, b} {
		if s := again.report(it); served(s, it) || s.Open {
			t.Fatalf("a forged pin is trusted: %+v", s)
		}
	}
	if status, err := q.Status(); err != nil || len(status.Problems) != 1 || status.Problems[0].Code != office.ProblemTampered {
		t.Fatalf("problems %+v, %v", status.Problems, err)
	}
}
