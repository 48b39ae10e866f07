package clientconfig

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// installed makes a file that counts as this installation's command.
func installed(t testing.TB) Installation {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sallyport")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return Installation{Path: path, Client: ClaudeDesktop}
}

func mustParse(t testing.TB, raw string, format Format) *File {
	t.Helper()
	f, err := Parse([]byte(raw), format)
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return f
}

func mustWrap(t testing.TB, raw string, format Format, by Installation, names ...string) Result {
	t.Helper()
	result, err := Wrap([]byte(raw), format, names, by, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func mustUnwrap(t testing.TB, raw []byte, format Format, by Installation, records []Record, names ...string) string {
	t.Helper()
	result, err := Unwrap(raw, format, names, by, records)
	if err != nil {
		t.Fatal(err)
	}
	return string(result.Raw)
}

var shapes = []struct {
	name   string
	raw    string
	format Format
}{
	{"two spaces", "{\n  \"mcpServers\": {\n    \"weather\": {\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"@acme/weather\"\n      ]\n    }\n  }\n}\n", Format{}},
	{"tabs", "{\n\t\"mcpServers\": {\n\t\t\"a\": {\n\t\t\t\"command\": \"npx\",\n\t\t\t\"args\": [\"-y\", \"x\"]\n\t\t}\n\t}\n}", Format{}},
	{"CRLF", "{\r\n  \"mcpServers\": {\r\n    \"a\": {\r\n      \"command\": \"npx\",\r\n      \"args\": [\r\n        \"x\"\r\n      ]\r\n    }\r\n  }\r\n}\r\n", Format{}},
	{"a byte order mark", "\xef\xbb\xbf{\"mcpServers\":{\"a\":{\"command\":\"npx\",\"args\":[\"x\"]}}}", Format{}},
	{"one line without blanks", `{"mcpServers":{"a":{"command":"npx","args":["-y","x"]},"b":{"command":"uvx"}}}`, Format{}},
	{"escapes in command and arguments", `{"mcpServers":{"\u0061":{"command":"\u006epx","args":["\/x","\ud83d\ude00","a\\b\"c\t"]}}}`, Format{}},
	{"no args", "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"/bin/server\"\n    }\n  }\n}\n", Format{}},
	{"no args and env behind", "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"/bin/server\",\n      \"env\": {\"K\": \"v\"}\n    }\n  }\n}\n", Format{}},
	{"an empty list of args", `{"mcpServers":{"a":{"command":"x","args":[]},"b":{"command":"y", "args" : [ ]},"c":{"command":"z","args":[
	]}}}`, Format{}},
	{"args before the command", `{"mcpServers":{"a":{"args":["1" , "2"],"command":"x"}}}`, Format{}},
	{"unknown keys everywhere", `{"theme":"dark","mcpServers":{"a":{"disabled":false,"command":"x","timeout":3.0e2,"args":["1"],"z":[1,{"command":7}]}},"globalShortcut":""}`, Format{}},
	{"blanks in odd places", "  {  \"mcpServers\"  :  {  \"a\"  :  {  \"command\"  :  \"x\"  ,  \"args\"  :  [  \"1\"  ,  \"2\"  ]  }  }  }  \n\n\n", Format{}},
	{"an entry without a name", `{"mcpServers":{"":{"command":"x"}}}`, Format{}},
	{"an entry named like the end of our words", `{"mcpServers":{"--":{"command":"x","args":["--","y"]}}}`, Format{}},
	{"an entry named like a flag", `{"mcpServers":{"--url":{"command":"x"},"wrap":{"command":"wrap","args":["wrap"]}}}`, Format{}},
	{"arguments that are dashes", `{"mcpServers":{"a":{"command":"x","args":["--","--","wrap"]}}}`, Format{}},
	{"comments and trailing commas", "// mine\n{\n  \"mcpServers\": {\n    /* one */ \"a\": {\n      // start\n      \"command\": \"npx\", // why\n      \"args\": [\n        // quiet\n        \"-y\", /* pkg */ \"x\", // end\n      ],\n    },\n    \"b\": { /* c */ \"command\": \"y\" /* d */, },\n    \"c\": {\"command\": \"z\", \"args\": [ /* none */ ]},\n  },\n}\n", Format{Comments: true}},
	{"servers under another key", `{"servers":{"a":{"type":"stdio","command":"npx","args":["x"]}},"inputs":[]}`, Format{Comments: true, Key: "servers"}},
}

func TestWrapThenUnwrapGivesBackEveryByte(t *testing.T) {
	by := installed(t)
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			wrapped := mustWrap(t, shape.raw, shape.format, by)
			if !wrapped.Changed || string(wrapped.Raw) == shape.raw {
				t.Fatal("nothing was wrapped")
			}
			if got := mustUnwrap(t, wrapped.Raw, shape.format, by, wrapped.Records); got != shape.raw {
				t.Errorf("with the record:\n%q\nwant\n%q", got, shape.raw)
			}
			if shape.format.Comments && strings.Contains(shape.raw, "/*") {
				return // without a record a comment right behind a command may keep an empty list alive
			}
			if got := mustUnwrap(t, wrapped.Raw, shape.format, by, nil); got != shape.raw {
				t.Errorf("without a record:\n%q\nwant\n%q", got, shape.raw)
			}
		})
	}
}

