package clientconfig

import (
	"fmt"
	"strings"
	"testing"
)

const twoServers = `{
  "theme": "dark",
  "mcpServers": {
    "a": {
      "command": "npx",
      "args": ["-y", "x"],
      "env": {"TOKEN": "one"}
    },
    "b": {
      "command": "uvx"
    }
  },
  "last": 1
}
`

// guarded is a file with all entries wrapped, its wanted state and the records.
func guarded(t *testing.T, raw string, by Installation) (string, Snapshot, []Record) {
	t.Helper()
	wrapped := mustWrap(t, raw, Format{}, by)
	return string(wrapped.Raw), mustParse(t, string(wrapped.Raw), Format{}).Snapshot(by, wrapped.Records), wrapped.Records
}

func replaced(t *testing.T, raw, old, new string) string {
	t.Helper()
	if !strings.Contains(raw, old) {
		t.Fatalf("%q is not in %s", old, raw)
	}
	return strings.Replace(raw, old, new, 1)
}

func TestWhatHappenedIsSaidAndPutBackAloneOnOneDecision(t *testing.T) {
	by := installed(t)
	file, wanted, records := guarded(t, twoServers, by)
	plain := mustParse(t, twoServers, Format{})
	bare := func(name string) string { e, _ := plain.Entry(name); return e.raw }
	kept := func(name string) string { k, _ := wanted.Entry(name); return k.Raw }
	ours := quote(by.Path)
	for _, c := range []struct {
		name    string
		now     string
		changes string
		back    string // the file afterwards; "" is the wanted file
	}{
		{"nothing", file, "", ""},
		{"a variable's value", replaced(t, file, `"one"`, `"two"`), "", replaced(t, file, `"one"`, `"two"`)},
		{"a key of the client's", replaced(t, file, `"dark"`, `"light"`), "", replaced(t, file, `"dark"`, `"light"`)},
		{"the wrapper taken out", replaced(t, file, kept("a"), bare("a")), `lost_wrapper "a" command, args`, ""},
		{"the wrapper taken out and the command another", replaced(t, file, kept("b"), `{"command": "bunx"}`), `lost_wrapper "b" command, args`,
			replaced(t, file, kept("b"), `{"command": `+ours+`, "args": [ "wrap", "--name", "b", "--client", "claude-desktop", "--", "bunx" ]}`)},
		{"the wrapper taken out and our home moved", replaced(t, file, kept("a"), `{"command":"evil","args":[],"env":{"XDG_DATA_HOME":"/x"}}`), `lost_wrapper "a" command, args, env`,
			replaced(t, file, kept("a"), `{"command":`+ours+`,"args":["wrap", "--name", "a", "--client", "claude-desktop", "--", "evil"],"env":{}}`)},
		{"the wrapper taken out and a variable changed", replaced(t, file, kept("a"), replaced(t, bare("a"), `"one"`, `"two"`)), `lost_wrapper "a" command, args`, replaced(t, file, `"one"`, `"two"`)},
		{"the server exchanged for a remote one", replaced(t, file, kept("b"), `{"url": "https://b.example/"}`), `lost_wrapper "b" command, args, url`,
			replaced(t, file, kept("b"), `{"command": `+ours+`, "args": [ "wrap", "--name", "b", "--client", "claude-desktop", "--", "uvx" ]}`)},
		{"the entry broken", replaced(t, file, kept("b"), `{"command": 7}`), `lost_wrapper "b" command, args`,
			replaced(t, file, kept("b"), `{"command": `+ours+`, "args": [ "wrap", "--name", "b", "--client", "claude-desktop", "--", "uvx" ]}`)},
		{"the entry no object", replaced(t, file, kept("b"), `"uvx"`), `lost_wrapper "b" command, args`, ""},
		{"another argument behind the wrapper", replaced(t, file, `"x"]`, `"x", "--evil"]`), `changed_entry "a" args`, ""},
		{"a variable more", replaced(t, file, `{"TOKEN": "one"}`, `{"TOKEN": "two", "NODE_OPTIONS": "--require /x"}`), `changed_entry "a" env`, replaced(t, file, `"one"`, `"two"`)},
		{"a variable less", replaced(t, file, `{"TOKEN": "one"}`, `{}`), `changed_entry "a" env`, replaced(t, file, `{"TOKEN": "one"}`, "{\n        \"TOKEN\": \"one\"\n      }")},
		{"no env left", replaced(t, file, `,
      "env": {"TOKEN": "one"}`, ``), `changed_entry "a" env`, ""},
		{"a false wrapper", replaced(t, file, ours, `"/tmp/none/sallyport"`), `false_wrapper "a" command`, ""},
		{"a flag slipped in", replaced(t, file, `"--name", "a"`, `"--transport", "http", "--name", "a"`), `false_wrapper "a" args`, ""},
		{"env that moves our home", replaced(t, file, `{"TOKEN": "one"}`, `{"SALLYPORT_HOME": "/tmp/x", "TOKEN": "two"}`), `false_wrapper "a" env`, replaced(t, file, `"one"`, `"two"`)},
		{"a new entry", replaced(t, file, `"mcpServers": {`, `"mcpServers": {
    "new": {"command": "y", "args": []},`), `new_entry "new"`, replaced(t, file, `"mcpServers": {`, `"mcpServers": {
    "new": {"command": `+ours+`, "args": ["wrap", "--name", "new", "--client", "claude-desktop", "--", "y"]},`)},
		{"a new entry that looks wrapped", replaced(t, file, `"mcpServers": {`, `"mcpServers": {
    "new": {"command": "sallyport", "args": ["wrap", "--", "y"]},`), `false_wrapper "new"`, replaced(t, file, `"mcpServers": {`, `"mcpServers": {
    "new": {"command": `+ours+`, "args": ["wrap", "--name", "new", "--client", "claude-desktop", "--", "y"]},`)},
		{"an entry taken out", replaced(t, file, ",\n    \"b\": "+kept("b"), ""), `removed_entry "b"`, ""},
		{"the first entry taken out", replaced(t, file, "\n    \"a\": "+kept("a")+",", ""), `removed_entry "a"`, "order"},
		{"an entry renamed", replaced(t, file, `"b": {`, `"c": {`), `new_entry "c", removed_entry "b"`, "-"},
		{"the servers emptied", replaced(t, file, wanted.Servers, `{}`), `wiped_servers: 2 entries`, ""},
		{"the servers gone", replaced(t, file, "\n  \"mcpServers\": "+wanted.Servers+",", ""), `wiped_servers: 2 entries`, "order"},
		{"everything gone", `{}`, `wiped_servers: 2 entries`, "order"},
		{"everything gone but another server", replaced(t, file, wanted.Servers, `{"z":{"command":"z"}}`), `new_entry "z", wiped_servers: 2 entries`, "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := mustParse(t, c.now, Format{})
			changes := Compare(wanted, now, by, records)
			var said []string
			for _, change := range changes {
				said = append(said, change.String())
			}
			if got := strings.Join(said, ", "); got != c.changes {
				t.Errorf("it says %q, want %q", got, c.changes)
			}
			result, err := PutBack(now, wanted, changes, by, records)
			if err != nil {
				t.Fatal(err)
			}
			back := mustParse(t, string(result.Raw), Format{})
			records := append(records[:len(records):len(records)], result.Records...)
			for _, e := range back.Entries {
				record := FindRecord(result.Records, e.Name)
				if record == nil {
					record = FindRecord(records, e.Name)
				}
				if class := Classify(e, by, record); class.Kind != Wrapped {
					t.Errorf("afterwards %q is %s", e.Name, class)
				}
			}
			for _, k := range wanted.Entries {
				if e, ok := back.Entry(k.Name); !ok || c.back == "order" && e.raw != k.Raw {
					t.Errorf("%q is not back", k.Name)
				}
			}
			want := c.back
			if want == "" {
				want = file
			}
			if len(want) > 5 && string(result.Raw) != want {
				t.Errorf("got\n%s\nwant\n%s", result.Raw, want)
			}
			if len(changes) == 0 && result.Changed {
				t.Error("something was put back")
			}
		})
	}
}

