package guardian

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestAFileThatCannotBeReadIsNamedAndNotCountedAsEmpty(t *testing.T) {
	d := newDesk(t, "{\n\"mcpServers\": {,}}")
	c, err := d.Coverage(control.CoverageQuery{})
	if err != nil || len(c.Unguarded) != 1 || c.Unguarded[0].Code != office.ProblemClientUnreadable || !strings.Contains(c.Unguarded[0].Why, "line 2") {
		t.Errorf("coverage %+v, %v", c, err)
	}
}

func TestOnAMacNothingIsReadBeforeAPersonAsked(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "person", "Library", "Application Support", "Claude", "claude_desktop_config.json")
	put(t, file, claudeFile)
	d := deskAt(t, root, "", "darwin")
	c, err := d.Coverage(control.CoverageQuery{})
	if err != nil || c.Total != 0 || c.Clients[0].State != control.FileUnseen {
		t.Errorf("coverage %+v, %v", c, err)
	}
	d.Path = file
	d.protect()
	if c, err = d.Coverage(control.CoverageQuery{}); err != nil || c.Guarded != 2 || c.Clients[0].State != control.FileFound {
		t.Errorf("coverage %+v, %v", c, err)
	}
}

func TestTheCommandThatGuardsAnEntryCanBePasted(t *testing.T) {
	for name, want := range map[string]string{
		"weather": "sallyport protect weather", "my files": "sallyport protect 'my files'", "$(rm -r ~)": "sallyport protect '$(rm -r ~)'",
		"it's": "sallyport protect NAME", "--all": "sallyport protect NAME", "a\nb": "sallyport protect NAME", "\u202eabc": "sallyport protect NAME",
	} {
		if got := protectWords("claude-desktop", name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	if got := protectWords("cursor", ""); got != "sallyport protect --client cursor" {
		t.Error(got)
	}
}

func TestAFilesStateIsSaidInTheWordsOfTheSocket(t *testing.T) {
	for state, want := range map[clientconfig.State]string{
		clientconfig.Unseen: control.FileUnseen, clientconfig.Found: control.FileFound, clientconfig.Absent: control.FileAbsent,
		clientconfig.Denied: control.FileDenied, clientconfig.Unreadable: control.FileUnreadable,
	} {
		if f := clientFile(clientconfig.Location{State: state}, nil); f.State != want {
			t.Errorf("a file that is %s is said to be %q, want %q", state, f.State, want)
		}
	}
}

func TestServersOfAnAdministratorAreShownAndTheirFileStays(t *testing.T) {
	for system, place := range map[string]string{"linux": "/etc/claude-code", "darwin": "/Library/Application Support/ClaudeCode", "windows": `C:\Program Files/ClaudeCode`} {
		t.Run(system, func(t *testing.T) {
			root := t.TempDir()
			d := deskAt(t, root, claudeFile, system)
			if c, err := d.Coverage(control.CoverageQuery{}); err != nil || strings.Contains(fmt.Sprint(c), "managed-mcp") {
				t.Fatalf("without the file: %+v, %v", c, err)
			}
			file := filepath.Join(root, place, "managed-mcp.json")
			text := `{"mcpServers": {
  "theirs": {"command": "one", "env": {"T": "very-secret-value"}},
  "far": {"type": "http", "url": "https://h.example/?very-secret-value"},
  "wrapped": {"command": "` + d.Program + `", "args": ["wrap", "--name", "wrapped", "--client", "claude-code", "--", "two"]}
}}`
			put(t, file, text)
			before, err := d.Coverage(control.CoverageQuery{})
			if err != nil || strings.Contains(fmt.Sprint(before), "very-secret") {
				t.Fatalf("%+v, %v", before, err)
			}
			said := map[string]string{}
			for _, u := range before.Unguarded {
				if u.Client == clientconfig.ClaudeCode && u.Code == office.CoverPolicy && strings.Contains(u.Why, file) && u.Next == "" {
					said[u.Name] = u.Kind
				}
			}
			want := map[string]string{"theirs": UnguardedPolicy, "far": UnguardedRemote, "managed policy": UnguardedPolicy}
			if !maps.Equal(said, want) || before.Guarded != 1 {
				t.Errorf("said %v, %d guarded", said, before.Guarded)
			}
			if _, err := d.Protect(person, control.Protect{Client: clientconfig.ClaudeCode, Names: []string{"theirs"}}); err == nil {
				t.Error("an entry of it was protected")
			}
			if now, err := os.ReadFile(file); err != nil || string(now) != text {
				t.Errorf("it is now %s, %v", now, err)
			}
			put(t, file, "{")
			c, err := d.Coverage(control.CoverageQuery{})
			if err != nil || !slices.ContainsFunc(c.Unguarded, func(u control.Unguarded) bool {
				return strings.Contains(u.Why, "can't tell which servers it adds: "+file)
			}) {
				t.Errorf("broken, it is not named: %+v, %v", c, err)
			}
		})
	}
}
