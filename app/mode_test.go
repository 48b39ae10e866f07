package app

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestDecisionsOfTheHubNameTheValueThatMadeThem(t *testing.T) {
	for firstUse, want := range map[string]string{"": "review", "trust-clean": "trust-clean"} {
		t.Run("pins.first_use "+firstUse, func(t *testing.T) {
			p := newPlace(t)
			if firstUse != "" {
				p.set("pins.first_use", firstUse)
			}
			finding := inspect.Finding{Rule: "concealment", Level: inspect.High, Where: "initialize.capabilities.experimental.x"}
			p.wrap("notes").reportAs(`{"name":"w"}`, []inspect.Finding{finding}, tool("read", hidden))
			modes := map[string]string{}
			for _, rec := range p.records("policy_decision") {
				for _, check := range []string{"first_use", "metadata"} {
					if strings.Contains(string(rec.Detail), `"check":"`+check+`"`) {
						modes[check] = rec.Mode
					}
				}
			}
			if modes["first_use"] != want || modes["metadata"] != vocab.ModeAlways {
				t.Errorf("%v", modes)
			}
		})
	}
}
