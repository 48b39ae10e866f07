// Package stage is what tests of the hub and its departments set up alike: a home, the peers who ask, a client's file beside a program,
// rule files. It is for tests only.
package stage

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// Window is a person at the window, Person one at the command line, who may decide, and Inside a program inside a wrapped server.
var (
	Window = control.Peer{Here: true}
	Person = control.Peer{PID: 1, Role: control.RoleCLI}
	Inside = control.Peer{PID: 2, Role: control.RoleCLI, Descends: true}
)

// Home is a home of its own, not made yet.
func Home(t testing.TB) control.Home {
	t.Helper()
	home, err := control.HomeAt(filepath.Join(t.TempDir(), "home"))
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// Ears keep the States pushed to one wrapper.
type Ears struct {
	mu     sync.Mutex
	states []control.State
}

func (e *Ears) Push(s control.State) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.states = append(e.states, s)
}

// Pushes is how many States came.
func (e *Ears) Pushes() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.states)
}

// Last is the newest State.
func (e *Ears) Last(t testing.TB) control.State {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.states) == 0 {
		t.Fatal("nothing was pushed")
	}
	return e.states[len(e.states)-1]
}

// ClaudeFile is a file of Claude Desktop with two servers, and with secrets in it.
const ClaudeFile = `{
	"theme": "dark",
	"mcpServers": {
		"files": {
			"command": "npx",
			"args": ["-y", "server-files", "--token", "sk-abcdefghijklmnopqrstuvwx"],
			"env": {"API_KEY": "very-secret-value"}
		},
		"weather": { "command": "uvx", "args": [ "weather" ] }
	}
}`

// Machine is a machine whose files are all below root.
func Machine(system, root string) clientconfig.System {
	env := map[string]string{"XDG_CONFIG_HOME": "/config"}
	return clientconfig.System{OS: system, Home: "/person", Root: root, Env: func(name string) string { return env[name] }}
}

// File is Claude Desktop's file on a Machine, with the program that guards its servers.
type File struct {
	T             testing.TB
	Path, Program string
}

// NewFile makes the program below root if it is missing, and the file if it has a text.
func NewFile(t testing.TB, root, text string) *File {
	t.Helper()
	f := &File{T: t, Path: filepath.Join(root, "config", "Claude", "claude_desktop_config.json"), Program: filepath.Join(root, "bin", "sallyport")}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.Program); err != nil {
		Put(t, f.Program, "#!/bin/sh\n")
	}
	if text != "" {
		Write(t, f.Path, text)
	}
	return f
}

func (f *File) Text() string {
	f.T.Helper()
	raw, err := os.ReadFile(f.Path)
	if err != nil {
		f.T.Fatal(err)
	}
	return string(raw)
}

func (f *File) Replace(text string) {
	f.T.Helper()
	Replace(f.T, f.Path, text)
}

// Edit changes the servers as another program would.
func (f *File) Edit(change func(servers map[string]any)) {
	f.T.Helper()
	var whole map[string]any
	if err := json.Unmarshal([]byte(f.Text()), &whole); err != nil {
		f.T.Fatal(err)
	}
	servers, _ := whole["mcpServers"].(map[string]any)
	change(servers)
	raw, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		f.T.Fatal(err)
	}
	f.Replace(string(raw))
}

// Argv is the command of an entry.
func (f *File) Argv(name string) []string {
	f.T.Helper()
	file, err := clientconfig.Parse([]byte(f.Text()), clientconfig.Format{})
	if err != nil {
		f.T.Fatal(err)
	}
	e, ok := file.Entry(name)
	if !ok {
		f.T.Fatalf("%s is not in the file:\n%s", name, f.Text())
	}
	return e.Argv()
}

// Guarded reports whether an entry is wrapped.
func (f *File) Guarded(name string) bool {
	f.T.Helper()
	argv := f.Argv(name)
	return argv[0] == f.Program && strings.HasPrefix(strings.Join(argv[1:], " "), "wrap --name "+name+" --client claude-desktop -- ")
}

// RuleFor is a rule file that finds one word.
func RuleFor(word string) string {
	return fmt.Sprintf(`{"version":1,"rules":[{"name":"own_%s","level":"high","title":"It says the word","metadata":5,"answer":5,"group":"danger","patterns":["%[1]s sesame"],"example":"%[1]s sesame","counter_example":"close it"}]}`, word)
}

// RuleSet is the name of a rule file's content.
func RuleSet(t testing.TB, raw string) string {
	t.Helper()
	file, err := inspect.LoadRules([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return file.RuleSet()
}

// RuleFile is the path of a new rule file.
func RuleFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rules.json")
	Write(t, path, text)
	return path
}

// WantError fails the test unless err is an answer with this code.
func WantError(t testing.TB, err error, code int) *control.Error {
	t.Helper()
	var e *control.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want an error with code %d", err, code)
	}
	return e
}

// Eventually waits for what another goroutine does.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("did not come: %s", what)
		}
		<-time.After(2 * time.Millisecond)
	}
}

func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Put writes a file and makes its folder.
func Put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	Write(t, path, text)
}

// Replace writes a file as editors and clients do: a new file is renamed over the old one, so a reader sees one or the other.
func Replace(t testing.TB, path, text string) {
	t.Helper()
	Write(t, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}
