package desktop

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/reveal"
	"github.com/sallyport/sallyport/proxy/control"
)

// claudes is the path of Claude Desktop's own file, with this in it; "" is no file.
func (d *desk) claudes(text string) (path string) {
	d.t.Helper()
	path = filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "Claude", "claude_desktop_config.json")
	if text == "" {
		return path
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

// file is the file at path as the page gets it.
func (d *desk) file(path string) (ClientFile, bool) {
	d.t.Helper()
	c, err := d.Clients()
	if err != nil {
		d.t.Fatal(err)
	}
	at := slices.IndexFunc(c.Clients, func(f ClientFile) bool { return f.Path == path })
	if at < 0 {
		return ClientFile{}, false
	}
	return c.Clients[at], true
}

// chooses is the person at the dialog.
func (d *desk) chooses(path string, err error) {
	d.window.chooses = func(string) (string, error) { return path, err }
}

const oneServer = `{"mcpServers": {"weather": {"command": "npx", "args": ["weather"]}}}`

func elsewhere(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestHelpIsOfferedAtAFileThatIsMissingOrBrokenOnly(t *testing.T) {
	for name, c := range map[string]struct {
		text, state string
		help        FileHelp
	}{
		"missing": {"", control.FileAbsent, FileHelp{Choose: true, Show: true}},
		"broken":  {`{"mcpServers": {`, control.FileUnreadable, FileHelp{Choose: true, Show: true}},
		"whole":   {oneServer, control.FileFound, FileHelp{}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			if f, ok := d.file(d.claudes(c.text)); !ok || f.State != c.state || f.Help != c.help {
				t.Errorf("the page is told %+v", f)
			}
		})
	}
}

func TestTheChosenFileIsWhatIsLookedAtAndProtected(t *testing.T) {
	for name, text := range map[string]string{"missing": "", "broken": `{"mcpServers": {`} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			own, path := d.claudes(text), elsewhere(t, "mine.json", oneServer)
			d.chooses(filepath.Dir(path)+"/./mine.json", nil)
			if got, err := d.ChooseFile("claude-desktop"); err != nil || got != path {
				t.Fatalf("chosen: %q, %v", got, err)
			}
			did(t, d.window, "choose Choose the settings file of Claude Desktop")
			f, ok := d.file(path)
			if !ok || f.State != control.FileFound || f.Client != "claude-desktop" || f.Name != "Claude Desktop" || !f.Help.Chosen || f.Total != 1 || f.Watched {
				t.Fatalf("the chosen file: %+v", f)
			}
			if f, ok := d.file(own); !ok || f.Help.Chosen || !f.Help.Choose {
				t.Errorf("the client's own: %+v", f)
			}
			shown, err := d.PreviewProtect(f.Client, f.Path, nil)
			if err != nil || shown.Path != path || shown.Diff == "" {
				t.Fatalf("preview: %+v, %v", shown, err)
			}
			d.at = d.at.Add(armAfter)
			if done, err := d.Protect(f.Client, f.Path, nil, shown.Digest, shown.Nonce); err != nil || !done.Written || done.Path != path {
				t.Fatalf("protect: %+v, %v", done, err)
			}
			if raw, err := os.ReadFile(path); err != nil || !strings.Contains(string(raw), `"wrap"`) {
				t.Errorf("the chosen file holds %s, %v", raw, err)
			}
			if raw, err := os.ReadFile(own); string(raw) != text {
				t.Errorf("the client's own holds %s, %v", raw, err)
			}
			d.Page.chosen.keep("", "") // as a start anew
			if f, ok := d.file(path); !ok || !f.Watched || f.Guarded != 1 {
				t.Errorf("without the choice: %+v", f)
			}
		})
	}
}

