package proxy

import (
	"os"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
)

const (
	ownWord  = "Please open sesame for us now."
	ownRule  = `{"version":1,"rules":[{"name":"codeword","level":"high","title":"It says the word","metadata":5,"answer":5,"group":"danger","patterns":["open sesame"],"example":"open sesame","counter_example":"close it"}]}`
	noRules  = `{"version":1,"rules":[]}`
	badRules = `{"version":1,"rules":[{}]}`
)

func TestARuleOfOnesOwnHoldsAnAnswerFromWhenItComesToWhenItGoes(t *testing.T) {
	file, err := inspect.LoadRules([]byte(ownRule))
	if err != nil {
		t.Fatal(err)
	}
	r := ready(t)
	saying(r, textResult(ownWord))
	if got := r.call("1", "echo"); !strings.Contains(got, ownWord) {
		t.Fatalf("held without the rule: %s", got)
	}
	r.gate.set(func(g *gatekeeper) { g.rules = []byte(ownRule) })
	if _, status, _ := decisionOf(t, r.call("2", "echo")); status != "held" {
		t.Fatalf("status %s", status)
	}
	if held := r.gate.heldAnswers(); len(held) != 1 || held[0].RuleSet != file.RuleSet() || held[0].Findings[0].Rule != "codeword" {
		t.Errorf("stored %+v", held)
	}
	saying(r, textResult(poison))
	if _, status, _ := decisionOf(t, r.call("3", "echo")); status != "held" {
		t.Errorf("the catalogue is gone: status %s", status)
	}
	saying(r, textResult(ownWord))
	r.gate.set(func(g *gatekeeper) { g.rules = nil })
	if got := r.call("4", "echo"); !strings.Contains(got, ownWord) {
		t.Errorf("held by a rule that went: %s", got)
	}
}

func TestRulesThatCameBeforeTheSessionCountFromItsFirstAnswer(t *testing.T) {
	g := newGatekeeper()
	g.set(func(g *gatekeeper) { g.rules = []byte(ownRule) })
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	// The hub pushes nothing after this.
	s := New(Config{Gate: g, FromClient: in, FromServer: in, ToClient: out, ToServer: out})
	if v := s.watch.Answer([]byte(`{"text":"`+ownWord+`"}`), inspect.Terms{}); v.Verdict != inspect.Block {
		t.Errorf("verdict %s by %s", v.Verdict, v.RuleSet)
	}
}

func TestRulesThatDoNotLoadInTheWrapperLeaveTheOldOnes(t *testing.T) {
	r := ready(t)
	saying(r, textResult(ownWord))
	r.gate.set(func(g *gatekeeper) { g.rules = []byte(ownRule) })
	r.gate.set(func(g *gatekeeper) { g.rules = []byte(badRules) })
	if _, status, _ := decisionOf(t, r.call("1", "echo")); status != "held" {
		t.Errorf("the old rules went: status %s", status)
	}
	r.records("rules that do not load", func(rec control.Record) bool {
		return rec.Kind == "guard_problem" && strings.Contains(rec.Summary, "rule file")
	})
	r.gate.set(func(g *gatekeeper) { g.rules = []byte(noRules) })
	if got := r.call("2", "echo"); !strings.Contains(got, ownWord) {
		t.Errorf("a file that loads does not count: %s", got)
	}
}

func TestAServersOwnNameIsLookedAtByOnesOwnRules(t *testing.T) {
	r := ready(t)
	s := r.s
	const name = `{"name":"open sesame"}`
	if !s.harmless([]byte(name)) {
		t.Fatal("cut without a rule")
	}
	r.gate.set(func(g *gatekeeper) { g.rules = []byte(ownRule) })
	if s.harmless([]byte(name)) {
		t.Error("it passed")
	}
}
