package inspect

import "testing"

func TestNoFormOfASecretIsShorterThanTheNamesThatAreLookedAt(t *testing.T) {
	for i, shapes := range secretsKnown().shapes {
		for _, s := range shapes {
			least := 0
			for _, step := range s.steps {
				least += len(step.letters) + step.min
			}
			if least < minForm {
				t.Errorf("%s: %d characters", secretCatalogue[i].name, least)
			}
		}
	}
}
