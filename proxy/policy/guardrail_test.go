package policy

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestValuesOfGuardrailProviders(t *testing.T) {
	for _, c := range []struct{ name, key, value, want string }{
		{"the built-in one is always there", "guardrail.provider", "command", "builtin,command"},
		{"in one order", "guardrail.provider", "LlamaFirewall, http,builtin , command", "builtin,command,http,llamafirewall"},
		{"each once", "guardrail.provider", "http,http", "builtin,http"},
		{"one that only a file can name stays", "guardrail.provider", "acme,command", "builtin,command,acme"},
		{"a command", "guardrail.command.argv", ` [ "python3", "/a/<b>.py" ] `, `["python3","/a/<b>.py"]`},
		{"no command", "guardrail.command.argv", "OFF", "off"},
		{"TLS", "guardrail.http.url", "https://guard.example/check", "https://guard.example/check"},
		{"this computer needs none", "guardrail.http.url", "http://127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"nor does its name", "guardrail.http.url", "http://localhost:8080/v1", "http://localhost:8080/v1"},
		{"nor does it in six", "guardrail.http.url", "http://[::1]:8080/", "http://[::1]:8080/"},
		{"a variable has the key", "guardrail.http.key", "env:GUARD_KEY", "env:GUARD_KEY"},
		{"the keychain has it", "guardrail.http.key", "keychain:guard.key-1", "keychain:guard.key-1"},
		{"seconds", "guardrail.timeout", "1.5", "1.5s"},
		{"a python", "guardrail.llamafirewall.python", rooted + "/venv/bin/python", rooted + "/venv/bin/python"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must(t, c.key)
			got, err := s.Parse(c.value)
			if err != nil || got != c.want {
				t.Fatalf("%s = %q: got %q, %v, want %q", c.key, c.value, got, err, c.want)
			}
			if again, err := s.Parse(got); err != nil || again != got {
				t.Errorf("canonical %q reads as %q, %v", got, again, err)
			}
		})
	}
}

func TestGuardrailValuesAreRefusedInOneLine(t *testing.T) {
	for _, c := range []struct{ name, key, value, names string }{
		{"an unknown provider", "guardrail.provider", "acme", "builtin, command, http, llamafirewall"},
		{"no provider at all", "guardrail.provider", ",", "builtin, command, http, llamafirewall"},
		{"a name that is none", "guardrail.provider", "command;http", "builtin, command, http, llamafirewall"},
		{"a line and not an array", "guardrail.command.argv", "python3 check.py", "JSON array"},
		{"an array of other things", "guardrail.command.argv", `["python3",1]`, "JSON array"},
		{"an array of nothing", "guardrail.command.argv", "[]", "JSON array"},
		{"a program without a name", "guardrail.command.argv", `[""]`, "no name"},
		{"a program from where somebody stands", "guardrail.command.argv", `["./check"]`, "full path"},
		{"an argument that turns text around", "guardrail.command.argv", "[\"check\",\"a\u202eb\"]", "invisible"},
		{"an address without TLS", "guardrail.http.url", "http://guard.example/", "https://"},
		{"an address that only looks like this computer", "guardrail.http.url", "http://127.0.0.1.guard.example/", "https://"},
		{"a name that a resolver decides about", "guardrail.http.url", "http://localhost.guard.example/", "https://"},
		{"another protocol", "guardrail.http.url", "ftp://guard.example/", "https://"},
		{"no address", "guardrail.http.url", "guard", "https://"},
		{"a format nobody speaks", "guardrail.http.format", "soap", "sallyport, openai"},
		{"a timeout that is no number", "guardrail.timeout", "soon", "not a duration"},
		{"a timeout of nothing", "guardrail.timeout", "0", "100ms to 1m"},
		{"a word for yes that is none", "guardrail.remote", "perhaps", "on, off"},
		{"a model in a sentence", "guardrail.http.model", "the best one", "letters, digits"},
		{"what to do otherwise", "guardrail.on_error", "allow", "hold, builtin"},
		{"a python from where somebody stands", "guardrail.llamafirewall.python", "venv/bin/python", "full path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := must(t, c.key).Choose(c.value)
			if err == nil {
				t.Fatalf("%s = %q was read as %q", c.key, c.value, got)
			}
			if !strings.Contains(err.Error(), c.names) || !strings.HasPrefix(err.Error(), c.key+": ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q does not say %q in one line", err, c.names)
			}
		})
	}
}

