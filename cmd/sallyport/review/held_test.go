package review

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// A provider's verdict is not what our own rules say.
func TestAHeldResponseSaysWhoseVerdictHoldsIt(t *testing.T) {
	provider := inspect.Finding{Rule: inspect.GuardrailPrefix + "command", Level: inspect.High}
	ours := inspect.Finding{Rule: "instruction_override", Level: inspect.High}
	sign := inspect.Finding{Rule: "role_play", Level: inspect.Low}
	for name, c := range map[string]struct {
		findings []inspect.Finding
		provider bool
	}{
		"a provider alone":            {[]inspect.Finding{provider}, true},
		"a provider, and a weak sign": {[]inspect.Finding{sign, provider}, true},
		"a provider and our rules":    {[]inspect.Finding{provider, ours}, false},
		"our rules alone":             {[]inspect.Finding{ours}, false},
		"several small signs":         {[]inspect.Finding{sign}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := control.ItemDetail{Held: &control.HeldDetail{Why: vocab.HeldThreat}, Details: []control.PartDetail{{Findings: c.findings}}}
			if got := strings.HasPrefix(heldMeaning(d), "An extra check"); got != c.provider {
				t.Errorf("it says %q", heldMeaning(d))
			}
		})
	}
}

// A provider objects to a response as a whole, so there is nothing in the text to leave out.
func TestAReleaseWithoutTheMarkedTextIsOfferedOnlyWhereSomethingIsMarked(t *testing.T) {
	provider := inspect.Finding{Rule: inspect.GuardrailPrefix + "command", Level: inspect.High}
	ours := inspect.Finding{Rule: "instruction_override", Level: inspect.Medium, Where: "content[0].text", Start: 3, End: 9}
	for name, c := range map[string]struct {
		findings []inspect.Finding
		offered  bool
	}{
		"our rules":                {[]inspect.Finding{ours}, true},
		"a provider alone":         {[]inspect.Finding{provider}, false},
		"a provider and our rules": {[]inspect.Finding{ours, provider}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := control.ItemDetail{Held: &control.HeldDetail{Why: vocab.HeldThreat, State: vocab.HeldWaiting}, Details: []control.PartDetail{{Findings: c.findings}}}
			lines := strings.Join(heldConsequence(d, control.Welcome{CLIApproval: true}), "\n")
			if got := strings.Contains(lines, "--without-marked"); got != c.offered || !strings.Contains(lines, "sallyport discard") {
				t.Errorf("it says\n%s", lines)
			}
		})
	}
}
