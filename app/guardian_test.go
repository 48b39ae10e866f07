package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
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

// desk is a hub beside a client's file.
type desk struct {
	*place
	file    string
	program string
	system  clientconfig.System
}

// newDesk is a hub on a new home and a machine of its own with text as Claude Desktop's file.
func newDesk(t testing.TB, text string) *desk {
	t.Helper()
	return deskAt(t, newHome(t), t.TempDir(), text, nil)
}

func deskAt(t testing.TB, home control.Home, root, text string, change func(*Options)) *desk {
	t.Helper()
	d := &desk{file: filepath.Join(root, "config", "Claude", "claude_desktop_config.json"), program: filepath.Join(root, "bin", "sallyport")}
	for _, dir := range []string{filepath.Dir(d.file), filepath.Dir(d.program)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(d.program); err != nil {
		write(t, d.program, "#!/bin/sh\n")
	}
	if text != "" {
		write(t, d.file, text)
	}
	d.system = machineAt(root)
	d.place = open(t, home, func(o *Options) {
		o.Program, o.System = d.program, d.system
		o.HomeCheck = time.Hour // what is found is found by the watch
		if change != nil {
			change(o)
		}
	})
	return d
}

// machineAt is a machine whose files all lie below root.
func machineAt(root string) clientconfig.System {
	env := map[string]string{"XDG_CONFIG_HOME": "/config"}
	return clientconfig.System{OS: "linux", Home: "/person", Root: root, Env: func(name string) string { return env[name] }}
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
	next := d.file + ".new"
	write(d.t, next, text)
	if err := os.Rename(next, d.file); err != nil {
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

// waits is the one item that comes, of this kind.
func (d *desk) waits(kind vocab.ItemKind, parts string) control.InboxItem {
	d.t.Helper()
	var it control.InboxItem
	eventually(d.t, string(kind)+" "+parts, func() bool {
		items := d.inboxNow()
		if len(items) == 1 && items[0].Kind == kind && states(items[0]) == parts {
			it = items[0]
			return true
		}
		return false
	})
	return it
}

func (d *desk) settles() {
	d.t.Helper()
	eventually(d.t, "an empty inbox", func() bool { return len(d.inboxNow()) == 0 })
}

// crashing has f called in the middle of each write.
func (d *desk) crashing(f func(point string)) {
	d.Quietly(func() { d.office.Crash = f })
}

func asServers(v any) map[string]any { return v.(map[string]any) }

func TestClaudesWipeIsReportedAndPutBackOnADecision(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	guarded := d.text()
	d.replace("{\n\t\"theme\": \"light\"\n}")
	it := d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
	if it.Severity != vocab.SeverityHigh || !strings.Contains(it.Title, "all servers were removed") || it.Server != "Claude Desktop" || it.Identity != d.file {
		t.Errorf("the item: %+v", it)
	}
	if strings.Contains(d.text(), "mcpServers") {
		t.Fatal("it was put back without a decision")
	}
	shown, err := d.Item(it.Code)
	if err != nil || !strings.Contains(shown.Diff, "+") || len(shown.Details) != 2 {
		t.Fatalf("show: %+v, %v", shown, err)
	}
	if raw := mask.PlainJSON(shown); strings.Contains(raw, "very-secret-value") || strings.Contains(raw, "sk-abcdef") {
		t.Errorf("the diff holds a secret: %s", raw)
	}
	d.approve(it)
	if !d.guarded("files") || !strings.Contains(d.text(), "very-secret-value") || !strings.Contains(d.text(), `"light"`) {
		t.Errorf("put back as\n%s", d.text())
	}
	_ = guarded
	d.settles()
	d.unprotect()
	if got := d.argv("files"); strings.Join(got, " ") != "npx -y server-files --token sk-abcdefghijklmnopqrstuvwx" {
		t.Errorf("after all of it the entry is %q", got)
	}
}

func TestAWipeThatIsUndoneLeavesTheInbox(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	before := d.text()
	d.replace(`{"mcpServers": {}}`)
	it := d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
	d.replace(before)
	d.settles()
	_, err := d.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest})
	wantError(t, err, control.CodeStale)
	if d.text() != before {
		t.Error("a stale decision wrote the file")
	}
}

func TestALostWrapperIsUnguardedUntilItIsPutBackOrTaken(t *testing.T) {
	for _, name := range []string{"approve puts the wrapper back", "reject takes what is there"} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, claudeFile)
			d.protect()
			d.edit(func(servers map[string]any) {
				asServers(servers["weather"])["command"] = "uvx"
				asServers(servers["weather"])["args"] = []string{"weather"}
			})
			it := d.waits(vocab.ItemUnguarded, "entry:weather=unwrapped")
			if it.Severity != vocab.SeverityHigh {
				t.Errorf("severity %s", it.Severity)
			}
			if strings.HasPrefix(name, "approve") {
				d.approve(it)
				if !d.guarded("weather") {
					t.Errorf("not put back:\n%s", d.text())
				}
			} else {
				before := d.text()
				d.reject(it)
				if d.text() != before {
					t.Error("a rejection wrote the file")
				}
				coverage, err := d.Coverage(control.CoverageQuery{})
				if err != nil || coverage.Guarded != 1 || coverage.Total != 2 {
					t.Errorf("coverage %+v, %v", coverage, err)
				}
			}
			d.settles()
			d.LookAtAll()
			d.quiet()
		})
	}
}

