package secretname

import (
	"strings"
	"testing"
)

func TestNamesThatAreNone(t *testing.T) {
	for _, name := range []string{"a", "OpenAI.key_2-x", strings.Repeat("n", 64), ".", "0"} {
		if err := Check(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", strings.Repeat("n", 65), "a b", "a/b", "ä", "a\n", "-x", "a=sk-secret", "a\x00"} {
		err := Check(name)
		if err == nil {
			t.Errorf("%q is taken for a name", name)
		} else if len(name) > 3 && strings.Contains(err.Error(), name) {
			t.Errorf("%q is repeated: it may be the secret", name)
		}
	}
}

func TestATextStandsForASecretOnlyIfItIsNothingElse(t *testing.T) {
	for text, want := range map[string]string{
		"keychain:a": "a", Text("OpenAI.key_2-x"): "OpenAI.key_2-x", "keychain:": "", "keychain:-x": "", "keychain:a b": "", "Keychain:a": "", " keychain:a": "", "keychain:a\n": "", "a": "",
	} {
		if name, is := In(text); is != (want != "") || is && name != want {
			t.Errorf("%q: %q, %v", text, name, is)
		}
	}
}