func TestAChoiceThatIsNoneChangesNothing(t *testing.T) {
	d := newDesk(t)
	d.claudes("")
	path := elsewhere(t, "mine.json", oneServer)
	d.chooses(path, nil)
	if _, err := d.ChooseFile("claude-desktop"); err != nil {
		t.Fatal(err)
	}
	before := d.Page.chosen.query()
	for name, c := range map[string]struct {
		path string
		err  error
		code int
	}{
		"cancelled":                   {"", nil, 0},
		"a dialog that did not open":  {"", errors.New("no display"), control.CodeUnavailable},
		"a path from nowhere":         {"mine.json", nil, control.CodeBadRequest},
		"a name that looks like else": {filepath.Join(filepath.Dir(path), "mine\u202Enosj.json"), nil, control.CodeBadRequest},
	} {
		d.chooses(c.path, c.err)
		if got, err := d.ChooseFile("claude-desktop"); got != "" || codeOf(err) != c.code {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if now := d.Page.chosen.query(); now != before {
			t.Errorf("%s: %+v is looked at", name, now)
		}
	}
}

func TestNoDialogOpensWhereNoFileIsInTroubleOrNobodyLooks(t *testing.T) {
	d := newDesk(t)
	d.chooses(elsewhere(t, "mine.json", oneServer), nil)
	d.Page.reveal = func(path string) error { t.Errorf("%s is shown", path); return nil }
	for _, c := range []struct {
		name, client string
		before       func()
		code         int
	}{
		{"an unknown client", "/etc", func() {}, control.CodeNotFound},
		{"no client", "", func() {}, control.CodeNotFound},
		{"a file that is all right", "claude-desktop", func() { d.claudes(oneServer) }, control.CodeNotFound},
		{"a window that nobody sees", "claude-desktop", func() { d.claudes("{"); d.shell.Closing(); d.window.took() }, control.CodeUnavailable},
	} {
		c.before()
		if _, err := d.ChooseFile(c.client); codeOf(err) != c.code {
			t.Errorf("%s, choose: %v", c.name, err)
		}
		if err := d.ShowInFolder(c.client, false); codeOf(err) != c.code {
			t.Errorf("%s, show: %v", c.name, err)
		}
	}
	did(t, d.window)
}

func TestOneDialogAtATime(t *testing.T) {
	d := newDesk(t)
	d.claudes("")
	d.window.chooses = func(string) (string, error) {
		if _, err := d.ChooseFile("claude-desktop"); codeOf(err) != control.CodeUnavailable {
			t.Errorf("a second dialog: %v", err)
		}
		return "", nil
	}
	if _, err := d.ChooseFile("claude-desktop"); err != nil {
		t.Error(err)
	}
	did(t, d.window, "choose Choose the settings file of Claude Desktop")
}

func TestTheFileManagerIsShownTheFileInTroubleAndNoOther(t *testing.T) {
	d := newDesk(t)
	own, other := d.claudes(`{"mcpServers": {`), elsewhere(t, "other.json", `{"mcpServers"`)
	var shown []string
	fails := error(nil)
	d.Page.reveal = func(path string) error { shown = append(shown, path); return fails }
	if err := d.ShowInFolder("claude-desktop", true); codeOf(err) != control.CodeNotFound {
		t.Errorf("nothing was chosen: %v", err)
	}
	d.chooses(other, nil)
	if _, err := d.ChooseFile("claude-desktop"); err != nil {
		t.Fatal(err)
	}
	for _, chosen := range []bool{false, true} {
		if err := d.ShowInFolder("claude-desktop", chosen); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(shown, []string{own, other}) {
		t.Errorf("shown: %q", shown)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{reveal.ErrNoManager, "No file manager responded. Open this folder yourself: " + filepath.Dir(own)},
		{reveal.ErrNoFolder, "This folder doesn't exist yet: " + filepath.Dir(own)},
		{errors.New("the disk is gone"), "Sallyport couldn't show the folder: the disk is gone."},
	} {
		fails = c.err
		if err := d.ShowInFolder("claude-desktop", false); codeOf(err) != control.CodeUnavailable || !strings.Contains(err.Error(), c.want) {
			t.Errorf("it could not be shown: %v, want %q", err, c.want)
		}
	}
}
