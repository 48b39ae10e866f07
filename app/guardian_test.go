package app

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// desk is a hub beside a client's file.
type desk struct {
	*place
	*stage.File
	system clientconfig.System
}

// newDesk is a hub on a new home and a machine of its own with text as Claude Desktop's file.
func newDesk(t testing.TB, text string) *desk {
	t.Helper()
	return deskAt(t, newHome(t), t.TempDir(), text, nil)
}

func deskAt(t testing.TB, home control.Home, root, text string, change func(*Options)) *desk {
	t.Helper()
	d := &desk{File: stage.NewFile(t, root, text)}
	d.system = stage.Machine("linux", root)
	d.place = open(t, home, func(o *Options) {
		o.Program, o.System = d.Program, d.system
		o.HomeCheck = time.Hour // only the watch finds changes
		if change != nil {
			change(o)
		}
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

// waits waits for the only item, which must have this kind and these parts.
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

// crashing calls f in the middle of each write.
func (d *desk) crashing(f func(point string)) {
	d.Quietly(func() { d.office.Crash = f })
}

func asServers(v any) map[string]any { return v.(map[string]any) }

func TestClaudesWipeIsReportedAndPutBackOnADecision(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	guarded := d.Text()
	d.Replace("{\n\t\"theme\": \"light\"\n}")
	it := d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
	if it.Severity != vocab.SeverityHigh || !strings.Contains(it.Title, "all servers were removed") || it.Server != "Claude Desktop" || it.Identity != d.Path {
		t.Errorf("the item: %+v", it)
	}
	if strings.Contains(d.Text(), "mcpServers") {
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
	if !d.Guarded("files") || !strings.Contains(d.Text(), "very-secret-value") || !strings.Contains(d.Text(), `"light"`) {
		t.Errorf("put back as\n%s", d.Text())
	}
	_ = guarded
	d.settles()
	d.unprotect()
	if got := d.Argv("files"); strings.Join(got, " ") != "npx -y server-files --token sk-abcdefghijklmnopqrstuvwx" {
		t.Errorf("after all of it the entry is %q", got)
	}
}

func TestAWipeThatIsUndoneLeavesTheInbox(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	before := d.Text()
	d.Replace(`{"mcpServers": {}}`)
	it := d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
	d.Replace(before)
	d.settles()
	_, err := d.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest})
	wantError(t, err, control.CodeStale)
	if d.Text() != before {
		t.Error("a stale decision wrote the file")
	}
}

func TestALostWrapperIsUnguardedUntilItIsPutBackOrTaken(t *testing.T) {
	for _, name := range []string{"approve puts the wrapper back", "reject takes what is there"} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, claudeFile)
			d.protect()
			d.Edit(func(servers map[string]any) {
				asServers(servers["weather"])["command"] = "uvx"
				asServers(servers["weather"])["args"] = []string{"weather"}
			})
			it := d.waits(vocab.ItemUnguarded, "entry:weather=unwrapped")
			if it.Severity != vocab.SeverityHigh {
				t.Errorf("severity %s", it.Severity)
			}
			if strings.HasPrefix(name, "approve") {
				d.approve(it)
				if !d.Guarded("weather") {
					t.Errorf("not put back:\n%s", d.Text())
				}
			} else {
				before := d.Text()
				d.reject(it)
				if d.Text() != before {
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
	d.Edit(func(servers map[string]any) {
		asServers(servers["weather"])["command"] = "/tmp/evil"
		asServers(servers["weather"])["args"] = []string{}
	})
	it := d.waits(vocab.ItemUnguarded, "entry:weather=unwrapped")
	shown, err := d.Item(it.Code)
	if err != nil || !strings.Contains(shown.Details[0].Changes[0].Words, "its command changed") {
		t.Errorf("show: %+v, %v", shown.Details, err)
	}
	d.approve(it)
	if !d.Guarded("weather") {
		t.Errorf("approved, and it runs bare:\n%s", d.Text())
	}
}

func TestWhatOnlyLooksWrappedIsCritical(t *testing.T) {
	for name, change := range map[string]func(d *desk, entry map[string]any){
		"another program of our name": func(d *desk, entry map[string]any) {
			fake := filepath.Join(filepath.Dir(d.Path), "sallyport")
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
			d.Edit(func(servers map[string]any) { change(d, asServers(servers["weather"])) })
			it := d.waits(vocab.ItemUnguarded, "entry:weather=fake")
			if it.Severity != vocab.SeverityCritical {
				t.Errorf("severity %s", it.Severity)
			}
			coverage, err := d.Coverage(control.CoverageQuery{})
			if err != nil || coverage.Guarded != 1 || len(coverage.Unguarded) != 1 {
				t.Errorf("coverage %+v, %v", coverage, err)
			}
			d.approve(it)
			if !d.Guarded("weather") || strings.Contains(d.Text(), "elsewhere") {
				t.Errorf("put back as\n%s", d.Text())
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
		d.Edit(added)
		eventually(t, "the new entry guarded", func() bool { return d.Guarded("fresh") })
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
		d.Edit(added)
		it := d.waits(vocab.ItemConfigChanged, "entry:fresh=new")
		d.approve(it)
		if !d.Guarded("fresh") {
			t.Errorf("approved as\n%s", d.Text())
		}
		d.settles()
	})
	t.Run("off: rejected it stays out, whatever else happens", func(t *testing.T) {
		d := newDesk(t, claudeFile)
		d.protect()
		if _, err := d.SetSetting(person, control.SettingQuery{Key: "clients.auto_protect", Value: "off", Decided: true}); err != nil {
			t.Fatal(err)
		}
		d.Edit(added)
		d.reject(d.waits(vocab.ItemConfigChanged, "entry:fresh=new"))
		if _, err := d.SetSetting(person, control.SettingQuery{Key: "clients.auto_protect", Value: "on"}); err != nil {
			t.Fatal(err)
		}
		d.LookAtAll()
		if d.Guarded("fresh") {
			t.Error("what a person left out was wrapped")
		}
		d.quiet()
	})
	t.Run("an entry that a person took out stays out", func(t *testing.T) {
		d := newDesk(t, claudeFile)
		d.protect()
		d.unprotect("weather")
		d.LookAtAll()
		d.Edit(func(servers map[string]any) {
			asServers(servers["files"])["env"] = map[string]string{"API_KEY": "rotated"}
		})
		d.LookAtAll()
		if d.Guarded("weather") || !d.Guarded("files") {
			t.Errorf("the file is\n%s", d.Text())
		}
		d.quiet()
		if out := d.protect(); out.Written {
			t.Errorf("a protect that names nothing took it in again: %+v", out)
		}
		if d.protect("weather"); !d.Guarded("weather") {
			t.Error("named, it is protected again")
		}
	})
}

func TestAnEditOfTheCommandBehindTheWrapperIsAChange(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	d.Edit(func(servers map[string]any) {
		entry := asServers(servers["weather"])
		entry["args"] = append(entry["args"].([]any), "--metric")
	})
	it := d.waits(vocab.ItemConfigChanged, "entry:weather=changed")
	before := d.Text()
	d.reject(it)
	d.settles()
	if d.Text() != before || !d.Guarded("weather") {
		t.Errorf("taking it wrote the file:\n%s", d.Text())
	}
	d.unprotect()
	if got := strings.Join(d.Argv("weather"), " "); got != "uvx weather --metric" {
		t.Errorf("the person's edit came out as %q", got)
	}
}

func TestANewContentHasANewCode(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	bare := func(args ...string) {
		d.Edit(func(servers map[string]any) {
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
	guarded := d.Text()
	d.Replace(`{"mcpServers": {}}`)
	d.LookAtAll()
	first := d.item()
	d.Replace(strings.Replace(guarded, `"weather"`, `"renamed"`, 1))
	_, err := d.Decide(person, control.Decide{Code: first.Code, Digest: first.Digest})
	e := wantError(t, err, control.CodeStale)
	if now := d.item(); now.Code == first.Code || e.See != now.Code {
		t.Errorf("it says %+v, and %s waits", e, now.Code)
	}
}

func TestAnEditAfterTheLookIsNotWrittenOver(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	d.Replace(`{"mcpServers": {}}`)
	it := d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
	const edited = `{"mcpServers": {}, "mine": 1}`
	d.crashing(func(point string) {
		if point == "noted" { // between the look and the write
			write(t, d.Path, edited)
		}
	})
	_, err := d.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest})
	if e := wantError(t, err, control.CodeStale); !strings.Contains(e.Message, "changed since") {
		t.Errorf("it says %q", e.Message)
	}
	if d.Text() != edited {
		t.Errorf("the person's edit is gone:\n%s", d.Text())
	}
	d.crashing(nil)
	d.approve(d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed"))
	if !d.Guarded("files") || !strings.Contains(d.Text(), `"mine": 1`) {
		t.Errorf("put back as\n%s", d.Text())
	}
}
