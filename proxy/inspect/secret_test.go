package inspect

import (
	"strings"
	"testing"
)

func TestEverySecretRuleFindsItsExampleAndLeavesItsCounterExample(t *testing.T) {
	names := map[string]bool{}
	for _, r := range secretCatalogue {
		if names[r.name] || r.example == "" || r.counter == "" || r.source == "" {
			t.Errorf("%s stands twice, or has no example, counter-example or source", r.name)
		}
		names[r.name] = true
		profile := SecretsPrecise
		if r.way == byRun {
			profile = SecretsStrict
		}
		example := strings.ReplaceAll(r.example, "{}", "")
		if r.way == byManifest {
			example = "apiVersion: v1\n" + example
		}
		found, _ := SecretsInText(example, profile)
		if len(found) != 1 || found[0].Rule != r.name {
			t.Errorf("%s: its example %q gives %+v", r.name, example, found)
			continue
		}
		secret := example[found[0].Start:found[0].End]
		if f := found[0]; strings.Contains(f.Match, secret) || f.Category != CategorySecret || f.Level.Rank() > Medium.Rank() {
			t.Errorf("%s: %+v", r.name, f)
		}
		if found, _ := SecretsInText(r.counter, profile); len(found) != 0 {
			t.Errorf("%s: its counter-example %q gives %+v", r.name, r.counter, found)
		}
	}
}