func TestASwappedEntryIsUnguarded(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	d.edit(func(servers map[string]any) {
		asServers(servers["weather"])["command"] = "/tmp/evil"
		asServers(servers["weather"])["args"] = []string{}
	})
	it := d.waits(vocab.ItemUnguarded, "entry:weather=unwrapped")
	shown, err := d.Item(it.Code)
	if err != nil || !strings.Contains(shown.Details[0].Changes[0].Words, "its command changed") {
		t.Errorf("show: %+v, %v", shown.Details, err)
	}
	d.approve(it)
	if !d.guarded("weather") {
		t.Errorf("approved, and it runs bare:\n%s", d.text())
	}
}

func TestWhatOnlyLooksWrappedIsCritical(t *testing.T) {
	for name, change := range map[string]func(d *desk, entry map[string]any){
		"another program of our name": func(d *desk, entry map[string]any) {
			fake := filepath.Join(filepath.Dir(d.file), "sallyport")
			write(d.t, fake, "#!/bin/sh\n")
			entry["command"] = fake
		},
		"our program with other arguments": func(_ *desk, entry map[string]any) {
			entry["args"] = []string{"wrap", "--", "uvx", "weather"}
		},
		"env that moves our home": func(_ *desk, entry map[string]any) {
			entry["env"] = map[string]string{"HOME": "/tmp/elsewhere"}
		},
		"env that names our own folder": func(_ *desk, entry map[string]any) {
			entry["env"] = map[string]string{"SALLYPORT_HOME": "/tmp/elsewhere"}
		},
		"env that chooses the display": func(_ *desk, entry map[string]any) {
			entry["env"] = map[string]string{"DISPLAY": ":7"}
		},
		"env that chooses the session bus": func(_ *desk, entry map[string]any) {
			entry["env"] = map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/tmp/elsewhere"}
		},
		"env that names an XDG folder": func(_ *desk, entry map[string]any) {
			entry["env"] = map[string]string{"XDG_DATA_HOME": "/tmp/elsewhere"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, claudeFile)
			d.protect()
			d.edit(func(servers map[string]any) { change(d, asServers(servers["weather"])) })
			it := d.waits(vocab.ItemUnguarded, "entry:weather=fake")
			if it.Severity != vocab.SeverityCritical {
				t.Errorf("severity %s", it.Severity)
			}
			coverage, err := d.Coverage(control.CoverageQuery{})
			if err != nil || coverage.Guarded != 1 || len(coverage.Unguarded) != 1 {
				t.Errorf("coverage %+v, %v", coverage, err)
			}
			d.approve(it)
			if !d.guarded("weather") || strings.Contains(d.text(), "elsewhere") {
				t.Errorf("put back as\n%s", d.text())
			}
			d.settles()
		})
	}
}

