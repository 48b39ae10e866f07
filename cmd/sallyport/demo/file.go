package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// sampleSecret is in the env of the sample file. No command may ever print it.
const sampleSecret = "sample-value-that-nobody-may-see"

// A sampleFile is a realistic client configuration: settings of the client, a server under an escaped name, tabs beside spaces, CRLF, no
// line end at the end. At the end it must be restored byte for byte.
type sampleFile struct {
	path      string
	before    []byte // as the client wrote it
	protected []byte // as protect left it
	weather   []string
}

// makeFile writes the sample file, and next to it the demo server: a copy of this program under another name, because a command that is
// Sallyport's own file is not taken for a server.
func (t *story) makeFile() {
	server := filepath.Join(t.dir, "weather-server")
	if runtime.GOOS == "windows" {
		server += ".exe"
	}
	must(copyProgram(t.program, server))
	t.trigger = filepath.Join(t.dir, "the-server-changes")
	t.poison = filepath.Join(t.dir, "the-answer-is-poisoned")
	t.odd = filepath.Join(t.dir, "the-answer-is-odd")
	t.file.weather = []string{server, "__demo-server", "weather", "--drift-when", t.trigger, "--poison-when", t.poison, "--odd-when", t.odd}
	words := make([]string, len(t.file.weather))
	for i, word := range t.file.weather {
		quoted, err := json.Marshal(word)
		must(err)
		words[i] = string(quoted)
	}
	folder := filepath.Join(t.dir, "Claude")
	must(os.Mkdir(folder, 0o700))
	t.file.path = filepath.Join(folder, "claude_desktop_config.json")
	t.file.before = []byte(strings.ReplaceAll(fmt.Sprintf(`{
	"globalShortcut": "Ctrl+\u0053pace",
	"mcpServers": {
		"weather": {
			"env": { "WEATHER_KEY": %q },
			"command": %s,
			"args": [
				%s
			]
		},
        "everything": {
          "command": "npx",
          "args": [
            "-y",
            %q
          ]}
	},
	"scale": 1.0
}`, sampleSecret, words[0], strings.Join(words[1:], ",\n\t\t\t\t"), realServer), "\n", "\r\n"))
	must(os.WriteFile(t.file.path, t.file.before, 0o600))
}

func copyProgram(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	if _, err = io.Copy(target, source); err != nil {
		target.Close()
		return err
	}
	return target.Close()
}

// protect puts the guard into the sample file.
func (t *story) protect() {
	t.step("A client's settings file names two servers. What would \"protect\" change in it?", func(ctx context.Context) {
		t.makeFile()
		t.command(ctx, "protect", "--config", t.file.path, "--dry-run")
		t.expectFile(t.file.before)
		t.fine("the file is unchanged, and values in env are not shown")
	})
	t.step("\"protect\" guards both servers.", func(ctx context.Context) {
		t.command(ctx, "protect", "--no-look", "--config", t.file.path)
		var err error
		t.file.protected, err = os.ReadFile(t.file.path)
		must(err)
		for _, name := range []string{"weather", "everything"} {
			argv, _ := t.entry(name)
			entry, _ := os.Stat(argv[0])
			ours, _ := os.Stat(t.program)
			if !os.SameFile(entry, ours) || !slices.Contains(argv, "wrap") {
				wrongf("the entry %s does not run through this program", name)
			}
		}
		if !bytes.Contains(t.file.protected, []byte(sampleSecret)) || !bytes.Contains(t.file.protected, []byte(`Ctrl+\u0053pace`)) {
			wrongf("more than command and args changed")
		}
		t.fine("both entries now run through Sallyport; env, other settings and line ends are unchanged")
		t.command(ctx, "protect", "--no-look", "--config", t.file.path)
		t.expectFile(t.file.protected)
		t.fine("a second run finds nothing to change")
	})
}

// entry is a server in the client's file: the argument vector, and what it adds to the environment.
func (t *story) entry(name string) (argv, env []string) {
	raw, err := os.ReadFile(t.file.path)
	must(err)
	var file struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		wrongf("read the client's file: %w", err)
	}
	entry, ok := file.Servers[name]
	if !ok {
		wrongf("the client's file has no server %s", name)
	}
	for key, value := range entry.Env {
		env = append(env, key+"="+value)
	}
	return append([]string{entry.Command}, entry.Args...), env
}

