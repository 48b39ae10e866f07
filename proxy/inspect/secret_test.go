package inspect

import (
	"slices"
	"strings"
	"testing"
)

func TestEverySecretRuleFindsItsExampleAndLeavesItsCounterExample(t *testing.T) {
	names := map[string]bool{}
	for _, r := range secretRules() {
		if names[r.name] || r.example == "" || r.counter == "" || r.source == "" {
			t.Errorf("%s stands twice, or has no example, counter-example or source", r.name)
		}
		names[r.name] = true
		profile := SecretsPrecise
		if r.name == "possible_secret" {
			profile = SecretsStrict
		}
		example := strings.ReplaceAll(r.example, "{}", "")
		if r.name == "kubernetes_secret" {
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

// The ways in which a text names a secret, beside the examples of the catalogue.
var namedSecrets = []string{
	`Authorization: Bearer w8Jd2kQzX5nB7vT1cR4yL9mP`, `Authorization: Basic dXNlcjpwYTU1dzByZA==`, `api_key: token w8Jd2kQzX5nB7vT1cR4yL9mP`,
	`mysql --password w8Jd2kQz -h db`, `curl -u "admin:w8Jd2kQz" https://x`, `machine h login u password w8Jd2kQz`, `var dbToken string = "w8Jd2kQzX5nB"`,
	`name: DB_PASSWORD, value: w8Jd2kQz`, `<password>w8Jd2kQz</password>`, `**Password:** w8Jd2kQz`, `setenv("API_TOKEN", "w8Jd2kQzX5nB")`, `{\"secret\": \"w8Jd2kQzX5nB\"}`,
	`https://user:w8Jd2kQz@example.org/x`, `token=b"w8Jd2kQzX5nB"`, `PWD=>w8Jd2kQz`, "kind: Secret\ndata:\n  password: dzhKZDJrUXpYNW5C\n",
}

func TestATextMayEndAnywhereInWhatNamesASecret(t *testing.T) {
	texts := slices.Clone(namedSecrets)
	for _, r := range secretRules() {
		texts = append(texts, strings.ReplaceAll(r.example, "{}", ""), strings.ReplaceAll(r.counter, "{}", ""))
	}
	for _, text := range texts {
		for cut := range len(text) + 1 {
			for _, piece := range []string{text[:cut], text[cut:]} {
				for _, profile := range []string{SecretsPrecise, SecretsStrict} {
					found, _ := SecretsInText(piece, profile)
					for _, f := range found {
						if f.Start < 0 || f.Start >= f.End || f.End > len(piece) {
							t.Fatalf("in %q: %+v", piece, f)
						}
					}
				}
			}
		}
	}
}

// FuzzSecrets: whatever a text holds, what is secret in it stands inside of it.
func FuzzSecrets(f *testing.F) {
	for _, text := range namedSecrets {
		f.Add(text, "")
	}
	for _, r := range secretRules() {
		f.Add(r.example, r.counter)
	}
	f.Fuzz(func(t *testing.T, text, more string) {
		for _, text := range []string{text, text + more} {
			for _, profile := range []string{SecretsPrecise, SecretsStrict} {
				found, _ := SecretsInText(text, profile)
				last := 0
				for _, s := range found {
					if s.Start < last || s.Start >= s.End || s.End > len(text) {
						t.Fatalf("%q: %+v", text, s)
					}
					last = s.End
				}
			}
		}
	})
}
