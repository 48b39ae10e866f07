package guardian

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

func TestFilesInTOMLAndYAMLAreProtectedWatchedAndGivenBack(t *testing.T) {
	for _, c := range []struct{ client, path, raw, more, wrapped string }{
		{"codex", "person/.codex/config.toml", "# mine\n[mcp_servers.a]\ncommand = 'x' # why\nenv = {K = \"very-secret-value\"}\n", "[mcp_servers.b]\ncommand = \"y\"\n", `"--name", "b", "--client", "codex", "--", "y" ]`},
		{"goose", "config/goose/config.yaml", "# mine\nextensions:\n  a:\n    type: stdio\n    cmd: x # why\n    envs: {K: very-secret-value}\n", "  b:\n    type: stdio\n    cmd: z\n", `"--name", "b", "--client", "goose", "--", z ]`},
	} {
		t.Run(c.client, func(t *testing.T) {
			root := t.TempDir()
			d := deskAt(t, root, claudeFile, "linux")
			file := filepath.Join(root, filepath.FromSlash(c.path))
			text := func() string {
				raw, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			put(t, file, c.raw)
			out, err := d.Protect(person, control.Protect{Client: c.client})
			if err != nil || !out.Written || !strings.Contains(text(), `"wrap"`) || strings.Contains(out.Diff, "very-secret") {
				t.Fatalf("protect: %+v, %v\n%s", out, err, text())
			}
			d.quiet()
			put(t, file, text()+c.more)
			d.quiet()
			if !strings.Contains(text(), c.wrapped) {
				t.Errorf("a new entry is not guarded:\n%s", text())
			}
			if _, err := d.Unprotect(person, control.Protect{Client: c.client, Decided: true}); err != nil {
				t.Fatal(err)
			}
			if text() != c.raw+c.more {
				t.Errorf("it came back as\n%s", text())
			}
			if _, err := d.RestoreBackup(person, control.RestoreBackup{ID: out.Backup, Decided: true}); err != nil || text() != c.raw {
				t.Errorf("the backup: %v\n%s", err, text())
			}
		})
	}
}

func TestARemoteServerIsGuardedWatchedAndGivenBack(t *testing.T) {
	const raw = `{"mcpServers":{"r":{"type":"http","url":"https://h.example/?k=very-secret-value","headers":{"Authorization":"Bearer very-secret-value"}},"far":{"type":"http","url":"http://h.example/"}}}`
	root := t.TempDir()
	d := deskAt(t, root, claudeFile, "linux")
	plaintext := false
	d.hub.Plaintext = func() bool { return plaintext }
	file := filepath.Join(root, "person", ".claude.json")
	text := func() string {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	protect := func(names ...string) control.Protected {
		t.Helper()
		out, err := d.Protect(person, control.Protect{Client: "claude-code", Names: names})
		if err != nil || !out.Written || strings.Contains(out.Diff, "very-secret") {
			t.Fatalf("protect: %+v, %v", out, err)
		}
		return out
	}
	put(t, file, raw)
	out := protect()
	d.quiet()
	plaintext = true
	protect("far")
	d.quiet()
	c, err := d.Coverage(control.CoverageQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range c.Clients {
		for _, e := range f.Entries {
			if f.Client == "claude-code" && (e.State != control.EntryGuarded || !strings.HasPrefix(e.Identity, "url:http") || strings.Contains(e.Identity, "very-secret")) {
				t.Errorf("it is %+v", e)
			}
		}
	}
	// A new one is guarded at once.
	put(t, file, strings.Replace(text(), `"mcpServers":{`, `"mcpServers":{"n":{"type":"sse","url":"https://n.example/"},`, 1))
	d.quiet()
	if !strings.Contains(text(), `"--url", "https://n.example/", "--transport", "sse"`) {
		t.Errorf("a new entry is not guarded:\n%s", text())
	}
	// The address behind the wrapper is what was decided on, wherever it is kept.
	good := text()
	put(t, file, strings.Replace(good, "k=very-secret-value", "k=another", 1))
	d.LookAtAll()
	item := theItem(t, d)
	if item.Kind != "config_changed" || len(item.Parts) != 1 || item.Parts[0].Item != "entry:r" {
		t.Fatalf("item %+v", item)
	}
	if _, err := d.DecideFile(person, file, control.Decide{Code: item.Code, Digest: item.Digest}); err != nil {
		t.Fatal(err)
	}
	if text() != good {
		t.Errorf("it is\n%s\nwas\n%s", text(), good)
	}
	if _, err := d.Unprotect(person, control.Protect{Client: "claude-code", Decided: true}); err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(raw, `"mcpServers":{`, `"mcpServers":{"n":{"type":"sse","url":"https://n.example/"},`, 1); text() != want {
		t.Errorf("it came back as\n%s", text())
	}
	if _, err := d.RestoreBackup(person, control.RestoreBackup{ID: out.Backup, Decided: true}); err != nil || text() != raw {
		t.Errorf("the backup: %v\n%s", err, text())
	}
}

// theItem is the only item that is pending.
func theItem(t *testing.T, d *desk) (item store.Item) {
	t.Helper()
	var items []store.Item
	err := d.office.Viewing(func(tx *store.Tx) error {
		items = tx.Waiting()
		return nil
	})
	if err != nil || len(items) != 1 {
		t.Fatalf("%v, items %+v", err, items)
	}
	return items[0]
}
