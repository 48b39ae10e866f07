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
func (t *story) makeFile() error {
	server := filepath.Join(t.dir, "weather-server")
	if runtime.GOOS == "windows" {
		server += ".exe"
	}
	if err := copyProgram(t.program, server); err != nil {
		return err
	}
	t.trigger = filepath.Join(t.dir, "the-server-changes")
	t.poison = filepath.Join(t.dir, "the-answer-is-poisoned")
	t.file.weather = []string{server, "__demo-server", "weather", "--drift-when", t.trigger, "--poison-when", t.poison}
	words := make([]string, 0, len(t.file.weather))
	for _, word := range t.file.weather {
		quoted, err := json.Marshal(word)
		if err != nil {
			return err
		}
		words = append(words, string(quoted))
	}
	folder := filepath.Join(t.dir, "Claude")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
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
	return os.WriteFile(t.file.path, t.file.before, 0o600)
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
func (t *story) protect(ctx context.Context) error {
	err := t.step("A client's settings file names two servers. What would \"protect\" change in it?", func() error {
		if err := t.makeFile(); err != nil {
			return err
		}
		if _, err := t.command(ctx, "protect", "--config", t.file.path, "--dry-run"); err != nil {
			return err
		}
		if err := t.expectFile(t.file.before); err != nil {
			return err
		}
		t.fine("the file is unchanged, and values in env are not shown")
		return nil
	})
	if err != nil {
		return err
	}
	return t.step("\"protect\" guards both servers.", func() error {
		if _, err := t.command(ctx, "protect", "--no-look", "--config", t.file.path); err != nil {
			return err
		}
		var err error
		if t.file.protected, err = os.ReadFile(t.file.path); err != nil {
			return err
		}
		for _, name := range []string{"weather", "everything"} {
			argv, _, err := t.entry(name)
			if err != nil {
				return err
			}
			entry, _ := os.Stat(argv[0])
			ours, _ := os.Stat(t.program)
			if !os.SameFile(entry, ours) || !slices.Contains(argv, "wrap") {
				return fmt.Errorf("the entry %s does not run through this program", name)
			}
		}
		if !bytes.Contains(t.file.protected, []byte(sampleSecret)) || !bytes.Contains(t.file.protected, []byte(`Ctrl+\u0053pace`)) {
			return fmt.Errorf("more than command and args changed")
		}
		t.fine("both entries now run through Sallyport; env, other settings and line ends are unchanged")
		if _, err := t.command(ctx, "protect", "--no-look", "--config", t.file.path); err != nil {
			return err
		}
		if err := t.expectFile(t.file.protected); err != nil {
			return err
		}
		t.fine("a second run finds nothing to change")
		return nil
	})
}

// entry is what a client reads of a server in its file: the argument vector, and what it adds to the environment.
func (t *story) entry(name string) (argv, env []string, err error) {
	raw, err := os.ReadFile(t.file.path)
	if err != nil {
		return nil, nil, err
	}
	var file struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, nil, fmt.Errorf("read the client's file: %w", err)
	}
	entry, ok := file.Servers[name]
	if !ok {
		return nil, nil, fmt.Errorf("the client's file has no server %s", name)
	}
	for key, value := range entry.Env {
		env = append(env, key+"="+value)
	}
	return append([]string{entry.Command}, entry.Args...), env, nil
}

// start starts a server as the client does: with what stands in its file, whatever that is.
func (t *story) start(ctx context.Context, name string) (*Client, error) {
	argv, env, err := t.entry(name)
	if err != nil {
		return nil, err
	}
	t.typed(argv)
	c, err := StartWrapped(ctx, argv, append(slices.Clone(t.env), env...))
	if err == nil {
		t.endings = append(t.endings, func() { c.Close() })
	}
	return c, err
}

