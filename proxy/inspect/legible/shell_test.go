package legible

import "testing"

func TestANameInACommandIsOneWordOrAPlaceholder(t *testing.T) {
	for name, want := range map[string]string{
		"clock": "clock", "@a/b.c:d-e_f": "@a/b.c:d-e_f", "a b": "'a b'", "x;cmd": "'x;cmd'", "a&&b": "'a&&b'", "$(x)": "'$(x)'", "*": "'*'",
		"": "NAME", "-x": "NAME", "it's": "NAME", "a\nb": "NAME", "a\u202eb": "NAME",
	} {
		if got := ShellWord(name); got != want {
			t.Errorf("%q: %s", name, got)
		}
	}
}