// TestAKeyGivenAsAValueIsNeverRepeated: what is refused is a secret that somebody pasted, and errors are printed, logged and shown.
func TestAKeyGivenAsAValueIsNeverRepeated(t *testing.T) {
	for _, c := range []struct{ name, key, value string }{
		{"a key", "guardrail.http.key", "sk-live-0123456789abcdef"},
		{"behind a word for a place", "guardrail.http.key", "env:sk-live-0123456789abcdef"},
		{"behind a place of the past", "guardrail.http.key", "key:0123456789abcdef"},
		{"in the keychain by itself", "guardrail.http.key", "keychain:sk live 0123456789abcdef"},
		{"as a password of an address", "guardrail.http.url", "https://me:0123456789abcdef@guard.example/"},
		{"as a name of an address", "guardrail.http.url", "https://0123456789abcdef@guard.example/"},
		{"asked for", "guardrail.http.url", "https://guard.example/?key=0123456789abcdef"},
		{"after a mark", "guardrail.http.url", "https://guard.example/#0123456789abcdef"},
		{"in an address that is none", "guardrail.http.url", "0123456789abcdef"},
		{"in an address without TLS", "guardrail.http.url", "http://guard.example/0123456789abcdef"},
		{"in an address with a broken port", "guardrail.http.url", "https://guard.example:0123456789abcdef/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, value := range []string{c.value, strings.ToUpper(c.value)} {
				_, err := must(t, c.key).Parse(value)
				if err == nil {
					t.Fatalf("%s was taken", c.key)
				}
				if strings.Contains(strings.ToLower(err.Error()), "0123456789") {
					t.Errorf("the error repeats the key: %v", err)
				}
			}
			doc, errs := ParseDocument([]byte(`{"` + c.key + `": "` + c.value + `"}`))
			if len(errs) != 1 || strings.Contains(errs[0].Error(), "0123456789") || doc.Effective("", "")[c.key] != off {
				t.Errorf("in a file: %v", errs)
			}
		})
	}
}

func TestWhatIsADecisionAboutGuardrailProviders(t *testing.T) {
	for _, c := range []struct {
		name, key, from, to string
		loosens             bool
	}{
		{"one more provider", "guardrail.provider", "builtin", "builtin,command", false},
		{"a provider that a file made up", "guardrail.provider", "builtin", "builtin,acme", false},
		{"one less", "guardrail.provider", "builtin,command,http", "builtin,http", true},
		{"one for another", "guardrail.provider", "builtin,command", "builtin,http", true},
		{"two for another", "guardrail.provider", "builtin,command", "builtin,http,llamafirewall", true},
		{"a program", "guardrail.command.argv", "off", `["check"]`, true},
		{"another program", "guardrail.command.argv", `["check"]`, `["other"]`, true},
		{"no program", "guardrail.command.argv", `["check"]`, "off", true},
		{"the same program", "guardrail.command.argv", `["check"]`, `["check"]`, false},
		{"an address", "guardrail.http.url", "off", "https://guard.example", true},
		{"a key", "guardrail.http.key", "off", "env:KEY", true},
		{"a model", "guardrail.http.model", "off", "small", true},
		{"a python", "guardrail.llamafirewall.python", "off", rooted + "/bin/python3", true},
		{"a format", "guardrail.http.format", "sallyport", "openai", false},
		{"text to another computer", "guardrail.remote", "off", "on", true},
		{"no more of it", "guardrail.remote", "on", "off", false},
		{"less patience", "guardrail.timeout", "2s", "1s", true},
		{"more patience", "guardrail.timeout", "2s", "3s", false},
		{"delivered unchecked", "guardrail.on_error", "hold", "builtin", true},
		{"held", "guardrail.on_error", "builtin", "hold", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := must(t, c.key).Loosens(c.from, c.to); got != c.loosens {
				t.Errorf("%s from %q to %q: loosens = %v", c.key, c.from, c.to, got)
			}
		})
	}
}

