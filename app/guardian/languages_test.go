package guardian

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
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
