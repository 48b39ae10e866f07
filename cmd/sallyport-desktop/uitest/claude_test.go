//go:build ui

package uitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// claude acts as Claude Desktop: it starts the servers in its file, and sometimes writes the file.
type claude struct {
	*house
	path string
	bare []byte // the file before anything was guarded in it
}

// protected is a house with a client's file whose one server, weather, runs behind the port and was allowed.
func protected(t *testing.T) (*claude, *server) {
	t.Helper()
	h := newHouse(t)
	c := &claude{house: h, path: filepath.Join(h.value("HOME"), ".config", "Claude", "claude_desktop_config.json")}
	first, faces := weatherFaces()
	weather := newServer(t, first, faces)
	command, err := json.Marshal(weather.command()[0])
	if err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(weather.command()[1:])
	if err != nil {
		t.Fatal(err)
	}
	// Tabs, CRLF and keys that we know nothing of: nothing of that may change.
	text := "{\n\t\"globalShortcut\": \"\",\n\t\"mcpServers\": {\n\t\t\"weather\": {\n\t\t\t\"command\": " + string(command) + ",\n\t\t\t\"args\": " + string(args) +
		",\n\t\t\t\"env\": {\"WEATHER_KEY\": \"PLANTED-SECRET\"}\n\t\t}\n\t},\n\t\"unknown\": [1, 2.0]\n}\n"
	c.bare = []byte(strings.ReplaceAll(text, "\n", "\r\n"))
	c.write(c.bare)
	end := h.headlessHub("--allow-cli-approval")
	if out, code := h.command("protect", "--no-look"); code != 0 {
		t.Fatalf("protect: status %d: %s", code, out)
	}
	h.allow("weather", c.starts("weather", h.headless()))
	c.covers(1)
	end()
	return c, weather
}

// text is the file as it is.
func (c *claude) text() []byte {
	c.t.Helper()
	raw, err := os.ReadFile(c.path)
	if err != nil {
		c.t.Fatal(err)
	}
	return raw
}

// write writes the file as programs do that take care: whole or not at all.
func (c *claude) write(raw []byte) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(c.path+".tmp", raw, 0o600); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Rename(c.path+".tmp", c.path); err != nil {
		c.t.Fatal(err)
	}
}

// edit replaces a text that occurs once in the file, and returns the file as it was.
func (c *claude) edit(old, new string) (before []byte) {
	c.t.Helper()
	before = c.text()
	if n := bytes.Count(before, []byte(old)); n != 1 {
		c.t.Fatalf("%q stands %d times in %s", old, n, before)
	}
	c.write(bytes.Replace(before, []byte(old), []byte(new), 1))
	return before
}

// becomes waits until the file is this, byte for byte.
func (c *claude) becomes(want []byte) {
	c.t.Helper()
	wait(c.t, "the file is, byte for byte, "+string(want), func() bool { return bytes.Equal(c.text(), want) })
}

// covers waits until so many of the servers in the file, of which there is one, run behind the port.
func (c *claude) covers(guarded int) {
	c.t.Helper()
	wait(c.t, fmt.Sprintf("%d of 1 server is guarded", guarded), func() bool {
		out, _ := c.command("status", "--json")
		var status struct {
			Coverage struct {
				Guarded int `json:"guarded"`
				Total   int `json:"total"`
			} `json:"coverage"`
		}
		return json.Unmarshal([]byte(out), &status) == nil && status.Coverage.Guarded == guarded && status.Coverage.Total == 1
	})
}

// starts starts the entry of this name, as Claude does, and says hello.
func (c *claude) starts(name string, env []string) *client {
	c.t.Helper()
	var file struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(c.text(), &file); err != nil {
		c.t.Fatal(err)
	}
	entry, ok := file.Servers[name]
	if !ok {
		c.t.Fatalf("there is no %s in %s", name, c.text())
	}
	for key, value := range entry.Env {
		env = append(env, key+"="+value)
	}
	return c.client(name, append([]string{entry.Command}, entry.Args...), env)
}
