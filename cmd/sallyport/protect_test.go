package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/cmd/sallyport/demo"
	"github.com/sallyport/sallyport/proxy/control"
)

// An installation is a test's own home and client's file; its commands run as processes.
type installation struct {
	t    *testing.T
	dir  string
	home string
	file string
	env  []string // further variables
}

func install(t *testing.T, content string) *installation {
	t.Helper()
	dir := t.TempDir()
	i := &installation{t: t, dir: dir, home: filepath.Join(dir, "home"), file: filepath.Join(dir, "client", "claude_desktop_config.json")}
	if err := os.Mkdir(filepath.Dir(i.file), 0o755); err != nil {
		t.Fatal(err)
	}
	i.write(content)
	return i
}

func (i *installation) write(content string) {
	i.t.Helper()
	if err := os.WriteFile(i.file, []byte(content), 0o644); err != nil {
		i.t.Fatal(err)
	}
}

func (i *installation) read() string {
	i.t.Helper()
	raw, err := os.ReadFile(i.file)
	if err != nil {
		i.t.Fatal(err)
	}
	return string(raw)
}

// run runs sallyport and returns its exit code and output, both streams together.
func (i *installation) run(args ...string) (int, string) {
	i.t.Helper()
	child := i.command(args...)
	var out bytes.Buffer
	child.Stdout, child.Stderr = &out, &out
	var exit *exec.ExitError
	if err := child.Run(); err != nil && !errors.As(err, &exit) {
		i.t.Fatal(err)
	}
	return child.ProcessState.ExitCode(), out.String()
}

func (i *installation) command(args ...string) *exec.Cmd {
	i.t.Helper()
	program, err := exec.LookPath("sallyport")
	if err != nil {
		i.t.Fatal(err)
	}
	child := exec.Command(program, args...)
	child.Env = slices.Concat(os.Environ(), []string{"SALLYPORT_HOME=" + i.home, "HOME=" + i.dir, "XDG_CONFIG_HOME="}, i.env)
	return child
}

// want runs sallyport and expects this exit code.
func (i *installation) want(code int, args ...string) string {
	i.t.Helper()
	got, out := i.run(args...)
	if got != code {
		i.t.Fatalf("sallyport %s: exit code %d, want %d:\n%s", strings.Join(args, " "), got, code, out)
	}
	if strings.Contains(out, "PLANTED") {
		i.t.Fatalf("sallyport %s printed a secret:\n%s", strings.Join(args, " "), out)
	}
	return out
}

// hub runs a hub that takes decisions from a terminal, until stop is called.
func (i *installation) hub() (stop func()) {
	i.t.Helper()
	child := i.command("hub", "--allow-cli-approval")
	if err := child.Start(); err != nil {
		i.t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			child.Process.Signal(os.Interrupt)
			child.Wait()
		}
	}
	i.t.Cleanup(stop)
	home, err := control.HomeAt(i.home)
	if err != nil {
		i.t.Fatal(err)
	}
	err = demo.Eventually(context.Background(), func() (bool, error) {
		client, err := control.Dial(context.Background(), home, control.RoleCLI)
		if errors.Is(err, control.ErrNoHub) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		return true, client.Close()
	})
	if err != nil {
		i.t.Fatal(err)
	}
	return stop
}

// ways are the two ways out: through a hub, and without one.
var ways = map[string]bool{"with a hub": true, "without a hub": false}

func (i *installation) unprotect(stop func(), withHub bool, args ...string) string {
	i.t.Helper()
	if !withHub {
		stop()
	}
	return i.want(exitFine, append([]string{"unprotect", "--config", i.file, "--yes"}, args...)...)
}

const ordinary = `{"mcpServers": {"weather": {"command": "npx", "args": ["-y", "weather"], "env": {"KEY": "PLANTED"}}}}`

