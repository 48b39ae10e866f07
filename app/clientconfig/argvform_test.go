package clientconfig

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// inspector is the installation as it writes for a client whose parser takes -- out.
func inspector(t testing.TB) Installation {
	by := installed(t)
	by.Client = MCPInspector
	return by
}

func TestAWrapperWithoutDashesIsTakenOutByteForByte(t *testing.T) {
	by := inspector(t)
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			before := mustParse(t, shape.raw, shape.format)
			wrapped := mustWrap(t, shape.raw, shape.format, by)
			after := mustParse(t, string(wrapped.Raw), shape.format)
			for i, e := range after.Entries {
				if e.Command != by.Path || slices.Contains(e.Args, "--") || !strings.HasPrefix(e.Args[len(e.Args)-1], `--argv=["`) {
					t.Errorf("%s became %q %q", e.Name, e.Command, e.Args)
				}
				for _, record := range []*Record{FindRecord(wrapped.Records, e.Name), nil} {
					if c := Classify(e, by, record); c.Kind != Wrapped || !slices.Equal(c.Inner, before.Entries[i].Argv()) {
						t.Errorf("%s is %v with the command %q (record: %v)", e.Name, c, c.Inner, record != nil)
					}
				}
			}
			if again := mustWrap(t, string(wrapped.Raw), shape.format, by); again.Changed {
				t.Errorf("wrapped twice: %s", again.Raw)
			}
			if got := mustUnwrap(t, wrapped.Raw, shape.format, by, wrapped.Records); got != shape.raw {
				t.Errorf("with the record:\n%q\nwas\n%q", got, shape.raw)
			}
			// Without a record the words are the same, if not their spelling.
			bare := mustParse(t, mustUnwrap(t, wrapped.Raw, shape.format, by, nil), shape.format)
			for i, e := range bare.Entries {
				if !slices.Equal(e.Argv(), before.Entries[i].Argv()) {
					t.Errorf("without the record %s is %q", e.Name, e.Argv())
				}
			}
		})
	}
}

func TestAClientThatKeepsDashesGetsThem(t *testing.T) {
	raw := `{"mcpServers":{"a":{"command":"npx","args":["-y","x"]}}}`
	for _, client := range []string{ClaudeDesktop, ClaudeCode, Cursor, Windsurf} {
		by := installed(t)
		by.Client = client
		if wrapped := string(mustWrap(t, raw, Format{}, by).Raw); !strings.Contains(wrapped, `"--", "npx"`) && !strings.Contains(wrapped, `"--","npx"`) {
			t.Errorf("%s: %s", client, wrapped)
		}
	}
}

// Both spellings are the same wrapper, whichever was written for the client.
func TestBothSpellingsOfAWrapperCount(t *testing.T) {
	argv := []string{"npx", "-y", "--", "--argv=[]", "a \"b\"<&>"}
	for _, client := range []string{ClaudeDesktop, MCPInspector} {
		by := installed(t)
		by.Client = client
		for _, args := range [][]string{dashedArgs("a", client, argv), argvArgs("a", client, argv)} {
			e := Entry{Name: "a", Command: by.Path, Args: args}
			if c := Classify(e, by, nil); c.Kind != Wrapped || !slices.Equal(c.Inner, argv) {
				t.Errorf("%s, %q: %v, %q", client, args, c, c.Inner)
			}
			if !ownWords(args, by) {
				t.Errorf("%s, %q are not ours", client, args)
			}
		}
	}
}

func TestWhatOnlyLooksLikeTheArrayIsNotWrapped(t *testing.T) {
	by := inspector(t)
	for name, args := range map[string][]string{
		"another spelling":      {"wrap", "--name", "a", "--client", MCPInspector, `--argv=[ "npx" ]`},
		"an escape":             {"wrap", "--name", "a", "--client", MCPInspector, `--argv=["\u006epx"]`},
		"no string":             {"wrap", "--name", "a", "--client", MCPInspector, `--argv=["npx",1]`},
		"null for a word":       {"wrap", "--name", "a", "--client", MCPInspector, `--argv=["npx",null]`},
		"nothing in it":         {"wrap", "--name", "a", "--client", MCPInspector, `--argv=[]`},
		"no program":            {"wrap", "--name", "a", "--client", MCPInspector, `--argv=[""]`},
		"something behind it":   {"wrap", "--name", "a", "--client", MCPInspector, `--argv=["npx"]`, "--transport=http"},
		"another client":        {"wrap", "--name", "a", "--client", "other", `--argv=["npx"]`},
		"another name":          {"wrap", "--name", "b", "--client", MCPInspector, `--argv=["npx"]`},
		"apart from its equals": {"wrap", "--name", "a", "--client", MCPInspector, "--argv", `["npx"]`},
		"a flag more":           {"wrap", "--name", "a", "--client", MCPInspector, "--url=x", `--argv=["npx"]`},
		"half of a surrogate":   {"wrap", "--name", "a", "--client", MCPInspector, `--argv=["\ud800"]`},
	} {
		t.Run(name, func(t *testing.T) {
			if c := Classify(Entry{Name: "a", Command: by.Path, Args: args}, by, nil); c.Kind != LooksWrapped || c.Reason != OtherArgs {
				t.Errorf("it is %v", c)
			}
		})
	}
}

func TestSecretsInsideTheArrayAreMasked(t *testing.T) {
	secret := "sk-" + strings.Repeat("a1B2", 8)
	masked := maskArgs([]string{"wrap", "--name", "a", "--client", MCPInspector, argvFlag + argvText([]string{"npx", "--token", "swordfish", "KEY=" + secret, "ok"})})
	all := strings.Join(masked, " ")
	if strings.Contains(all, "swordfish") || strings.Contains(all, secret) || !strings.Contains(all, `"ok"`) {
		t.Errorf("masked %q", masked)
	}
	raw := `{"mcpServers":{"a":{"command":"npx","args":["--token","swordfish"]}}}`
	by := inspector(t)
	wrapped := mustWrap(t, raw, Format{}, by)
	diff, err := Diff("file", []byte(raw), wrapped.Raw, Format{})
	if err != nil || strings.Contains(diff, "swordfish") {
		t.Errorf("%v: %s", err, diff)
	}
}

func TestTheArrayIsSpelledInOneWay(t *testing.T) {
	for _, argv := range [][]string{{"a"}, {"é", "\u2028", "<b>&", "\x00", `"\`, "\n"}, {"😀"}} {
		var back []string
		if err := json.Unmarshal([]byte(argvText(argv)), &back); err != nil || !reflect.DeepEqual(back, argv) {
			t.Errorf("%q became %s, %q", argv, argvText(argv), back)
		}
		if inner, ok := argvForm([]string{argvFlag + argvText(back)}); !ok || !slices.Equal(inner, argv) {
			t.Errorf("%q is not read back: %q", argv, inner)
		}
	}
}