// start starts a server as the client does: with whatever its file says.
func (t *story) start(name string) *Client {
	argv, env := t.entry(name)
	t.typed(argv)
	c, err := StartWrapped(t.ctx, argv, append(slices.Clone(t.env), env...))
	must(err)
	t.endings = append(t.endings, func() { c.Close() })
	return c
}

// wipe makes the client lose its servers, and restores them.
func (t *story) wipe(direct *Client) {
	head, rest, _ := bytes.Cut(t.file.protected, []byte(`"mcpServers": {`))
	_, rest, found := bytes.Cut(rest, []byte("\r\n\t}"))
	if !found {
		wrongf("%s is not laid out as it was", t.file.path)
	}
	wiped := slices.Concat(head, []byte(`"mcpServers": {}`), rest)
	var item control.InboxItem
	t.step("The client rewrites its file and loses both servers.", func(ctx context.Context) {
		// As careful programs do: write a new file, then rename it over the old one.
		next := t.file.path + ".new"
		must(os.WriteFile(next, wiped, 0o600))
		must(os.Rename(next, t.file.path))
		err := Eventually(ctx, func() (ok bool, err error) {
			item, ok = t.waiting(ctx, clientOfFile)
			return ok, nil
		})
		if err != nil {
			wrongf("the loss is not reported: %w", err)
		}
		if item.Kind != vocab.ItemConfigChanged || len(item.Parts) != 2 {
			wrongf("item %s is %s with %d entries, not the loss of two", item.Code, item.Kind, len(item.Parts))
		}
		t.expectFile(wiped)
		t.fine("Sallyport reports it as item %s, and changes nothing on its own", item.Code)
	})
	t.step("You review what was lost and restore it.", func(ctx context.Context) {
		t.command(ctx, "show", item.Code)
		t.command(ctx, "approve", item.Code, "--digest", item.Digest, "--yes")
		t.expectFile(t.file.protected)
		t.fine("both servers are back and guarded, byte for byte as before")
	})
	t.step("The client starts the server again. What you allowed still is.", func(ctx context.Context) {
		c := t.start("weather")
		_, err := c.Hello(ctx)
		must(err)
		declared, err := direct.Tools(ctx)
		must(err)
		// The server begins in its old version and changes at once, so the replaced version is met for a moment, and blocked.
		var seen error
		err = Eventually(ctx, func() (bool, error) {
			seen = t.sees(ctx, c, declared)
			return seen == nil, nil
		})
		must(errors.Join(err, seen))
		t.expectSame(ctx, c, direct, "get_forecast", `{"city":"Lisbon","context":"none"}`)
	})
}

// clientOfFile is the client that items about the sample file name.
const clientOfFile = "Claude Desktop"

// unprotect takes the guard out again.
func (t *story) unprotect() {
	t.step("\"unprotect\" removes the guard.", func(ctx context.Context) {
		t.command(ctx, "unprotect", "--config", t.file.path, "--yes")
		t.expectFile(t.file.before)
		t.compare(ctx)
		t.fine("the file is byte for byte what it was before (%d bytes)", len(t.file.before))
	})
}

// compare also lets cmp confirm it, if available.
func (t *story) compare(ctx context.Context) {
	program, err := exec.LookPath("cmp")
	if err != nil {
		return
	}
	before := filepath.Join(t.dir, "the-file-before")
	must(os.WriteFile(before, t.file.before, 0o600))
	t.typed([]string{"cmp", before, t.file.path})
	if out, err := exec.CommandContext(ctx, program, before, t.file.path).CombinedOutput(); err != nil {
		wrongf("cmp: %w: %.200s", err, out)
	}
}

func (t *story) expectFile(want []byte) {
	got, err := os.ReadFile(t.file.path)
	must(err)
	if !bytes.Equal(got, want) {
		wrongf("%s is not byte for byte what it should be: %.600q", t.file.path, got)
	}
}
