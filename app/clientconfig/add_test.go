package clientconfig

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestANewEntryIsPutIntoTheFileOfEveryClient(t *testing.T) {
	far := &Address{URL: "https://h.example/mcp", Transport: "http", Headers: []Header{{Name: "Authorization", Word: "Bearer", From: "env", Key: "T"}, {Name: "X-Key", From: "keychain", Key: "k"}}}
	files := map[Language][]string{
		JSON: {"{}", "{\n  \"x\": 1\n}\n", ""},
		TOML: {"", "# mine\n[tui]\nx = 1", "a = 1\r\n"},
		YAML: {"a: 1\n", "# mine\na: [1]", "a: 1\r\nb: 2\r\n"},
	}
	for _, row := range Rows() {
		t.Run(row.ID, func(t *testing.T) {
			by := installed(t)
			by.Client = row.ID
			texts := slices.Clone(files[row.Format.Language])
			for _, c := range slices.Concat(jsonTrips, tomlTrips, yamlTrips, addressJSON, addressTOML, addressYAML) {
				if c.client == row.ID {
					texts = append(texts, c.raw)
				}
			}
			added := 0
			for _, raw := range texts {
				f, err := Parse([]byte(raw), row.Format)
				if err != nil {
					continue // JSON has no empty file
				}
				for name, fresh := range map[string]Fresh{"new one": {Argv: []string{"npx", "-y", "a b", "--", "é"}}, "alone": {Argv: []string{"x"}}, "with variables": {Argv: []string{"x"}, Env: []string{"K=a = \"b\"", "L="}}, "far away": {Address: far}} {
					result, err := Add(f, name, fresh, by, nil)
					if errors.Is(err, errNoRoom) {
						if !strings.Contains(raw, "mcp_servers = ") {
							t.Errorf("no room for %q in\n%s", name, raw)
						}
						continue
					}
					if fresh.Address != nil && eatsDashes(row.ID) && err != nil {
						continue
					}
					if err != nil {
						t.Fatalf("%q: %v in\n%s", name, err, raw)
					}
					added++
					after := mustParse(t, string(result.Raw), row.Format)
					e, _ := after.Entry(name)
					class := Classify(e, by, FindRecord(result.Records, name))
					if class.Kind != Wrapped || !slices.Equal(class.Inner, fresh.Argv) || fresh.Address != nil && !class.Address.equal(*far) {
						t.Errorf("%q is %s in\n%s", name, class, result.Raw)
					}
					if fresh.Address == nil {
						bare := mustParse(t, mustUnwrap(t, result.Raw, row.Format, by, result.Records, name), row.Format)
						if e, _ := bare.Entry(name); e.Odd != "" || !slices.Equal(e.Argv(), fresh.Argv) || !slices.Equal(e.Environ(), fresh.Env) {
							t.Errorf("taken out %q runs %q: %s", name, e.Argv(), e.Odd)
						}
					}
					if _, err := Add(after, name, fresh, by, nil); !errors.Is(err, ErrExists) {
						t.Errorf("twice: %v", err)
					}
				}
			}
			if added < 4 {
				t.Errorf("%d were added", added)
			}
		})
	}
	for _, name := range []string{"", "a\nb", "\x1b[2J", "a\xff", "\u202e"} {
		if _, err := Add(mustParse(t, "{}", Format{}), name, Fresh{Argv: []string{"x"}}, installed(t), nil); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

func TestANewEntryIsTheLastAndNothingElseChanges(t *testing.T) {
	by, fresh := installed(t), Fresh{Argv: []string{"node", "a b", `"`}, Env: []string{"K=v"}}
	const text = `{"command": "node", "args": ["a b", "\""], "env": {"K": "v"}}`
	for name, c := range map[string]struct{ raw, want string }{
		"no servers": {"{\n  \"theme\": \"dark\"\n}\n", "{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\"x\": " + text + "}\n}\n"},
		"others":     {"{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"b\"}\n\t}\n}", "{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"b\"},\n\t\t\"x\": " + text + "\n\t}\n}"},
		"one line":   {`{"mcpServers":{}}`, `{"mcpServers":{"x": ` + text + `}}`},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := Add(mustParse(t, c.raw, Format{}), "x", fresh, by, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := mustUnwrap(t, result.Raw, Format{}, by, result.Records, "x"); string(got) != c.want {
				t.Errorf("without its wrapper it is\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestAnEntryWithAnAccountIsGuardedAndTakenOutAgain(t *testing.T) {
	by := installed(t)
	by.Client = "codex"
	far, err := AddressOf("https://h.example/mcp", "http", nil, "work")
	if err != nil {
		t.Fatal(err)
	}
	format := FormatOf("codex")
	result, err := Add(mustParse(t, "[mcp_servers.near]\nurl = \"https://h.example/mcp\"\n", format), "far", Fresh{Address: &far}, by, nil)
	if err != nil {
		t.Fatal(err)
	}
	after := mustParse(t, string(result.Raw), format)
	e, _ := after.Entry("far")
	for name, record := range map[string]*Record{"with its record": FindRecord(result.Records, "far"), "without": nil} {
		if class := Classify(e, by, record); class.Kind != Wrapped || class.Address == nil || class.Address.Server() != "https://h.example/mcp account:work" {
			t.Errorf("%s it is %s in\n%s", name, class, result.Raw)
		}
	}
	other := strings.Replace(string(result.Raw), `"work"`, `"home"`, 1)
	e, _ = mustParse(t, other, format).Entry("far")
	if class := Classify(e, by, FindRecord(result.Records, "far")); class.Kind != LooksWrapped || class.Reason != OtherArgs {
		t.Errorf("with another account it is %s in\n%s", class, other)
	}
	for _, record := range [][]Record{result.Records, nil} {
		bare := mustParse(t, mustUnwrap(t, result.Raw, format, by, record, "far"), format)
		if e, _ := bare.Entry("far"); e.URL != "https://h.example/mcp" || e.left != "" {
			t.Errorf("taken out it is at %q: %s", e.URL, e.left)
		}
	}
	for _, args := range [][]string{{"--account", "my work"}, {"--account"}, {"--account="}} {
		e := Entry{Args: append([]string{"wrap", "--url", "https://h.example/mcp"}, args...)}
		if a, ok := e.wraps(); ok {
			t.Errorf("%q: %s", args, a.Server())
		}
	}
	if _, err := AddressOf("https://h.example/mcp", "auto", nil, "my work"); err == nil {
		t.Error("a label with a blank is taken")
	}
}
