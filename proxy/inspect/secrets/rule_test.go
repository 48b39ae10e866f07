package secrets

import "testing"

func TestNoFormOfASecretIsShorterThanTheNamesThatAreLookedAt(t *testing.T) {
	for i, shapes := range known().shapes {
		for _, s := range shapes {
			least := 0
			for _, step := range s.steps {
				least += len(step.letters) + step.min
			}
			if least < MinForm {
				t.Errorf("%s: %d characters", catalogue[i].Name, least)
			}
		}
	}
}