func TestWhatWasProtectedComesBackByteForByte(t *testing.T) {
	for _, c := range []struct{ name, file string }{
		{"an ordinary file", ordinary + "\n"},
		{"no line end at the end", ordinary},
		{"tabs", "{\n\t\"mcpServers\":\t{\n\t\t\"weather\": {\n\t\t\t\"command\":\t\"npx\",\n\t\t\t\"args\": [\n\t\t\t\t\"-y\",\n\t\t\t\t\"weather\"\n\t\t\t]\n\t\t}\n\t}\n}\n"},
		{"CRLF", "{\r\n  \"mcpServers\": {\r\n    \"weather\": {\r\n      \"command\": \"npx\",\r\n      \"args\": [\r\n        \"weather\"\r\n      ]\r\n    }\r\n  }\r\n}\r\n"},
		{"a byte order mark", "\ufeff" + ordinary + "\r\n"},
		{"escapes that say the same in more words", `{"mcpServers": {"we\u0061ther": {"command": "\u006epx", "args": ["\/x", "\u00e9", "\"q\""]}}}`},
		{"no arguments", `{"mcpServers": {"weather": {"command": "weather-server"}}}`},
		{"an empty list of arguments", `{"mcpServers": {"weather": {"args": [ ], "command": "weather-server"}}}`},
		{"no white space at all", `{"mcpServers":{"a":{"command":"x","args":["1","2"]},"b":{"args":["1"],"command":"x"}},"x":1}`},
		{"unknown keys, numbers as written, and keys in any order", `{"z":1.0e0,"mcpServers":{"b":{"disabled":false,"args":["1"],"timeout":1e3,"command":"x","autoApprove":["y"]}},"a":[1,2,{"b":null}]}`},
		{"odd entries among honest ones", `{"mcpServers": {"a": {"args": 7}, "weather": {"command": "npx", "args": ["--api-key", "PLANTED"]}, "b": [], "far": {"url": "https://x.example/PLANTED"}}}`},
		{"a name that looks like ours, and arguments that do", `{"mcpServers": {"--": {"command": "x", "args": ["wrap", "--", "--name"]}, "--name": {"command": "-- x"}, "": {"command": "y"}}}`},
	} {
		for way, withHub := range ways {
			t.Run(c.name+", "+way, func(t *testing.T) {
				i := install(t, c.file)
				stop := i.hub()
				i.want(exitFine, "protect", "--config", i.file)
				if protected := i.read(); protected == c.file || !json.Valid([]byte(strings.TrimPrefix(protected, "\ufeff"))) {
					t.Fatalf("protected it is\n%s", protected)
				}
				i.unprotect(stop, withHub)
				if got := i.read(); got != c.file {
					t.Errorf("was\n%q\nis\n%q", c.file, got)
				}
			})
		}
	}
}

func TestWhatThePersonEditedSinceStays(t *testing.T) {
	before := "{\r\n\t\"mcpServers\": {\r\n\t\t\"weather\": { \"command\": \"n\\u0070x\", \"args\": [ \"weather\" ] }\r\n\t},\r\n\t\"theme\": \"dark\"\r\n}"
	edit := strings.NewReplacer(`"theme": "dark"`, `"theme":   "light"`, ` ] }`, ` ], "disabled": true }`)
	for way, withHub := range ways {
		t.Run(way, func(t *testing.T) {
			i := install(t, before)
			stop := i.hub()
			i.want(exitFine, "protect", "--config", i.file)
			i.write(edit.Replace(i.read()))
			i.unprotect(stop, withHub)
			if got, want := i.read(), edit.Replace(before); got != want {
				t.Errorf("is\n%q\nwant\n%q", got, want)
			}
		})
	}
}

func TestWhatTheClientWroteAnewIsEqualAsJSON(t *testing.T) {
	for way, withHub := range ways {
		t.Run(way, func(t *testing.T) {
			i := install(t, `{"mcpServers":{"weather":{"command":"npx","args":["-y","weather"],"env":{"K":"PLANTED"}},"bare":{"command":"x"}}}`)
			before := i.read()
			stop := i.hub()
			i.want(exitFine, "protect", "--config", i.file)
			var anew bytes.Buffer // as a client does: the order stays, the white space is its own
			if err := json.Indent(&anew, []byte(i.read()), "", "  "); err != nil {
				t.Fatal(err)
			}
			i.write(anew.String())
			i.unprotect(stop, withHub)
			if got := i.read(); !equalJSON(t, got, before) {
				t.Errorf("is\n%s", got)
			}
		})
	}
}

func equalJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var one, other any
	if err := errors.Join(json.Unmarshal([]byte(a), &one), json.Unmarshal([]byte(b), &other)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(one, other)
}

func TestOneEntryIsProtectedAndTheOthersAreLeft(t *testing.T) {
	i := install(t, `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}, "c": {"command": "z"}}}`)
	before := i.read()
	i.hub()
	i.want(exitFine, "protect", "--config", i.file, "b")
	if got := i.read(); strings.Count(got, `"wrap"`) != 1 || !strings.Contains(got, `"a": {"command": "x"}`) || !strings.Contains(got, `"c": {"command": "z"}`) {
		t.Errorf("is %s", got)
	}
	i.want(exitFine, "protect", "--config", i.file, "--all")
	if got := i.read(); strings.Count(got, `"wrap"`) != 3 {
		t.Errorf("is %s", got)
	}
	i.want(exitFine, "unprotect", "--config", i.file, "--yes", "a", "c")
	if got := i.read(); strings.Count(got, `"wrap"`) != 1 {
		t.Errorf("is %s", got)
	}
	i.want(exitFine, "unprotect", "--config", i.file, "--yes")
	if got := i.read(); got != before {
		t.Errorf("is %s", got)
	}
}

// A plain protect does not guard an entry that a person unprotected by name.
func TestWhatAPersonTookOutStaysOut(t *testing.T) {
	i := install(t, `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}`)
	i.hub()
	i.want(exitFine, "protect", "--config", i.file)
	i.want(exitFine, "unprotect", "--config", i.file, "--yes", "a")
	out := i.want(exitFine, "protect", "--config", i.file)
	if got := i.read(); strings.Count(got, `"wrap"`) != 1 || !strings.Contains(out, "left it out") {
		t.Errorf("is %s after\n%s", got, out)
	}
}

// A change is made as shown: a file that something else changed meanwhile is not written.
func TestAFileThatChangedSinceItWasShownIsNotWritten(t *testing.T) {
	i := install(t, ordinary)
	i.hub()
	home, err := control.HomeAt(i.home)
	if err != nil {
		t.Fatal(err)
	}
	hub, err := control.Dial(context.Background(), home, control.RoleCLI)
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	for _, c := range []struct {
		name string
		do   func(context.Context, *control.Client, control.Protect) (control.Protected, error)
	}{{"protect", control.AskProtect}, {"unprotect", control.AskUnprotect}} {
		shown, err := c.do(t.Context(), hub, control.Protect{Config: i.file, DryRun: true})
		if err != nil || shown.Diff == "" || shown.Written {
			t.Fatalf("%s: shown %+v, %v", c.name, shown, err)
		}
		edited := i.read() + " "
		i.write(edited)
		_, err = c.do(t.Context(), hub, control.Protect{Config: i.file, Digest: shown.Digest, Decided: true})
		if !hubError(err, control.CodeStale) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", c.name, err)
		}
		if got := i.read(); got != edited {
			t.Errorf("%s: is\n%s", c.name, got)
		}
		i.want(exitFine, "protect", "--config", i.file)
	}
}