// wipe makes the client lose its servers, and restores them.
func (t *story) wipe(ctx context.Context, direct *Client) error {
	head, rest, _ := bytes.Cut(t.file.protected, []byte(`"mcpServers": {`))
	_, rest, found := bytes.Cut(rest, []byte("\r\n\t}"))
	if !found {
		return fmt.Errorf("%s is not laid out as it was", t.file.path)
	}
	wiped := slices.Concat(head, []byte(`"mcpServers": {}`), rest)
	var item control.InboxItem
	err := t.step("The client rewrites its file and loses both servers.", func() error {
		// As careful programs do: write a new file, then rename it over the old one.
		next := t.file.path + ".new"
		if err := os.WriteFile(next, wiped, 0o600); err != nil {
			return err
		}
		if err := os.Rename(next, t.file.path); err != nil {
			return err
		}
		err := Eventually(ctx, func() (ok bool, err error) {
			item, ok, err = t.waiting(ctx, clientOfFile)
			return ok, err
		})
		if err != nil {
			return fmt.Errorf("the loss is not reported: %w", err)
		}
		if item.Kind != vocab.ItemConfigChanged || len(item.Parts) != 2 {
			return fmt.Errorf("item %s is %s with %d entries, not the loss of two", item.Code, item.Kind, len(item.Parts))
		}
		if err := t.expectFile(wiped); err != nil {
			return err
		}
		t.fine("Sallyport reports it as item %s, and changes nothing on its own", item.Code)
		return nil
	})
	if err != nil {
		return err
	}
	err = t.step("You review what was lost and restore it.", func() error {
		if _, err := t.command(ctx, "show", item.Code); err != nil {
			return err
		}
		if _, err := t.command(ctx, "approve", item.Code, "--digest", item.Digest, "--yes"); err != nil {
			return err
		}
		if err := t.expectFile(t.file.protected); err != nil {
			return err
		}
		t.fine("both servers are back and guarded, byte for byte as before")
		return nil
	})
	if err != nil {
		return err
	}
	return t.again(ctx, direct)
}

// again starts a server that was lost and put back.
func (t *story) again(ctx context.Context, direct *Client) error {
	return t.step("The client starts the server again. What you allowed still is.", func() error {
		c, err := t.start(ctx, "weather")
		if err != nil {
			return err
		}
		bounded, cancel := context.WithTimeout(ctx, stepTime)
		defer cancel()
		if _, err := c.Hello(bounded); err != nil {
			return err
		}
		declared, err := direct.Tools(bounded)
		if err != nil {
			return err
		}
		// The server begins in its old version and changes at once, so the replaced version is met for a moment, and blocked.
		var seen error
		err = Eventually(ctx, func() (bool, error) {
			seen = t.expectTools(bounded, c, declared)
			return seen == nil, nil
		})
		if err != nil {
			return errors.Join(err, seen)
		}
		return t.expectSame(ctx, c, direct, "get_forecast", `{"city":"Lisbon","context":"none"}`)
	})
}

// clientOfFile is whose items those of the sample file are.
const clientOfFile = "Claude Desktop"

// unprotect takes the guard out again.
func (t *story) unprotect(ctx context.Context) error {
	return t.step("\"unprotect\" removes the guard.", func() error {
		if _, err := t.command(ctx, "unprotect", "--config", t.file.path, "--yes"); err != nil {
			return err
		}
		if err := t.expectFile(t.file.before); err != nil {
			return err
		}
		if err := t.compare(ctx); err != nil {
			return err
		}
		t.fine("the file is byte for byte what it was before (%d bytes)", len(t.file.before))
		return nil
	})
}

// compare also lets cmp confirm it, if available.
func (t *story) compare(ctx context.Context) error {
	program, err := exec.LookPath("cmp")
	if err != nil {
		return nil
	}
	before := filepath.Join(t.dir, "the-file-before")
	if err := os.WriteFile(before, t.file.before, 0o600); err != nil {
		return err
	}
	t.typed([]string{"cmp", before, t.file.path})
	if out, err := exec.CommandContext(ctx, program, before, t.file.path).CombinedOutput(); err != nil {
		return fmt.Errorf("cmp: %w: %.200s", err, out)
	}
	return nil
}

func (t *story) expectFile(want []byte) error {
	got, err := os.ReadFile(t.file.path)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s is not byte for byte what it should be: %.600q", t.file.path, got)
	}
	return nil
}
