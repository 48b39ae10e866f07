package guardian

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// person is a peer that may decide, inside one that descends from a wrapped server, window a person at the window.
var (
	window = control.Peer{Here: true}
	person = control.Peer{PID: 1, Role: control.RoleCLI}
	inside = control.Peer{PID: 2, Role: control.RoleCLI, Descends: true}
)

const claudeFile = `{
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

// desk is a guardian over a real store, beside a client's file. Nothing is followed by itself: a test says when it is looked.
type desk struct {
	*Guardian
	t       *testing.T
	file    string
	program string
}

func newDesk(t *testing.T, text string) *desk {
	t.Helper()
	return deskAt(t, t.TempDir(), text, "linux")
}

// deskAt is a desk on a machine whose files all lie below root, with text as Claude Desktop's file.
func deskAt(t *testing.T, root, text, system string) *desk {
	t.Helper()
	d := &desk{t: t, file: filepath.Join(root, "config", "Claude", "claude_desktop_config.json"), program: filepath.Join(root, "bin", "sallyport")}
	put(t, d.program, "#!/bin/sh\n")
	if text != "" {
		put(t, d.file, text)
	}
	home, err := control.HomeAt(filepath.Join(root, "home"))
	if err != nil {
		t.Fatal(err)
	}
	if err := home.Make(); err != nil {
		t.Fatal(err)
	}
	kept, err := store.Open(home.Dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	o := office.New(office.Options{Now: time.Now, AllowCLI: true, Notify: func(review.Notice) {}, Changed: func() {}, End: func() {}})
	o.Store = kept
	if err := o.CheckMarks(); err != nil {
		t.Fatal(err)
	}
	d.Guardian = New(o, Hub{
		PushAll: func() {}, AutoProtect: func() bool { return true },
		Started:    func(string, string) bool { return false },
		NotStarted: func(*store.Tx, string, []string) error { return nil },
	}, Options{
		Home: home, Program: d.program, Settle: time.Millisecond, HomeCheck: time.Hour, Closing: make(chan struct{}),
		System: clientconfig.System{OS: system, Home: "/person", Root: root, Env: func(name string) string { return map[string]string{"XDG_CONFIG_HOME": "/config"}[name] }},
	})
	return d
}

func (d *desk) protect(names ...string) control.Protected {
	d.t.Helper()
	out, err := d.Protect(person, control.Protect{Names: names})
	if err != nil {
		d.t.Fatalf("protect: %v", err)
	}
	return out
}

func (d *desk) unprotect(names ...string) control.Protected {
	d.t.Helper()
	out, err := d.Unprotect(person, control.Protect{Names: names, Decided: true})
	if err != nil {
		d.t.Fatalf("unprotect: %v", err)
	}
	return out
}

func (d *desk) text() string {
	d.t.Helper()
	raw, err := os.ReadFile(d.file)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(raw)
}

// replace writes the file as editors and clients do: a neighbour, renamed over it.
func (d *desk) replace(text string) {
	d.t.Helper()
	write(d.t, d.file+".new", text)
	if err := os.Rename(d.file+".new", d.file); err != nil {
		d.t.Fatal(err)
	}
}

// edit changes the file as another program would.
func (d *desk) edit(change func(servers map[string]any)) {
	d.t.Helper()
	var whole map[string]any
	if err := json.Unmarshal([]byte(d.text()), &whole); err != nil {
		d.t.Fatal(err)
	}
	servers, _ := whole["mcpServers"].(map[string]any)
	change(servers)
	raw, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		d.t.Fatal(err)
	}
	d.replace(string(raw))
}

func (d *desk) argv(name string) []string {
	d.t.Helper()
	file, err := clientconfig.Parse([]byte(d.text()), clientconfig.Format{})
	if err != nil {
		d.t.Fatal(err)
	}
	e, ok := file.Entry(name)
	if !ok {
		d.t.Fatalf("%s is not in the file:\n%s", name, d.text())
	}
	return e.Argv()
}

func (d *desk) guarded(name string) bool {
	d.t.Helper()
	argv := d.argv(name)
	return argv[0] == d.program && strings.HasPrefix(strings.Join(argv[1:], " "), "wrap --name "+name+" --client claude-desktop -- ")
}

// quiet looks at the file, and at what waits: nothing.
func (d *desk) quiet() {
	d.t.Helper()
	d.LookAtAll()
	err := d.office.Viewing(func(tx *store.Tx) error {
		if items := tx.Waiting(); len(items) != 0 {
			d.t.Errorf("something waits: %+v", items)
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) records(kind string) []store.Record {
	d.t.Helper()
	all, err := d.office.Store.Records(store.Query{Kind: kind, Limit: 1000})
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

func wantError(t testing.TB, err error, code int) *control.Error {
	t.Helper()
	var e *control.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want an answer with code %d", err, code)
	}
	return e
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, text)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
