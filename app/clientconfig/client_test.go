package clientconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fake is a system below a folder of the test.
func fake(t testing.TB, system, home string, env map[string]string) System {
	return System{OS: system, Home: home, Env: func(name string) string { return env[name] }, Root: t.TempDir()}
}

func the(t testing.TB, places []Location, client string) Location {
	t.Helper()
	for _, l := range places {
		if l.Client == client && l.Preferred {
			return l
		}
	}
	t.Fatalf("no place of %s", client)
	return Location{}
}

const nothing = `{"mcpServers":{}}`

func TestClaudesFileIsFoundOnEachSystem(t *testing.T) {
	const packages = "/Users/ann/AppData/Local/Packages/"
	const inPackage = "/LocalCache/Roaming/Claude/claude_desktop_config.json"
	windows := map[string]string{"LOCALAPPDATA": "/Users/ann/AppData/Local", "APPDATA": "/Users/ann/AppData/Roaming"}
	for _, c := range []struct {
		name, system string
		env          map[string]string
		files        []string // oldest first
		want         string
		state        State
	}{
		{"Linux", "linux", nil, []string{"/Users/ann/.config/Claude/claude_desktop_config.json"}, "/Users/ann/.config/Claude/claude_desktop_config.json", Found},
		{"Linux without a file", "linux", nil, nil, "/Users/ann/.config/Claude/claude_desktop_config.json", Absent},
		{"Linux with a configuration folder of the person's", "linux", map[string]string{"XDG_CONFIG_HOME": "/cfg"}, []string{"/cfg/Claude/claude_desktop_config.json", "/Users/ann/.config/Claude/claude_desktop_config.json"}, "/cfg/Claude/claude_desktop_config.json", Found},
		{"Linux with the file where it always was", "linux", map[string]string{"XDG_CONFIG_HOME": "/cfg"}, []string{"/Users/ann/.config/Claude/claude_desktop_config.json"}, "/Users/ann/.config/Claude/claude_desktop_config.json", Found},
		{"Linux with a relative XDG_CONFIG_HOME, which does not count", "linux", map[string]string{"XDG_CONFIG_HOME": "cfg"}, nil, "/Users/ann/.config/Claude/claude_desktop_config.json", Absent},
		{"macOS", "darwin", nil, []string{"/Users/ann/Library/Application Support/Claude/claude_desktop_config.json"}, "/Users/ann/Library/Application Support/Claude/claude_desktop_config.json", Found},
		{"Windows, older install", "windows", windows, []string{"/Users/ann/AppData/Roaming/Claude/claude_desktop_config.json"}, "/Users/ann/AppData/Roaming/Claude/claude_desktop_config.json", Found},
		{"Windows, a roaming folder elsewhere", "windows", map[string]string{"APPDATA": "/roam"}, []string{"/roam/Claude/claude_desktop_config.json"}, "/roam/Claude/claude_desktop_config.json", Found},
		{"Windows, MSIX", "windows", windows, []string{packages + "Claude_pzs8sxrjxfjjc" + inPackage}, packages + "Claude_pzs8sxrjxfjjc" + inPackage, Found},
		{"Windows, MSIX without variables", "windows", nil, []string{packages + "Claude_pzs8sxrjxfjjc" + inPackage}, packages + "Claude_pzs8sxrjxfjjc" + inPackage, Found},
		{"Windows, both, the older file edited last", "windows", windows, []string{packages + "Claude_pzs8sxrjxfjjc" + inPackage, "/Users/ann/AppData/Roaming/Claude/claude_desktop_config.json"}, packages + "Claude_pzs8sxrjxfjjc" + inPackage, Found},
		{"Windows, two packages", "windows", windows, []string{packages + "Claude_zzz" + inPackage, packages + "Claude_aaa" + inPackage}, packages + "Claude_aaa" + inPackage, Found},
		{"Windows, two packages the other way round", "windows", windows, []string{packages + "Claude_aaa" + inPackage, packages + "Claude_zzz" + inPackage}, packages + "Claude_zzz" + inPackage, Found},
		{"Windows, a package without a file reads the older one", "windows", windows, []string{packages + "Claude_aaa/LocalCache/x", "/Users/ann/AppData/Roaming/Claude/claude_desktop_config.json"}, "/Users/ann/AppData/Roaming/Claude/claude_desktop_config.json", Found},
		{"Windows, a package and no file", "windows", windows, []string{packages + "Claude_aaa/LocalCache/x", packages + "Other_1" + inPackage}, packages + "Claude_aaa" + inPackage, Absent},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fake(t, c.system, "/Users/ann", c.env)
			for i, path := range c.files {
				put(t, s.Root+path, nothing)
				when := time.Unix(1700000000+int64(i)*1000, 0)
				if err := os.Chtimes(s.Root+path, when, when); err != nil {
					t.Fatal(err)
				}
			}
			l := the(t, Locate(s), ClaudeDesktop)
			if l.Path != s.Root+c.want || l.State != c.state {
				t.Errorf("%s is %s (%v)", strings.TrimPrefix(l.Path, s.Root), l.State, l.Err)
			}
			if l.Format != (Format{}) || l.Folder != filepath.Dir(l.Path) {
				t.Errorf("it is %+v", l)
			}
		})
	}
}

func TestOtherClientsAreFoundAndClaudeComesFirst(t *testing.T) {
	for _, c := range []struct{ system, client, path string }{
		{"linux", ClaudeCode, "/home/ann/.claude.json"},
		{"linux", Cursor, "/home/ann/.cursor/mcp.json"},
		{"linux", Windsurf, "/home/ann/.codeium/windsurf/mcp_config.json"},
		{"linux", GeminiCLI, "/home/ann/.gemini/settings.json"},
		{"linux", VSCode, "/home/ann/.config/Code/User/mcp.json"},
		{"darwin", VSCode, "/home/ann/Library/Application Support/Code/User/mcp.json"},
		{"windows", VSCode, "/home/ann/AppData/Roaming/Code/User/mcp.json"},
		{"windows", Cursor, "/home/ann/.cursor/mcp.json"},
	} {
		t.Run(c.system+" "+c.client, func(t *testing.T) {
			s := fake(t, c.system, "/home/ann", nil)
			put(t, s.Root+c.path, nothing)
			places := Locate(s)
			if l := the(t, places, c.client); l.State != Found || l.Path != s.Root+c.path {
				t.Errorf("it is %+v", l)
			}
			if places[0].Client != ClaudeDesktop || places[0].State != Absent {
				t.Errorf("first is %+v", places[0])
			}
		})
	}
}

func TestPlacesOpensNothing(t *testing.T) {
	for _, l := range Places(fake(t, "darwin", "/Users/ann", nil)) {
		if l.State != Unseen || l.Err != nil {
			t.Errorf("%s is %s", l.Path, l.State)
		}
	}
}

func TestWhatIsNotAFileIsNeverNoFile(t *testing.T) {
	s := fake(t, "linux", "/home/ann", nil)
	path := s.Root + "/home/ann/.config/Claude/claude_desktop_config.json"
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if l := the(t, Locate(s), ClaudeDesktop); l.State != Unreadable || l.Err == nil {
		t.Errorf("a folder is %s", l.State)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", path); err != nil {
		t.Fatal(err)
	}
	if l := the(t, Locate(s), ClaudeDesktop); l.State != Unreadable || l.Err == nil {
		t.Errorf("a link to nowhere is %s", l.State)
	}
}
