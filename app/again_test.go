package app

import (
	"errors"
	"slices"
	"testing"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Rejecting a collision rejects the honest tool too. When the other one is gone, the code that rejected both allows the honest one again,
// exactly as it was shown.
func TestWhatIsLeftOfARejectedItemCanStillBeAllowedByItsCode(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	honest, twin, other := tool("read", "one"), tool("READ", "two"), tool("list", "three")
	w.report(honest, other)
	p.approve(p.item())
	w.report(honest, twin, other)
	rejected := p.item()
	p.reject(rejected)
	w.report(honest, other)
	p.quiet()
	if served(w.Last(t), honest) {
		t.Fatal("it came back by itself")
	}
	if e := wantError(t, errOf(p.Decide(person, control.Decide{Code: rejected.Code, Digest: rejected.Digest, Items: []string{"tool:READ"}})), control.CodeStale); e == nil {
		t.Fatal("what is gone was allowed")
	}
	out, err := p.Decide(person, control.Decide{Code: rejected.Code, Digest: rejected.Digest})
	if err != nil || !slices.Equal(out.Approved, []string{"tool:read"}) || out.Rejected == nil || out.Left == nil {
		t.Fatalf("decided %+v, %v", out, err)
	}
	if s := w.Last(t); !served(s, honest) || !served(s, other) || served(s, twin) {
		t.Fatalf("state %+v", s)
	}
	w.report(other)
	wantError(t, errOf(p.Decide(person, control.Decide{Code: rejected.Code, Digest: rejected.Digest})), control.CodeStale)
}

func TestAnItemDecidedInPartNamesTheCodeOfTheRest(t *testing.T) {
	p := newPlace(t)
	p.wrap("weather").report(tool("a", "one"), tool("b", "two"))
	first := p.item()
	p.approve(first, "tool:a")
	shown, err := p.Item(first.Code)
	if err != nil || shown.Next != p.item().Code || shown.Decided != vocab.DecidedApproved {
		t.Fatalf("shown %+v, %v", shown, err)
	}
	if rest, err := p.Item(shown.Next); err != nil || rest.Next != "" {
		t.Fatalf("rest %+v, %v", rest, err)
	}
}

func TestADiskThatTakesWritesAgainIsNoProblemAnyMore(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	p.office.Lock()
	wantError(t, p.office.Failed(errors.New("no space left on device")), control.CodeUnavailable)
	p.office.Unlock()
	if s, err := p.Status(); err != nil || len(s.Problems) != 1 || s.Problems[0].Code != office.ProblemStoreWrite {
		t.Fatalf("status %+v, %v", s, err)
	}
	w.report(tool("a", "one"))
	if s, err := p.Status(); err != nil || len(s.Problems) != 0 {
		t.Fatalf("status %+v, %v", s.Problems, err)
	}
}
