package keychain

import (
	"errors"
	"strings"
	"testing"
)

func isError(err, want error) bool { return errors.Is(err, want) }

func TestAReferenceNamesAVariableOrAnEntryAndNothingElse(t *testing.T) {
	for _, written := range []string{"env:OPENAI_API_KEY", "env:_x1", "keychain:openai", "keychain:a.b_c-D", "keychain:" + strings.Repeat("n", 64)} {
		if ref, err := ParseRef(written); err != nil || ref.String() != written {
			t.Errorf("%q is read as %q, %v", written, ref, err)
		}
	}
	for _, written := range []string{"", "sk-secret-value", "env:", "keychain:", "env:1SECRET", "env:SECRET-KEY", "env:SECRET KEY", "Env:SECRET", " env:SECRET", "env:SECRET\n",
		"keychain:a/secret", "keychain:" + strings.Repeat("secret", 11), "file:secret", "env:" + strings.Repeat("SECRET", 30)} {
		ref, err := ParseRef(written)
		if err == nil || ref != (Ref{}) {
			t.Errorf("%q is taken for a reference: %q", written, ref)
		} else if strings.Contains(strings.ToLower(err.Error()), strings.ToLower("secret-")) || written != "" && strings.Contains(err.Error(), `"`+written) {
			t.Errorf("%q: %v repeats it", written, err)
		}
	}
	if _, err := (Ref{}).Resolve(t.Context(), Secrets("/x"), nil); !errors.Is(err, errNoRef) {
		t.Errorf("a reference to nothing: %v", err)
	}
}

func TestAVariableThatIsNotSetIsNamed(t *testing.T) {
	environment := map[string]string{"KEY": "sk-1", "BROKEN": "sk-secret\nX: y", "LONG": strings.Repeat("s", 2*MaxValue)}
	for _, c := range []struct{ ref, value, wrong string }{
		{"env:KEY", "sk-1", ""},
		{"env:LONG", environment["LONG"], ""},
		{"env:NONE", "", "env:NONE: the variable is not set"},
		{"env:BROKEN", "", "env:BROKEN: the value has a line break"},
	} {
		ref, err := ParseRef(c.ref)
		if err != nil {
			t.Fatal(err)
		}
		value, err := ref.Resolve(t.Context(), Secrets("/x"), func(name string) string { return environment[name] })
		if value != c.value || (err == nil) != (c.wrong == "") {
			t.Errorf("%s: %v", c.ref, err)
		}
		if err != nil && (!strings.HasPrefix(err.Error(), c.wrong) || strings.Contains(err.Error(), "sk-secret")) {
			t.Errorf("%s: %v, want %s", c.ref, err, c.wrong)
		}
	}
}
