package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// An installed extension is a real folder below Claude Desktop's.
type installedExtension struct {
	t      *testing.T
	folder string
	off    string // its settings
}

const extensionManifest = `{"manifest_version": "0.3", "name": "files", "display_name": "Files", "version": "1.0.0",
 "server": {"type": "node", "entry_point": "server/index.js", "mcp_config": {"command": "node", "args": ["${__dirname}/server/index.js", "--token", "sk-abcdefghijklmnop1234"]}}}`

func installExtension(t *testing.T, d *desk) *installedExtension {
	t.Helper()
	claude := filepath.Dir(d.Path)
	x := &installedExtension{t, filepath.Join(claude, "Claude Extensions", "local.files"), filepath.Join(claude, "Claude Extensions Settings", "local.files.json")}
	x.put("server/index.js", "console.log(1)\n")
	x.put("node_modules/dep/index.js", "exports.a = 1\n")
	x.put("manifest.json", extensionManifest)
	return x
}

func (x *installedExtension) put(path, text string) {
	x.t.Helper()
	path = filepath.Join(x.folder, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		x.t.Fatal(err)
	}
}

func (x *installedExtension) switched(on bool) {
	x.t.Helper()
	if err := os.MkdirAll(filepath.Dir(x.off), 0o755); err != nil {
		x.t.Fatal(err)
	}
	text := `{"isEnabled": false}`
	if on {
		text = `{"isEnabled": true}`
	}
	if err := os.WriteFile(x.off, []byte(text), 0o644); err != nil {
		x.t.Fatal(err)
	}
}

// told are the changes of the only part of an item, in a line each.
func toldOf(t *testing.T, d *desk, it control.InboxItem) string {
	t.Helper()
	shown, err := d.Item(it.Code)
	if err != nil || len(shown.Details) != 1 {
		t.Fatalf("show: %+v, %v", shown, err)
	}
	var lines []string
	for _, c := range shown.Details[0].Changes {
		lines = append(lines, strings.Join([]string{string(c.Op), c.Words, c.Before, c.After}, "|"))
	}
	return strings.Join(lines, "\n")
}

// The real pace of a hub: two seconds of quiet, so this takes seconds.
func realPace(o *Options) { o.Settle, o.HomeCheck = 100*time.Millisecond, 2*time.Second }

func (d *desk) waitsFor(kind vocab.ItemKind, parts string, not string) control.InboxItem {
	d.t.Helper()
	var it control.InboxItem
	eventually(d.t, string(kind)+" "+parts, func() bool {
		for _, one := range d.inboxNow() {
			if one.Kind == kind && states(one) == parts && one.Code != not {
				it = one
				return true
			}
		}
		return false
	})
	return it
}

