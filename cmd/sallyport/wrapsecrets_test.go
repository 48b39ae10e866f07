package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestAVariableIsFilledInOnlyIfItNamesASecretAndNothingElse(t *testing.T) {
	t.Setenv("SALLYPORT_HOME", t.TempDir()+"/home")
	const secretValue4711 = "sk-value-4711"
	var said bytes.Buffer
	if code := run(t.Context(), []string{"secret", "set", "my.key"}, streams{strings.NewReader(secretValue4711), &said, &said}); code != exitFine {
		t.Fatal(said.String())
	}
	environ := []string{"A=keychain:my.key", "B=keychain:my.key", "C=a keychain:my.key", "D=keychain:", "E=keychain:my key", "broken", "F=keychain:my.key\n", "A=second"}
	env, values, err := withSecrets(t.Context(), environ)
	want := slices.Clone(environ)
	want[0], want[1] = "A="+secretValue4711, "B="+secretValue4711
	if err != nil || !slices.Equal(env, want) || !slices.Equal(values, []string{secretValue4711}) {
		t.Errorf("%d variables, %d values, %v", len(env), len(values), err)
	}
	if env, values, err := withSecrets(t.Context(), environ[2:]); env != nil || values != nil || err != nil {
		t.Errorf("where nothing is named: %d variables, %v", len(env), err)
	}
	for entry, says := range map[string]string{
		"A=keychain:other":             "the variable A: keychain:other: ",
		"Path=keychain:my.key":         "decides which code runs",
		"NODE_OPTIONS=keychain:my.key": "decides which code runs",
		"HOME=keychain:my.key":         "decides which code runs",
		"LD_PRELOAD=keychain:my.key":   "decides which code runs",
	} {
		if env, _, err := withSecrets(t.Context(), []string{"A=keychain:my.key", entry}); err == nil || env != nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), secretValue4711) {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

func TestOnlyWhatIsLongEnoughIsMasked(t *testing.T) {
	got := masked([]string{"short", "long-enough"}, []string{"API_KEY=keychain:my.key", "OTHER_KEY=as-it-always-was"})
	if want := []string{"long-enough", "as-it-always-was"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
