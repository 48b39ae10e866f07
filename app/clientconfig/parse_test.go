package clientconfig

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestAFileThatCouldBeReadTwoWaysIsRefusedWithLineAndColumn(t *testing.T) {
	for _, c := range []struct {
		name         string
		raw          string
		comments     bool
		line, column int
		problem      string
	}{
		{"an empty file", "", false, 1, 1, "ends too early"},
		{"a file cut short", "{\n  \"mcpServers\": {", false, 2, 18, "ends too early"},
		{"a file cut short, with comments", "{\n  \"mcpServers\": {", true, 2, 18, "ends too early"},
		{"a missing comma", "{\n  \"a\": 1\n  \"b\": 2\n}", false, 3, 3, `unexpected "`},
		{"a missing comma, with comments", "{\n  \"a\": 1\n  \"b\": 2\n}", true, 3, 3, `unexpected "`},
		{"a trailing comma", "{\n  \"a\": 1,\n}", false, 3, 1, "unexpected }"},
		{"a comment for a client that reads none", "{\n  // x\n}", false, 2, 3, "a comment"},
		{"single quotes", "{'a': 1}", false, 1, 2, "unexpected '"},
		{"a bare word", "{\"a\": sekret}", true, 1, 7, "unexpected character"},
		{"a line break in a text", "{\"a\": \"se\nkret\"}", false, 1, 10, "line break"},
		{"a line break in a text, with comments", "{\"a\": \"sekret\n\"}", true, 1, 7, "unexpected \""},
		{"text behind the end", "{}\n{}", false, 2, 1, "unexpected {"},
		{"characters are counted, not bytes", "{\"ä€😀\": x}", false, 1, 9, "unexpected character"},
		{"a byte order mark is no column", "\xef\xbb\xbf{x}", false, 1, 2, "unexpected character"},
		{"UTF-16", "\xff\xfe{\x00}\x00", false, 1, 1, "UTF-16"},
		{"a byte that is no UTF-8", "{\n\"a\": \"\xff\"}", false, 2, 7, "not UTF-8"},
		{"a key twice", "{\n\"mcpServers\": {},\n\"mcpServers\": {}}", false, 3, 1, `"mcpServers" appears twice`},
		{"a key twice by an escape", "{\"mcpServers\": {}, \"mcp\\u0053ervers\": {}}", false, 1, 20, "appears twice"},
		{"an entry twice", `{"mcpServers":{"a":{},"a":{}}}`, false, 1, 23, `"a" appears twice`},
		{"a variable twice", `{"mcpServers":{"a":{"command":"x","env":{"K":"1","K":"2"}}}}`, true, 1, 50, `"K" appears twice`},
		{"a key twice in a list of another key", `{"x":[{"k":1,"k":2}]}`, false, 1, 14, "appears twice"},
		{"nesting that would exhaust a parser", strings.Repeat("[", 100000), true, 1, maxDepth + 1, "nested"},
		{"a list at the top", `[]`, false, 1, 1, "not a JSON object"},
		{"servers that are a list", `{"mcpServers": []}`, false, 1, 16, "a list, not an object"},
		{"servers that are null", `{"mcpServers": null}`, false, 1, 16, "null, not an object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Parse([]byte(c.raw), Format{Comments: c.comments})
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || f != nil {
				t.Fatalf("error %v, file %v", err, f)
			}
			if syntax.Line != c.line || syntax.Column != c.column || !strings.Contains(syntax.Problem, c.problem) {
				t.Errorf("line %d, column %d: %s", syntax.Line, syntax.Column, syntax.Problem)
			}
			if !errors.Is(err, ErrNotJSON) || strings.Contains(err.Error(), "sekret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
		})
	}
}

func TestEntriesAreReadInTheOrderOfTheFile(t *testing.T) {
	f := mustParse(t, `{"other":{"mcpServers":{"no":{}}},"mcpServers":{"b":{"command":"x","args":["1"],"env":{"Z":"1","A":"2"}},"a":{"url":"https://a.example/"},"c":{"serverUrl":"https://c.example/"}}}`, Format{})
	if len(f.Entries) != 3 || !f.HasServers {
		t.Fatalf("read %v", f.Entries)
	}
	b, a, c := f.Entries[0], f.Entries[1], f.Entries[2]
	if b.Name != "b" || b.Command != "x" || !slices.Equal(b.Args, []string{"1"}) || !slices.Equal(b.EnvNames, []string{"Z", "A"}) {
		t.Errorf("b is %q %q %q", b.Name, b.Argv(), b.EnvNames)
	}
	if a.URL != "https://a.example/" || c.URL != "https://c.example/" || a.Odd != "" {
		t.Errorf("remote entries are %q and %q", a.URL, c.URL)
	}
}

func TestNoServersIsNotAnError(t *testing.T) {
	for _, raw := range []string{`{}`, "\xef\xbb\xbf{}", `{"globalShortcut":"x"}`, "{\n}\n"} {
		if f := mustParse(t, raw, Format{}); f.HasServers || len(f.Entries) > 0 {
			t.Errorf("%q has servers", raw)
		}
	}
	if f := mustParse(t, `{"mcpServers":{}}`, Format{}); !f.HasServers {
		t.Error("an empty mcpServers is none")
	}
}

func TestNothingPrintsAValueOfTheFile(t *testing.T) {
	by := installed(t)
	const raw = `{"mcpServers":{"a":{"command":"x","args":["--token","SEKRET"],"env":{"K":"SEKRET"}},"b":{"url":"https://h.example/SEKRET"},"c":{"command":["SEKRET"]}}}`
	f := mustParse(t, raw, Format{})
	wrapped := mustWrap(t, raw, Format{}, by)
	snapshot := f.Snapshot(by, nil)
	changes := Compare(snapshot, mustParse(t, string(wrapped.Raw), Format{}), by, wrapped.Records)
	for _, v := range []any{f, f.Entries, wrapped, wrapped.Records, snapshot, snapshot.Entries, changes} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, "SEKRET") {
				t.Errorf("%s of %T prints %s", verb, v, text)
			}
		}
	}
}

func TestServersOfSingleProjectsAreEntriesWithTheirFolder(t *testing.T) {
	const raw = `{"projects":{"/home/ann/x":{"mcpServers":{"a":{"command":"y"},"r":{"url":"https://h.example/"}}},"/none":{"mcpServers":{}},"/odd":7},"mcpServers":{"a":{"command":"x"}}}`
	f := mustParse(t, raw, Format{Projects: true})
	if len(f.Entries) != 3 || f.Entries[1].Name != "a (/home/ann/x)" || f.Entries[1].Called != "a" || f.Entries[1].Project != "/home/ann/x" || f.Entries[1].Command != "y" || f.Entries[2].URL == "" {
		t.Errorf("entries %v", f.Entries)
	}
	if f := mustParse(t, raw, Format{}); len(f.Entries) != 1 {
		t.Errorf("projects of a client that has none: %v", f.Entries)
	}
}
