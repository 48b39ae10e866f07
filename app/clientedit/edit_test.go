package clientedit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestAFileThatCannotBeReadIsSaidWithWhatHelps(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte("{\n  weather"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing.json")
	for _, c := range []struct {
		name, path string
		named      bool
		said       string
	}{
		{"a file that was named gets no advice to name it", missing, true, missing + " doesn't exist"},
		{"the client's own may be elsewhere, or not made yet", missing, false, missing + " doesn't exist: start Claude Desktop once, or name the file with --config"},
		{"a broken file says where", broken, true, broken + ": line 2, column 3: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(c.path, clientconfig.Format{}, clientconfig.Installation{})
			if err == nil {
				t.Fatal("it was read")
			}
			if said := Unread(clientconfig.ClaudeDesktop, c.path, c.named, err).Error(); said != c.said && !(strings.HasSuffix(c.said, ": ") && strings.HasPrefix(said, c.said)) {
				t.Errorf("said %q, want %q", said, c.said)
			}
		})
	}
}

func TestAnEditSaysWhatBecomesOfEachEntryAndWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claude.json")
	before := []byte(`{"mcpServers": {"weather": {"command": "weather-server"}, "far": {"url": "https://example.com"}}}`)
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e, err := Read(path, clientconfig.Format{}, clientconfig.Installation{Path: program, Client: clientconfig.ClaudeDesktop})
	if err != nil {
		t.Fatal(err)
	}
	done, result, err := e.Guard([]string{"weather", "far", "gone"})
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, entry := range done.Entries {
		states[entry.Name] = string(entry.State)
	}
	for name, want := range map[string]string{"weather": string(control.EntryWrapped), "far": string(control.EntryLeft), "gone": string(control.EntryMissing)} {
		if states[name] != want {
			t.Errorf("%s is %q, want %q", name, states[name], want)
		}
	}
	if done.Diff == "" || done.Written {
		t.Errorf("diff %q, written %t", done.Diff, done.Written)
	}
	if err := e.Missing(result); err == nil || !strings.Contains(err.Error(), "has no entry gone; nothing was changed") {
		t.Errorf("a name that is not there: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file is now %q, %v", after, err)
	}
}

// What is stored as wanted must be what a person was shown: had an edit read a shared file again, a change in between would count as accepted.
func TestAnEditIsAboutTheSharedEntriesThatWereReadBeforeIt(t *testing.T) {
	folder := t.TempDir()
	path, theirs := filepath.Join(folder, ".claude.json"), filepath.Join(folder, ".mcp.json")
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(path, `{"projects": {"`+folder+`": {"enabledMcpjsonServers": ["used"]}}}`)
	put(theirs, `{"mcpServers": {"used": {"command": "one"}}}`)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e, err := Read(path, clientconfig.FormatOf(clientconfig.ClaudeCode), clientconfig.Installation{Path: program, Client: clientconfig.ClaudeCode})
	if err != nil {
		t.Fatal(err)
	}
	name := "used (" + folder + ")"
	_, result, err := e.Guard([]string{name})
	if err != nil || !result.Changed {
		t.Fatalf("%+v, %v", result, err)
	}
	put(theirs, `{"mcpServers": {"used": {"command": "another"}}}`)
	after, err := e.Rewritten(result.Raw)
	if err != nil {
		t.Fatal(err)
	}
	if shared, there := after.File.SharedEntry(name); !there || shared.Command != "one" {
		t.Errorf("the edit is about %v", shared)
	}
	wanted := after.File.Snapshot(e.By, result.Records)
	put(path, string(result.Raw))
	now, err := Look(path, e.File.Format)
	if err != nil {
		t.Fatal(err)
	}
	if changes := clientconfig.Compare(wanted, now.File, e.By, result.Records); len(changes) != 1 || changes[0].Name != name {
		t.Errorf("the change in between is seen as %v", changes)
	}
}