func TestAFileMayListProvidersAndArguments(t *testing.T) {
	doc, errs := ParseDocument([]byte(`{"guardrail": {"provider": ["http", "acme"], "command": {"argv": ["/bin/check", "-v"]}, "timeout": 3}}`))
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	g := ForGuardrail(doc.Effective("", ""))
	if !slices.Equal(g.Providers, []string{"http", "acme"}) || !slices.Equal(g.Argv, []string{"/bin/check", "-v"}) || g.Timeout != 3*time.Second {
		t.Errorf("%+v", g)
	}
	if again, errs := ParseDocument(doc.Marshal()); len(errs) != 0 || !equal(again.Effective("", ""), doc.Effective("", "")) {
		t.Errorf("written anew it says %s %v", doc.Marshal(), errs)
	}
	for _, odd := range []string{`{"guardrail.provider": ["http", 1]}`, `{"guardrail.command.argv": [["a"]]}`, `{"guardrail.timeout": ["2s"]}`} {
		if _, errs := ParseDocument([]byte(odd)); len(errs) != 1 {
			t.Errorf("%s: %v", odd, errs)
		}
	}
}

func TestTheLoosenedFileKeepsEveryProviderUntilItIsDecided(t *testing.T) {
	accepted, _ := ParseDocument([]byte(`{"guardrail.provider": "command", "guardrail.command.argv": ["check"]}`))
	edited, _ := ParseDocument([]byte(`{"guardrail.provider": "http", "guardrail.command.argv": ["other"], "guardrail.remote": "on"}`))
	g := ForGuardrail(Strictest(accepted, edited).Effective("", ""))
	if !slices.Equal(g.Providers, []string{"command"}) || !slices.Equal(g.Argv, []string{"check"}) || g.Remote {
		t.Errorf("in force while it waits: %+v", g)
	}
}

func TestWhereTheTextOfAServerGoes(t *testing.T) {
	for _, c := range []struct {
		name               string
		values             Values
		here, away, unsent string
	}{
		{"only the built-in detector", Values{}, "", "", ""},
		{"a program", Values{"guardrail.provider": "command"}, "command", "", ""},
		{"an address here", Values{"guardrail.provider": "http", "guardrail.http.url": "http://127.0.0.1:1"}, "http", "", ""},
		{"an address elsewhere, not allowed", Values{"guardrail.provider": "command,http", "guardrail.http.url": "https://guard.example"}, "command", "", "http"},
		{"an address elsewhere, allowed", Values{"guardrail.provider": "command,http", "guardrail.http.url": "https://guard.example", "guardrail.remote": "on"}, "command", "http", ""},
		{"no address fails here", Values{"guardrail.provider": "http"}, "http", "", ""},
		{"a made-up one fails here", Values{"guardrail.provider": "acme"}, "acme", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if w := ForWrapper(c.values); w.Guards != c.here || w.GuardsAway != c.away || w.GuardsUnsent != c.unsent {
				t.Errorf("here %q, away %q, unsent %q", w.Guards, w.GuardsAway, w.GuardsUnsent)
			}
		})
	}
}

func TestAWordHasItsCharactersAndNoOthers(t *testing.T) {
	for text, want := range map[string]bool{
		"a": true, "abc": true, "a1_-": true, "abcdefgh": true, "": false, "1a": false, "_": false, "A": false, "abcdefghi": false,
		"a b": false, "a\n": false, "ä": false, "aä": false, "a\x00": false, "a\xff": false, "\xff": false,
	} {
		if got := wordOf(text, 8, lower, lower+digits+"_-"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
