//go:build ui

package uitest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The first start on a machine with a client shows what would change before anything is written; one press writes it, and undoing it restores
// the file byte for byte.
func TestTheFirstStartProtectsWhatItShowed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first, faces := weatherFaces()
	weather := newServer(t, first, faces)
	entry := map[string]any{"command": weather.command()[0], "args": weather.command()[1:]}
	servers, err := json.MarshalIndent(map[string]any{"weather": entry}, "\t", "\t")
	if err != nil {
		t.Fatal(err)
	}
	// Tabs, CRLF and keys that we don't know: none of them may change.
	before := []byte(strings.ReplaceAll("{\n\t\"globalShortcut\": \"\",\n\t\"mcpServers\": "+string(servers)+",\n\t\"unknown\": [1, 2.0]\n}\n", "\n", "\r\n"))
	path := filepath.Join(h.value("HOME"), ".config", "Claude", "claude_desktop_config.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	now := func() []byte {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}

	a := h.start()
	a.ready()
	a.shows()
	a.says("weather", "claude_desktop_config.json")
	a.press(button, seeChange)
	a.says("wrap")
	if !bytes.Equal(now(), before) {
		t.Error("the file changed before anybody pressed")
	}
	a.press(button, protect)
	wait(t, "the file has the guard in it", func() bool { return bytes.Contains(now(), []byte(`"wrap"`)) })
	if !bytes.Contains(now(), []byte("\r\n\t\"unknown\": [1, 2.0]\r\n}\r\n")) {
		t.Errorf("more changed than was shown: %q", now())
	}
	a.press(button, undo)
	wait(t, "the file is as it was", func() bool { return bytes.Equal(now(), before) })
}