func TestAnExtensionIsAnItemUntilItIsAcceptedAndAgainWhenAFileOfItChanges(t *testing.T) {
	d := newDesk(t, claudeFile)
	x := installExtension(t, d)
	it := d.waitsFor(vocab.ItemExtension, "extension:Files=new", "")
	if it.Server != "Claude Desktop" || it.Identity != x.folder || it.Severity != vocab.SeverityReview || it.Title != "Claude Desktop: extension Files is new" {
		t.Errorf("the item: %+v", it)
	}
	told := toldOf(t, d, it)
	for _, want := range []string{"added|its version||1.0.0", "added|its command||node ${__dirname}/server/index.js --token ••••", "added|3 files, "} {
		if !strings.Contains(told, want) {
			t.Errorf("it lacks %q:\n%s", want, told)
		}
	}

	// Rejecting can't stop the client: the item stays, and the timeline has it.
	out, err := d.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest, Reject: true})
	if err != nil || len(out.Rejected) != 1 || len(d.inboxNow()) != 1 {
		t.Errorf("rejected: %+v, %v, %d items", out, err, len(d.inboxNow()))
	}
	d.approve(it)
	d.settles()

	x.put("node_modules/dep/index.js", "exports.a = 2\n")
	changed := d.waitsFor(vocab.ItemExtension, "extension:Files=changed", "")
	if told := toldOf(t, d, changed); told != "changed|a file changed||node_modules/dep/index.js" {
		t.Errorf("told: %s", told)
	}
	if changed.Severity != vocab.SeverityHigh || !strings.Contains(changed.Title, "has the same version") {
		t.Errorf("the item: %+v", changed)
	}
	// The same bytes again are what was accepted.
	x.put("node_modules/dep/index.js", "exports.a = 1\n")
	d.settles()

	// A new version, with a file in a folder that is new too.
	x.put("server/more/extra.js", "1")
	if err := os.RemoveAll(filepath.Join(x.folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	x.put("manifest.json", strings.Replace(extensionManifest, "1.0.0", "1.1.0", 1))
	want := "changed|its version changed|1.0.0|1.1.0\nchanged|a file changed||manifest.json\nremoved|a file is gone|node_modules/dep/index.js|\nadded|a file is new||server/more/extra.js"
	var last control.InboxItem
	eventually(t, "all of the new version", func() bool {
		items := d.inboxNow()
		if len(items) != 1 {
			return false
		}
		last = items[0]
		return toldOf(t, d, last) == want
	})
	x.put("server/more/extra.js", "2") // in a folder that was not there when the watch began
	next := d.waitsFor(vocab.ItemExtension, "extension:Files=changed", last.Code)
	if _, err := d.Decide(person, control.Decide{Code: last.Code, Digest: last.Digest}); err == nil {
		t.Error("an older state was accepted")
	}
	x.put("server/index.js", "evil()\n")
	if _, err := d.Decide(person, control.Decide{Code: next.Code, Digest: next.Digest}); err == nil {
		t.Error("what changed before the look was accepted")
	}
	newest := d.waitsFor(vocab.ItemExtension, "extension:Files=changed", next.Code)
	if _, err := d.Decide(control.Peer{Descends: true}, control.Decide{Code: newest.Code, Digest: newest.Digest}); err == nil {
		t.Error("a program inside a server decided")
	}

	x.switched(false)
	d.settles()
	x.switched(true)
	d.approve(d.waitsFor(vocab.ItemExtension, "extension:Files=changed", ""))
	d.settles()
	if err := os.RemoveAll(x.folder); err != nil {
		t.Fatal(err)
	}
	x.put("manifest.json", extensionManifest)
	d.waitsFor(vocab.ItemExtension, "extension:Files=changed", "")
	if err := os.RemoveAll(x.folder); err != nil {
		t.Fatal(err)
	}
	d.settles()
}

func TestAChangedFileOfAnExtensionIsAnItemWithinTenSeconds(t *testing.T) {
	d := deskAt(t, newHome(t), t.TempDir(), claudeFile, realPace)
	x := installExtension(t, d)
	d.approve(d.waitsFor(vocab.ItemExtension, "extension:Files=new", ""))
	d.settles()
	// Its size and time stay.
	path := filepath.Join(x.folder, "node_modules/dep/index.js")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	x.put("node_modules/dep/index.js", "exports.a = 7\n")
	if err := os.Chtimes(path, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	d.waitsFor(vocab.ItemExtension, "extension:Files=changed", "")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(x.folder, "link")); err != nil {
		t.Fatal(err)
	}
	var told string
	eventually(t, "the link", func() bool {
		told = toldOf(t, d, d.waitsFor(vocab.ItemExtension, "extension:Files=changed", ""))
		return strings.Contains(told, "added|a file is new||link") && strings.Contains(told, "changed|this link is pinned, and what it leads to is not||link")
	})
}

func TestWhatChangedInAnExtensionWhileNoHubRanIsFoundByTheNext(t *testing.T) {
	home, root := newHome(t), t.TempDir()
	d := deskAt(t, home, root, claudeFile, nil)
	x := installExtension(t, d)
	d.approve(d.waitsFor(vocab.ItemExtension, "extension:Files=new", ""))
	d.settles()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	x.put("server/index.js", "console.log(2)\n")
	d.place = open(t, home, func(o *Options) { o.Program, o.System, o.HomeCheck = d.Program, d.system, time.Hour })
	it := d.waitsFor(vocab.ItemExtension, "extension:Files=changed", "")
	if told := toldOf(t, d, it); told != "changed|a file changed||server/index.js" {
		t.Errorf("told: %s", told)
	}

	// Without the list of what was accepted, the change is still one.
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	lists, err := filepath.Glob(filepath.Join(home.Dir, "extensions", "*.list"))
	if err != nil || len(lists) != 1 {
		t.Fatalf("lists: %q, %v", lists, err)
	}
	if err := os.WriteFile(lists[0], []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.put("server/index.js", "console.log(3)\n")
	d.place = open(t, home, func(o *Options) { o.Program, o.System, o.HomeCheck = d.Program, d.system, time.Hour })
	next := d.waitsFor(vocab.ItemExtension, "extension:Files=changed", it.Code)
	if told := toldOf(t, d, next); told != "changed|its files differ from the ones you accepted; which ones is not known||" {
		t.Errorf("told: %s", told)
	}
}