// Whatever is in the file, no command of ours prints a value from env or headers, or a secret among the arguments.
func TestNoCommandPrintsASecretOfTheFile(t *testing.T) {
	const planted = `{"mcpServers": {
		"flag": {"command": "x", "args": ["--api-key", "PLANTED-1"]},
		"joined": {"command": "x", "args": ["--token=PLANTED-2", "password=PLANTED-3"]},
		"url": {"command": "x", "args": ["https://me:PLANTED-4@example.com/?key=PLANTED-5"]},
		"env": {"command": "x", "env": {"A": "PLANTED-6", "B": "PLANTED-7"}},
		"far": {"url": "https://example.com/mcp?token=PLANTED-8", "headers": {"Authorization": "Bearer PLANTED-9"}},
		"odd": {"command": 7, "env": {"A": "PLANTED-10"}},
		"fake": {"command": "/nowhere/sallyport", "args": ["wrap", "--", "x", "--secret", "PLANTED-11"]}
	}}`
	i := install(t, planted)
	stop := i.hub()
	for _, args := range [][]string{ // want looks for PLANTED in all that is printed
		{"protect", "--config", i.file, "--dry-run"},
		{"protect", "--config", i.file, "--dry-run", "--json"},
		{"protect", "--config", i.file},
		{"protect", "--config", i.file, "--json"},
		{"backups"},
		{"backups", "--json"},
		{"backups", "restore", "2", "--dry-run"},
		{"unprotect", "--config", i.file, "--dry-run"},
		{"activity", "list"},
		{"activity", "list", "--json"},
	} {
		i.want(exitFine, args...)
	}
	home, err := control.HomeAt(i.home)
	if err != nil {
		t.Fatal(err)
	}
	hub, err := control.Dial(context.Background(), home, control.RoleCLI)
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	i.write(`{"mcpServers": {"flag": {"command": "y", "args": ["--api-key", "PLANTED-12"]}}}`)
	var waiting []control.InboxItem
	err = demo.Eventually(t.Context(), func() (bool, error) {
		waiting, err = control.AskInbox(t.Context(), hub)
		return len(waiting) > 0, err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range waiting {
		i.want(exitFine, "show", item.Code)
		i.want(exitFine, "show", item.Code, "--json")
	}
	i.want(exitPerson, "inbox", "--json")
	i.want(exitPerson, "status")
	i.want(exitPerson, "status", "--json")
	stop()
	i.want(exitFine, "unprotect", "--config", i.file)
	i.want(exitFine, "doctor")
	logs, err := filepath.Glob(filepath.Join(i.home, "logs", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range logs {
		if raw, err := os.ReadFile(path); err != nil || bytes.Contains(raw, []byte("PLANTED")) {
			t.Errorf("%s holds a secret (%v)", path, err)
		}
	}
}

// Names of entries come from others: they are shown escaped, on one row, and none of them breaks a second protect, or unprotect.
func TestNamesThatWouldFoolATerminal(t *testing.T) {
	names := []string{"", " ", "a\nsallyport: protect: all is well", "\x1b[31mred\x1b[0m", "\u202egnp.exe", "\u200b", strings.Repeat("x", 5000), "--all", "-- -x", "日本語"}
	servers := map[string]any{}
	for _, name := range names {
		servers[name] = map[string]any{"command": "x"}
	}
	raw, err := json.MarshalIndent(map[string]any{"mcpServers": servers}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	for way, withHub := range ways {
		t.Run(way, func(t *testing.T) {
			i := install(t, string(raw))
			stop := i.hub()
			said := i.want(exitFine, "protect", "--config", i.file, "--dry-run") + i.want(exitFine, "protect", "--config", i.file)
			protected := i.read()
			if strings.Count(protected, `"wrap"`) != len(names) {
				t.Errorf("is %s", protected)
			}
			said += i.want(exitFine, "protect", "--config", i.file) + i.want(exitFine, "status") + i.want(exitFine, "protect", "--config", i.file, "--", "--all")
			if i.read() != protected {
				t.Errorf("a second run wrote %s", i.read())
			}
			said += i.unprotect(stop, withHub)
			if strings.ContainsAny(said, "\x1b\u202e\u200b") || strings.Contains(said, "\nsallyport: ") || !strings.Contains(said, `  ""  `) {
				t.Errorf("said %.3000s", said)
			}
			if i.read() != string(raw) {
				t.Errorf("is %s", i.read())
			}
		})
	}
}