func TestAWrappedEntryStartsTheSameServerThroughSallyport(t *testing.T) {
	by := installed(t)
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			before := mustParse(t, shape.raw, shape.format)
			after := mustParse(t, string(mustWrap(t, shape.raw, shape.format, by).Raw), shape.format)
			for i, e := range before.Entries {
				now := after.Entries[i]
				head := []string{"wrap", "--name", e.Name, "--client", "claude-desktop", "--"}
				if e.Name == "--" {
					head = []string{"wrap", "--name=--", "--client", "claude-desktop", "--"}
				}
				if want := append(head, e.Argv()...); now.Command != by.Path || !slices.Equal(now.Args, want) {
					t.Errorf("%q runs %q %q, want %q", e.Name, now.Command, now.Args, want)
				}
				if !slices.Equal(now.EnvNames, e.EnvNames) {
					t.Errorf("env of %q is %q", e.Name, now.EnvNames)
				}
			}
		})
	}
}

func TestWrappingTwiceChangesNothing(t *testing.T) {
	by := installed(t)
	for _, shape := range shapes {
		once := mustWrap(t, shape.raw, shape.format, by)
		for name, records := range map[string][]Record{"with records": once.Records, "without": nil} {
			twice, err := Wrap(once.Raw, shape.format, nil, by, records)
			if err != nil || twice.Changed || string(twice.Raw) != string(once.Raw) || len(twice.Records) > 0 {
				t.Errorf("%s, %s: %v, changed %v", shape.name, name, err, twice.Changed)
			}
			for _, o := range twice.Outcomes {
				if o.Did != DidNone {
					t.Errorf("%s, %s: %q is %s", shape.name, name, o.Name, o.Did)
				}
			}
		}
		if plain := mustUnwrap(t, []byte(shape.raw), shape.format, by, nil); plain != shape.raw {
			t.Errorf("%s: taking out what is not there changed the file", shape.name)
		}
	}
}

func TestOnlyNamedEntriesAreTouched(t *testing.T) {
	by := installed(t)
	raw := `{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}`
	result := mustWrap(t, raw, Format{}, by, "b", "nobody")
	f := mustParse(t, string(result.Raw), Format{})
	if f.Entries[0].Command != "x" || f.Entries[1].Command != by.Path {
		t.Errorf("commands are %q and %q", f.Entries[0].Command, f.Entries[1].Command)
	}
	if len(result.Outcomes) != 2 || result.Outcomes[0] != (Outcome{Name: "b", Did: DidWrap}) || result.Outcomes[1].Did != DidMiss {
		t.Errorf("outcomes are %+v", result.Outcomes)
	}
}

