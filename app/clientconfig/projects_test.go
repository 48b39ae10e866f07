package clientconfig

import "testing"

func TestAServerOfOneProjectIsGuardedUnderItsOwnName(t *testing.T) {
	by := installed(t)
	by.Client = ClaudeCode
	format := FormatOf(ClaudeCode)
	const raw = `{"projects":{"/w":{"mcpServers":{"a":{"command":"x"}},"n":1}},"mcpServers":{"a":{"command":"y"}}}`
	wrapped := mustWrap(t, raw, format, by)
	file := mustParse(t, string(wrapped.Raw), format)
	for _, e := range file.Entries {
		if e.Args[2] != "a" {
			t.Errorf("%q is started as %q", e.Name, e.Args)
		}
	}
	wanted := file.Snapshot(by, wrapped.Records)
	for name, c := range map[string]struct{ now, said string }{
		"the wrapper is gone":         {`{"projects":{"/w":{"mcpServers":{"a":{"command":"x"}},"n":1}},"mcpServers":` + wanted.Servers + `}`, `[lost_wrapper "a (/w)" command, args]`},
		"the entry is gone":           {`{"projects":{"/w":{"mcpServers":{},"n":1}},"mcpServers":` + wanted.Servers + `}`, `[removed_entry "a (/w)"]`},
		"the project's servers are":   {`{"projects":{"/w":{"n":1}},"mcpServers":` + wanted.Servers + `}`, `[removed_entry "a (/w)"]`},
		"all servers are gone":        {`{"projects":{"/w":{"n":1}}}`, `[wiped_servers: 2 entries]`},
		"the project was moved":       {`{"projects":{"/v":{"mcpServers":{"a":{"command":"x"}}}},"mcpServers":` + wanted.Servers + `}`, `[new_entry "a (/v)" removed_entry "a (/w)"]`},
		"the client forgot everybody": {`{}`, `[wiped_servers: 2 entries]`},
	} {
		t.Run(name, func(t *testing.T) {
			now := mustParse(t, c.now, format)
			changes := Compare(wanted, now, by, wrapped.Records)
			if got := said(changes); got != c.said {
				t.Errorf("it says %s, want %s", got, c.said)
			}
			back, err := PutBack(now, wanted, changes, by, wrapped.Records)
			if err != nil {
				t.Fatal(err)
			}
			after := mustParse(t, string(back.Raw), format)
			for _, k := range wanted.Entries {
				if e, ok := after.Entry(k.Name); !ok || Classify(e, by, nil).Kind != Wrapped || e.Server() != "a" {
					t.Errorf("%q is not guarded in\n%s", k.Name, back.Raw)
				}
			}
		})
	}
}

func said(changes []Change) string {
	all := "["
	for i, c := range changes {
		if i > 0 {
			all += " "
		}
		all += c.String()
	}
	return all + "]"
}
