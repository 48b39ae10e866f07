package clientconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryClientIsLookedForWhereItKeepsItsFile(t *testing.T) {
	env := map[string]map[string]string{
		"linux":   {"XDG_CONFIG_HOME": "/xdg", "CODEX_HOME": "/codex", "COPILOT_HOME": "/copilot"},
		"darwin":  nil,
		"windows": {"APPDATA": "/Users/ann/AppData/Roaming"},
	}
	for _, c := range []struct{ client, linux, darwin, windows string }{
		{"codex", "/codex/config.toml", "~/.codex/config.toml", "~/.codex/config.toml"},
		{"mistral-vibe", "~/.vibe/config.toml", "~/.vibe/config.toml", "~/.vibe/config.toml"},
		{"antigravity", "~/.gemini/antigravity/mcp_config.json", "~/.gemini/antigravity/mcp_config.json", "~/.gemini/antigravity/mcp_config.json"},
		{"opencode", "/xdg/opencode/opencode.json", "~/.config/opencode/opencode.json", "~/.config/opencode/opencode.json"},
		{"vscode", "/xdg/Code/User/mcp.json", "~/Library/Application Support/Code/User/mcp.json", "~/AppData/Roaming/Code/User/mcp.json"},
		{"vscode-insiders", "/xdg/Code - Insiders/User/mcp.json", "~/Library/Application Support/Code - Insiders/User/mcp.json", "~/AppData/Roaming/Code - Insiders/User/mcp.json"},
		{"windsurf-jetbrains", "~/.codeium/mcp_config.json", "~/.codeium/mcp_config.json", "~/.codeium/mcp_config.json"},
		{"zed", "/xdg/zed/settings.json", "~/.config/zed/settings.json", "~/AppData/Roaming/Zed/settings.json"},
		{"goose", "/xdg/goose/config.yaml", "~/.config/goose/config.yaml", "~/AppData/Roaming/Block/goose/config/config.yaml"},
		{"continue", "~/.continue/config.yaml", "~/.continue/config.yaml", "~/.continue/config.yaml"},
		{"lm-studio", "~/.lmstudio/mcp.json", "~/.lmstudio/mcp.json", "~/.lmstudio/mcp.json"},
		{"kiro", "~/.kiro/settings/mcp.json", "~/.kiro/settings/mcp.json", "~/.kiro/settings/mcp.json"},
		{"copilot-cli", "/copilot/mcp-config.json", "~/.copilot/mcp-config.json", "~/.copilot/mcp-config.json"},
		{"amp", "~/.config/amp/settings.json", "~/.config/amp/settings.json", "~/.config/amp/settings.json"},
	} {
		for system, want := range map[string]string{"linux": c.linux, "darwin": c.darwin, "windows": c.windows} {
			s := fake(t, system, "/Users/ann", env[system])
			l := the(t, Places(s), c.client)
			if want = strings.Replace(want, "~", "/Users/ann", 1); l.Path != s.Root+want || l.Folder != s.Root+filepath.Dir(want) {
				t.Errorf("%s on %s: %+v", c.client, system, l)
			}
		}
	}
}

func TestTheDocsSayWhereEveryClientKeepsItsFile(t *testing.T) {
	raw, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range Rows() {
		line := ""
		for text := range strings.Lines(string(raw)) {
			if strings.Contains(text, "| `"+row.ID+"` |") {
				line = text
			}
		}
		for _, p := range row.files {
			if name := p.path[strings.LastIndex(p.path, "/")+1:]; !strings.Contains(line, name) {
				t.Errorf("%s: no %s in %q", row.ID, name, line)
			}
		}
		if row.Format.Language != JSON && !strings.Contains(line, string(row.Format.Language)) {
			t.Errorf("%s: no language in %q", row.ID, line)
		}
		if said := strings.HasSuffix(line, "| unknown |\n"); len(row.files) > 0 && said != (row.Listing.Known == "") {
			t.Errorf("%s: what it does after a listing changed is known from %q, and the docs say %q", row.ID, row.Listing.Known, line)
		}
		if row.Listing.Own && row.Listing.Known == "" {
			t.Errorf("%s lists again by itself, which nothing shows", row.ID)
		}
	}
}

func TestTheBackupsTellHowATOMLOrYAMLFileWasSpelled(t *testing.T) {
	for _, c := range append(tomlTrips[:5:5], yamlTrips[:5]...) {
		t.Run(c.name, func(t *testing.T) {
			by := installed(t)
			by.Client = c.client
			path := filepath.Join(t.TempDir(), "config")
			put(t, path, c.raw)
			backups := &Backups{Dir: t.TempDir()}
			format := FormatOf(c.client)
			wrapped := mustWrap(t, c.raw, format, by)
			if _, err := Write(path, []byte(c.raw), wrapped.Raw, backups); err != nil {
				t.Fatal(err)
			}
			records, err := Recover(path, wrapped.Raw, format, by, backups)
			if err != nil || len(records) != len(wrapped.Records) {
				t.Fatalf("%v, %d records", err, len(records))
			}
			if got := mustUnwrap(t, wrapped.Raw, format, by, records); got != c.raw {
				t.Errorf("it comes back as\n%s", got)
			}
		})
	}
}

// addressLine is a client's line in the table of docs/clients.md about remote servers.
func addressLine(row Row) string {
	s := row.Format.spelling()
	words := func(list string) string {
		var all []string
		for _, pair := range pairs(list) {
			word := "`" + pair[0] + "`"
			if pair[1] != "" {
				word += " (" + pair[1] + ")"
			}
			all = append(all, word)
		}
		return strings.Join(all, ", ")
	}
	kinds := "none"
	if s.kinds != "" {
		kinds = "`" + s.kind + "`: " + words(s.kinds)
	}
	headers := "`" + s.headers + "`"
	for _, more := range []string{s.bearer, s.variables} {
		if more != "" {
			headers += ", `" + more + "`"
		}
	}
	return "| " + row.Title + " | " + words(s.address) + " | " + kinds + " | " + headers + " |\n"
}

func TestTheDocsSayHowEveryClientNamesARemoteServer(t *testing.T) {
	raw, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	table := ""
	for _, row := range Rows() {
		if row.Format.spelling().headers != "" {
			table += addressLine(row)
		}
	}
	if !strings.Contains(string(raw), table) {
		t.Errorf("docs/clients.md has another table than the data; it should be\n%s", table)
	}
}
