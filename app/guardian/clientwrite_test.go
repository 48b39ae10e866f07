package guardian

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

// A wrapper names its entry as the client does, so that is the name under which a changed entry counts as not started.
func TestAServerCountsAsNotStartedUnderTheNameThatItsClientHasForIt(t *testing.T) {
	root := t.TempDir()
	project := filepath.Join(root, "work")
	d := deskAt(t, root, claudeFile, "linux")
	file := filepath.Join(root, "person", ".claude.json")
	put(t, file, `{
  "mcpServers": {"notes (old)": {"command": "zero"}},
  "projects": {"`+project+`": {"mcpServers": {"mine": {"command": "one"}}}}
}`)
	put(t, filepath.Join(project, ".mcp.json"), `{"mcpServers": {"theirs": {"command": "two"}}}`)
	mine, theirs := "mine ("+project+")", "theirs ("+project+")"
	is := func(what string, want ...string) {
		t.Helper()
		if slices.Sort(d.anew); !slices.Equal(d.anew, want) {
			t.Errorf("%s: %q, want %q", what, d.anew, want)
		}
		d.anew = nil
	}
	ask := control.Protect{Client: "claude-code", Names: []string{"notes (old)", mine, theirs}}
	if _, err := d.Protect(person, ask); err != nil {
		t.Fatal(err)
	}
	is("protected", "mine", "notes (old)", "theirs")
	for _, f := range d.ProtectedFiles() {
		f.Whole = "" // only the records are left
		for _, kept := range d.wantedOf(f).snapshot.Entries {
			d.anew = append(d.anew, kept.Server())
		}
	}
	is("what is wanted, without the private copy", "mine", "notes (old)", "theirs")
	ask.Names, ask.Decided = ask.Names[1:], true
	if _, err := d.Unprotect(person, ask); err != nil {
		t.Fatal(err)
	}
	is("unprotected, and a copy taken out", "mine", "theirs")
}
