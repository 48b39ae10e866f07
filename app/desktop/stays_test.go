package desktop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sallyport/sallyport/app/clientconfig"
)

// The window writes no path that `sallyport protect` would not write, and says it in the same words.
func TestTheWindowWritesNoProgramThatDoesNotStay(t *testing.T) {
	d := newDesk(t)
	t.Setenv("SALLYPORT_HOME", "") // no home was named, so the temporary folder is no place for a program
	path := filepath.Join(t.TempDir(), "claude_desktop_config.json")
	bare := `{"mcpServers": {"weather": {"command": "npx", "args": ["weather"]}}}`
	if err := os.WriteFile(path, []byte(bare), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(os.Getenv("HOME"), "sallyport")
	d.stays = func() error { return clientconfig.Stays(program) }
	want := clientconfig.Stays(program)
	if want == nil {
		t.Fatalf("%s stays", program)
	}
	if _, err := d.PreviewProtect("claude-desktop", path, nil); err == nil || err.Error() != want.Error() {
		t.Errorf("the preview says %v, the command line %v", err, want)
	}
	d.stays = nil
	shown, err := d.PreviewProtect("claude-desktop", path, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.stays = func() error { return clientconfig.Stays(program) }
	if _, err := d.Protect("claude-desktop", path, nil, shown.Digest, shown.Nonce); err == nil {
		t.Error("it was written")
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != bare {
		t.Errorf("the file is %s, %v", now, err)
	}
	t.Setenv("SALLYPORT_HOME", os.Getenv("HOME"))
	if err := clientconfig.Stays(program); err != nil {
		t.Errorf("an installation of its own may lie there: %v", err)
	}
}