func TestLaterEditsByThePersonStay(t *testing.T) {
	by := installed(t)
	raw := "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"n\\u0070x\",\n      \"args\": [\"\\u002dy\", \"x\"],\n      \"env\": {\"TOKEN\": \"old\"}\n    }\n  }\n}\n"
	wrapped := mustWrap(t, raw, Format{}, by)
	for _, c := range []struct {
		name             string
		was, becomes     string // the edit to the wrapped file
		records, without string // what differs from raw afterwards: the edit to raw
	}{
		{"a variable's value", `"old"`, `"new"`, `"old"`, `"new"`},
		{"a key before the servers", "{\n  \"mcp", "{\n  \"theme\": \"dark\",\n  \"mcp", "{\n  \"mcp", "{\n  \"theme\": \"dark\",\n  \"mcp"},
		{"a new entry", "\n    \"a\": {", "\n    \"b\": {\"command\": \"y\"},\n    \"a\": {", "\n    \"a\": {", "\n    \"b\": {\"command\": \"y\"},\n    \"a\": {"},
		{"a new argument at the end", `"x"],`, `"x", "--fast"],`, `"x"],`, `"x", "--fast"],`},
	} {
		t.Run(c.name, func(t *testing.T) {
			edited := strings.Replace(string(wrapped.Raw), c.was, c.becomes, 1)
			want := strings.Replace(raw, c.records, c.without, 1)
			if edited == string(wrapped.Raw) || want == raw {
				t.Fatal("the edit hit nothing")
			}
			if got := mustUnwrap(t, []byte(edited), Format{}, by, wrapped.Records); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestTheRecordRestoresTheSpellingAfterTheClientRewroteTheFile(t *testing.T) {
	by := installed(t)
	for _, raw := range []string{
		`{"mcpServers":{"a":{"command":"n\u0070x","args":[  "\u002dy" ,"x"]}}}`,
		`{"mcpServers":{"a":{"command":"n\u0070x"}}}`,
		`{"mcpServers":{"a":{"command":"n\u0070x","env":{"A":"b"}}}}`,
	} {
		wrapped := mustWrap(t, raw, Format{}, by)
		var value any
		if err := json.Unmarshal(wrapped.Raw, &value); err != nil {
			t.Fatal(err)
		}
		rewritten, err := json.Marshal(value) // sorts the members: args come before command
		if err != nil {
			t.Fatal(err)
		}
		got := mustParse(t, mustUnwrap(t, rewritten, Format{}, by, wrapped.Records), Format{}).Entries[0]
		want := mustParse(t, raw, Format{}).Entries[0]
		if !slices.Equal(got.Argv(), want.Argv()) {
			t.Errorf("%q became %q", want.Argv(), got.Argv())
		}
		indented, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text := mustUnwrap(t, indented, Format{}, by, wrapped.Records)
		if !strings.Contains(text, `"command": "n\u0070x"`) {
			t.Errorf("the command is not spelled as it was: %s", text)
		}
	}
}

func TestEntriesThatCannotBeWrappedAreNamedAndDoNotStopTheOthers(t *testing.T) {
	by := installed(t)
	raw := `{"mcpServers":{
		"text": "npx", "list": [], "none": {}, "number": {"command": 1}, "empty": {"command": ""},
		"argstext": {"command": "x", "args": "-y"}, "argsnull": {"command": "x", "args": null}, "argsnumber": {"command": "x", "args": ["a", 2]},
		"envtext": {"command": "x", "env": "K=v"}, "both": {"command": "x", "url": "https://a.example/"}, "typed": {"command": "x", "type": "http"},
		"nul": {"command": "x", "args": ["a\u0000b"]}, "half": {"command": "x", "args": ["\ud800"]},
		"remote": {"url": "https://a.example/mcp?key=SEKRET"}, "home": {"command": "x", "env": {"HOME": "/tmp"}},
		"good": {"command": "x"}}}`
	result := mustWrap(t, raw, Format{}, by)
	want := map[string]string{
		"text": "text, not an object", "list": "a list, not an object", "none": "no command", "number": "a number, not text", "empty": "is empty",
		"argstext": "text, not a list", "argsnull": "null, not a list", "argsnumber": "argument 2 is a number", "envtext": "not an object",
		"both": "a command and a URL", "typed": "type other than stdio", "nul": "can't be passed to a program", "half": "can't be passed to a program",
		"remote": "remote server", "home": "HOME",
	}
	for _, o := range result.Outcomes {
		if why, odd := want[o.Name]; odd != (o.Did == DidLeave) || !strings.Contains(o.Why, why) || strings.Contains(o.Why, "SEKRET") {
			t.Errorf("%q is %s because %q", o.Name, o.Did, o.Why)
		}
	}
	if len(result.Outcomes) != len(want)+1 || len(result.Records) != 1 || result.Records[0].Name != "good" {
		t.Errorf("outcomes %v, records %v", result.Outcomes, result.Records)
	}
	if got := mustUnwrap(t, result.Raw, Format{}, by, result.Records); got != raw {
		t.Errorf("got %s", got)
	}
}

func TestAFalseWrapperIsReplacedNotWrappedAgain(t *testing.T) {
	by := installed(t)
	for _, c := range []struct{ name, entry string }{
		{"another program of our name", `{"command":"/tmp/nowhere/sallyport","args":["wrap","--name","a","--client","claude-desktop","--","npx","x"]}`},
		{"found by PATH", `{"command":"sallyport","args":["wrap","--","npx","x"]}`},
		{"a flag slipped in", `{"command":` + quote(by.Path) + `,"args":["wrap","--name","a","--client","claude-desktop","--header","x","--","npx","x"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := mustWrap(t, `{"mcpServers":{"a":`+c.entry+`}}`, Format{}, by)
			e := mustParse(t, string(result.Raw), Format{}).Entries[0]
			if want := append(ours("a", ClaudeDesktop), "npx", "x"); e.Command != by.Path || !slices.Equal(e.Args, want) {
				t.Errorf("it runs %q %q", e.Command, e.Args)
			}
			if result.Outcomes[0].Did != DidRewrap {
				t.Errorf("it was %s", result.Outcomes[0].Did)
			}
		})
	}
}

func TestARelativePathIsNeverWritten(t *testing.T) {
	if _, err := Wrap([]byte(`{"mcpServers":{"a":{"command":"x"}}}`), Format{}, nil, Installation{Path: "sallyport"}, nil); err == nil {
		t.Error("no error")
	}
}