func TestWhatAPersonDecidedIsNotSaidAgain(t *testing.T) {
	by := installed(t)
	file, wanted, records := guarded(t, twoServers, by)
	b, _ := mustParse(t, twoServers, Format{}).Entry("b")
	kept, _ := wanted.Entry("b")
	now := mustParse(t, replaced(t, file, kept.Raw, b.raw), Format{})
	changes := Compare(wanted, now, by, records)
	if len(changes) != 1 || changes[0].Event != LostWrapper {
		t.Fatalf("changes %v", changes)
	}
	accepted := wanted.With(now, by, records, "b")
	if left := Compare(accepted, now, by, records); len(left) > 0 {
		t.Errorf("accepted, and said again: %v", left)
	}
	without := mustParse(t, replaced(t, file, ",\n    \"b\": "+kept.Raw, ""), Format{})
	if left := Compare(wanted.Without("b"), without, by, records); len(left) > 0 {
		t.Errorf("taken out, and said again: %v", left)
	}
	if back, err := PutBack(without, wanted.Without("b"), []Change{{Event: WipedServers, Names: []string{"a", "b"}}}, by, records); err != nil || strings.Contains(string(back.Raw), `"b": {`) {
		t.Errorf("what was taken out came back: %v", err)
	}
}

func TestASingleEntryThatGoesIsAWipeAndOneThatGivesWayIsNot(t *testing.T) {
	by := installed(t)
	file, wanted, records := guarded(t, `{"mcpServers":{"a":{"command":"x"}}}`, by)
	if changes := Compare(wanted, mustParse(t, `{"mcpServers":{}}`, Format{}), by, records); fmt.Sprint(changes) != "[wiped_servers: 1 entries]" {
		t.Errorf("changes %v", changes)
	}
	if changes := Compare(wanted, mustParse(t, replaced(t, file, `"a":`, `"z":`), Format{}), by, records); fmt.Sprint(changes) != `[new_entry "z" removed_entry "a"]` {
		t.Errorf("changes %v", changes)
	}
	bare := mustParse(t, `{"mcpServers":{"a":{"command":"x"}}}`, Format{}).Snapshot(by, nil)
	if changes := Compare(bare, mustParse(t, `{}`, Format{}), by, nil); fmt.Sprint(changes) != `[removed_entry "a"]` {
		t.Errorf("nothing was guarded, and yet: %v", changes)
	}
}

func TestPuttingBackKeepsTheStyleOfTheFile(t *testing.T) {
	by := installed(t)
	for _, raw := range []string{
		"{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"x\"\r\n\t\t}\r\n\t}\r\n}",
		"\xef\xbb\xbf{\"mcpServers\":{\"a\":{\"command\":\"x\"}}}",
		"{ \"z\": 1, \"mcpServers\": { \"a\": { \"command\": \"x\", \"args\": [ \"1\" ] } } }\n",
	} {
		file, wanted, records := guarded(t, raw, by)
		for _, wiped := range []string{replaced(t, file, wanted.Servers, `{}`), replaced(t, file, wanted.Servers, "{\n}")} {
			now := mustParse(t, wiped, Format{})
			result, err := PutBack(now, wanted, Compare(wanted, now, by, records), by, records)
			if err != nil || string(result.Raw) != file {
				t.Errorf("%v\n%q\n%q", err, result.Raw, file)
			}
		}
	}
}