func TestANewEntryIsWrappedAtOnceOrReported(t *testing.T) {
	added := func(servers map[string]any) {
		servers["fresh"] = map[string]any{"command": "npx", "args": []string{"fresh"}}
	}
	t.Run("auto_protect is on once a person protected the file", func(t *testing.T) {
		d := newDesk(t, claudeFile)
		d.protect()
		d.edit(added)
		eventually(t, "the new entry guarded", func() bool { return d.guarded("fresh") })
		d.settles()
		eventually(t, "the timeline says so", func() bool {
			return strings.Contains(mask.PlainJSON(d.records("config_change")), "added to a client's file")
		})
	})
	t.Run("off: it is reported, and approving wraps it", func(t *testing.T) {
		d := newDesk(t, claudeFile)
		d.protect()
		if _, err := d.SetSetting(person, control.SettingQuery{Key: "clients.auto_protect", Value: "off", Decided: true}); err != nil {
			t.Fatal(err)
		}
		d.edit(added)
		it := d.waits(vocab.ItemConfigChanged, "entry:fresh=new")
		d.approve(it)
		if !d.guarded("fresh") {
			t.Errorf("approved as\n%s", d.text())
		}
		d.settles()
	})
	t.Run("off: rejected it stays out, whatever else happens", func(t *testing.T) {
		d := newDesk(t, claudeFile)
		d.protect()
		if _, err := d.SetSetting(person, control.SettingQuery{Key: "clients.auto_protect", Value: "off", Decided: true}); err != nil {
			t.Fatal(err)
		}
		d.edit(added)
		d.reject(d.waits(vocab.ItemConfigChanged, "entry:fresh=new"))
		if _, err := d.SetSetting(person, control.SettingQuery{Key: "clients.auto_protect", Value: "on"}); err != nil {
			t.Fatal(err)
		}
		d.LookAtAll()
		if d.guarded("fresh") {
			t.Error("what a person left out was wrapped")
		}
		d.quiet()
	})
	t.Run("an entry that a person took out stays out", func(t *testing.T) {
		d := newDesk(t, claudeFile)
		d.protect()
		d.unprotect("weather")
		d.LookAtAll()
		d.edit(func(servers map[string]any) {
			asServers(servers["files"])["env"] = map[string]string{"API_KEY": "rotated"}
		})
		d.LookAtAll()
		if d.guarded("weather") || !d.guarded("files") {
			t.Errorf("the file is\n%s", d.text())
		}
		d.quiet()
		if out := d.protect(); out.Written {
			t.Errorf("a protect that names nothing took it in again: %+v", out)
		}
		if d.protect("weather"); !d.guarded("weather") {
			t.Error("named, it is protected again")
		}
	})
}

func TestAnEditOfTheCommandBehindTheWrapperIsAChange(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	d.edit(func(servers map[string]any) {
		entry := asServers(servers["weather"])
		entry["args"] = append(entry["args"].([]any), "--metric")
	})
	it := d.waits(vocab.ItemConfigChanged, "entry:weather=changed")
	before := d.text()
	d.reject(it)
	d.settles()
	if d.text() != before || !d.guarded("weather") {
		t.Errorf("taking it wrote the file:\n%s", d.text())
	}
	d.unprotect()
	if got := strings.Join(d.argv("weather"), " "); got != "uvx weather --metric" {
		t.Errorf("the person's edit came out as %q", got)
	}
}

func TestANewContentHasANewCode(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	bare := func(args ...string) {
		d.edit(func(servers map[string]any) {
			asServers(servers["weather"])["command"] = "uvx"
			asServers(servers["weather"])["args"] = args
		})
	}
	bare("weather")
	first := d.waits(vocab.ItemUnguarded, "entry:weather=unwrapped")
	bare("weather", "--more")
	eventually(t, "another code", func() bool { items := d.inboxNow(); return len(items) == 1 && items[0].Code != first.Code })
	_, err := d.Decide(person, control.Decide{Code: first.Code, Digest: first.Digest})
	if e := wantError(t, err, control.CodeStale); e.See != d.item().Code {
		t.Errorf("the old code leads to %q", e.See)
	}
}

func TestADecisionLooksAtTheFileFirst(t *testing.T) {
	d := deskAt(t, newHome(t), t.TempDir(), claudeFile, func(o *Options) { o.Settle = time.Hour }) // the watch is too late
	d.protect()
	guarded := d.text()
	d.replace(`{"mcpServers": {}}`)
	d.LookAtAll()
	first := d.item()
	d.replace(strings.Replace(guarded, `"weather"`, `"renamed"`, 1))
	_, err := d.Decide(person, control.Decide{Code: first.Code, Digest: first.Digest})
	e := wantError(t, err, control.CodeStale)
	if now := d.item(); now.Code == first.Code || e.See != now.Code {
		t.Errorf("it says %+v, and %s waits", e, now.Code)
	}
}

func TestAnEditAfterTheLookIsNotWrittenOver(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	d.replace(`{"mcpServers": {}}`)
	it := d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
	const edited = `{"mcpServers": {}, "mine": 1}`
	d.crashing(func(point string) {
		if point == "noted" { // between the look and the write
			write(t, d.file, edited)
		}
	})
	_, err := d.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest})
	if e := wantError(t, err, control.CodeStale); !strings.Contains(e.Message, "changed since") {
		t.Errorf("it says %q", e.Message)
	}
	if d.text() != edited {
		t.Errorf("the person's edit is gone:\n%s", d.text())
	}
	d.crashing(nil)
	d.approve(d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed"))
	if !d.guarded("files") || !strings.Contains(d.text(), `"mine": 1`) {
		t.Errorf("put back as\n%s", d.text())
	}
}
