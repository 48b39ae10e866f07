package guardian

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

// A project's .mcp.json belongs to everybody who works on it: it is read, and a guarded copy goes into the person's own file.
func TestAnEntryThatAProjectSharesIsGuardedInACopyOfYourOwn(t *testing.T) {
	root := t.TempDir()
	project := filepath.Join(root, "work")
	raw := `{
  "numStartups": 1,
  "projects": {
    "` + project + `": {
      "allowedTools": [],
      "mcpServers": {},
      "enabledMcpjsonServers": ["used"]
    },
    "/none": {}
  }
}`
	const shared = `{"mcpServers": {
  "used": {"type": "stdio", "command": "one", "args": ["1"]},
  "far": {"type": "http", "url": "https://h.example/", "headers": {"A": "very-secret-value"}},
  "other": {"command": "two"},
  "odd": {"args": []}
}}`
	d := deskAt(t, root, claudeFile, "linux")
	file, theirs := filepath.Join(root, "person", ".claude.json"), filepath.Join(project, ".mcp.json")
	text := func() string {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	put(t, file, raw)
	put(t, theirs, shared)
	key := func(name string) string { return name + " (" + project + ")" }
	protect := func(names ...string) map[string]string {
		t.Helper()
		out, err := d.Protect(person, control.Protect{Client: "claude-code", Names: names})
		if err != nil || strings.Contains(out.Diff, "very-secret") {
			t.Fatalf("protect: %+v, %v", out, err)
		}
		states := map[string]string{}
		for _, e := range out.Entries {
			states[e.Name] = e.State
		}
		return states
	}

	// Without a name, only what the client was told to use; a program inside a server gets none at all.
	if _, err := d.Protect(inside, control.Protect{Client: "claude-code", Names: []string{key("other")}}); err == nil || text() != raw {
		t.Errorf("a program had an entry copied: %v\n%s", err, text())
	}
	states := protect()
	if states[key("used")] != control.EntryWrapped || states[key("other")] != control.EntryLeft || !strings.Contains(text(), `"--name", "used", "--client", "claude-code", "--", "one", "1"`) || strings.Contains(text(), "two") {
		t.Fatalf("it says %v\n%s", states, text())
	}
	d.quiet()
	one := text()
	if states := protect(key("far")); states[key("far")] != control.EntryWrapped {
		t.Fatalf("it says %v\n%s", states, text())
	}
	d.quiet()
	if kept, _ := os.ReadFile(theirs); string(kept) != shared {
		t.Errorf("the project's file was written:\n%s", kept)
	}
	c, err := d.Coverage(control.CoverageQuery{})
	if err != nil || !slices.ContainsFunc(c.Unguarded, func(u control.Unguarded) bool {
		return u.Name == key("other") && strings.Contains(u.Why, theirs)
	}) {
		t.Errorf("coverage %+v, %v", c, err)
	}

	// The copy follows its project only if a person says so.
	write(t, theirs, strings.Replace(shared, `"one"`, `"another"`, 1))
	before := text()
	d.LookAtAll()
	item := theItem(t, d)
	if item.Kind != "config_changed" || len(item.Parts) != 1 || item.Parts[0].Item != "entry:"+key("used") || text() != before {
		t.Fatalf("item %+v\n%s", item, text())
	}
	if _, err := d.DecideFile(person, file, control.Decide{Code: item.Code, Digest: item.Digest, Reject: true}); err != nil {
		t.Fatal(err)
	}
	d.quiet()
	if text() != before {
		t.Errorf("it was not left as it is:\n%s", text())
	}
	write(t, theirs, strings.Replace(shared, `"one"`, `"a third"`, 1))
	d.LookAtAll()
	item = theItem(t, d)
	if _, err := d.DecideFile(person, file, control.Decide{Code: item.Code, Digest: item.Digest}); err != nil {
		t.Fatal(err)
	}
	d.quiet()
	if !strings.Contains(text(), `"--", "a third", "1"`) {
		t.Errorf("the copy did not follow:\n%s", text())
	}
	write(t, theirs, shared)
	d.LookAtAll()
	item = theItem(t, d)
	if _, err := d.DecideFile(person, file, control.Decide{Code: item.Code, Digest: item.Digest}); err != nil {
		t.Fatal(err)
	}

	// The copies go with their wrappers.
	if _, err := d.Unprotect(person, control.Protect{Client: "claude-code", Names: []string{key("far")}, Decided: true}); err != nil {
		t.Fatal(err)
	}
	if text() != one {
		t.Errorf("one taken out, it is\n%s\nwas\n%s", text(), one)
	}
	d.quiet()
	if _, err := d.Unprotect(person, control.Protect{Client: "claude-code", Decided: true}); err != nil {
		t.Fatal(err)
	}
	if text() != raw {
		t.Errorf("it came back as\n%s", text())
	}
	d.quiet()
}
