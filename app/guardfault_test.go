package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

func TestWhatHappenedWhileNoHubRanIsReportedByTheNext(t *testing.T) {
	home, root := newHome(t), t.TempDir()
	d := deskAt(t, home, root, claudeFile, nil)
	d.protect()
	d.Close()
	write(t, d.Path, claudeFile) // as `unprotect` does without a hub
	d = deskAt(t, home, root, "", nil)
	it := d.waits(vocab.ItemUnguarded, "entry:files=unwrapped entry:weather=unwrapped")
	if !strings.Contains(it.Title, "while the hub was off") {
		t.Errorf("the title is %q", it.Title)
	}
	if d.Text() != claudeFile {
		t.Error("the next hub took back what a person did")
	}
	d.reject(it)
	d.settles()
	if files := d.ProtectedFiles(); len(files) != 0 {
		t.Errorf("taken as it is, it is still watched: %+v", files)
	}
}

func TestAProgramThatNeverStopsFloodsNobody(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	for i := range 40 {
		d.Edit(func(servers map[string]any) {
			servers["weather"] = map[string]any{"command": "x", "args": []string{fmt.Sprint(i)}}
		})
		d.LookAtAll()
	}
	if it := d.item(); it.Kind != vocab.ItemUnguarded || !it.Noisy {
		t.Errorf("item %+v", it)
	}
	if rows := d.records("config_change"); len(rows) > 15 {
		t.Errorf("%d records", len(rows))
	}
	it := d.item()
	d.approve(it)
	if !d.Guarded("weather") {
		t.Error("not put back")
	}
}

func TestTwoQuickEditsAreOneLook(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	guarded := d.Text()
	d.Replace(`{"mcpServers": {}}`)
	d.Replace(guarded)
	d.settles()
	d.Replace(`{"mcpServers": {}}`)
	d.Edit(func(servers map[string]any) { servers["other"] = map[string]any{"command": "x"} })
	eventually(t, "the last state is judged", func() bool {
		items := d.inboxNow()
		return len(items) == 1 && strings.Contains(states(items[0]), "entry:files=removed") && d.Guarded("other")
	})
}

func TestTheFolderMayVanishAndComeBack(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	guarded := d.Text()
	folder := filepath.Dir(d.Path)
	aside := folder + ".aside"
	if err := os.Rename(folder, aside); err != nil {
		t.Fatal(err)
	}
	problem := func(code string) func() bool {
		return func() bool {
			status, err := d.Status()
			if err != nil {
				t.Fatal(err)
			}
			return strings.Contains(mask.PlainJSON(status.Problems), code)
		}
	}
	eventually(t, "the problem", problem(office.ProblemClientGone))
	d.quiet() // nothing runs unguarded
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, d.Path, claudeFile)
	d.waits(vocab.ItemUnguarded, "entry:files=unwrapped entry:weather=unwrapped")
	if problem(office.ProblemClientGone)() {
		t.Error("the problem stays")
	}
	d.Replace(guarded)
	d.settles()
}

func TestAFileThatCannotBeReadIsNotTakenForAnEmptyOne(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	before := d.Text()
	d.Replace("{\n\"mcpServers\": {\n")
	eventually(t, "the problem with line and column", func() bool {
		status, err := d.Status()
		return err == nil && strings.Contains(mask.PlainJSON(status.Problems), office.ProblemClientUnreadable) && strings.Contains(mask.PlainJSON(status.Problems), "line ")
	})
	d.quiet()
	_, err := d.Protect(person, control.Protect{})
	if e := wantError(t, err, control.CodeUnavailable); !strings.Contains(e.Message, "line ") {
		t.Errorf("protect says %q", e.Message)
	}
	d.Replace(before)
	eventually(t, "the end of the problem", func() bool {
		status, err := d.Status()
		return err == nil && len(status.Problems) == 0
	})
	d.quiet()
}

func TestASymbolicLinkIsFollowedAndStays(t *testing.T) {
	root := t.TempDir()
	target := filepath.Join(root, "dotfiles", "claude.json")
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, target, claudeFile)
	link := filepath.Join(root, "config", "Claude", "claude_desktop_config.json")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	d := deskAt(t, newHome(t), root, "", nil)
	if out := d.protect(); out.Path != target {
		t.Errorf("the path is %s", out.Path)
	}
	guarded := d.Text()
	d.Path = target
	d.Replace(`{}`)
	d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
	d.Replace(guarded)
	d.settles()
	// By its own name it is the same file.
	if out, err := d.Protect(person, control.Protect{Config: target}); err != nil || out.Written || len(d.ProtectedFiles()) != 1 {
		t.Errorf("under its other name: %+v, %v, %d files", out, err, len(d.ProtectedFiles()))
	}
	d.unprotect()
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || d.Text() != claudeFile {
		t.Errorf("the link is %v, %v", info, err)
	}
}

func TestAWrapperThatIsGoneIsReported(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	moved := d.Program + ".moved"
	if err := os.Rename(d.Program, moved); err != nil {
		t.Fatal(err)
	}
	d.LookAtAll()
	it := d.waits(vocab.ItemUnguarded, "entry:files=fake entry:weather=fake")
	if it.Severity != vocab.SeverityHigh {
		t.Errorf("severity %s: nothing runs unguarded", it.Severity)
	}
	coverage, err := d.Coverage(control.CoverageQuery{})
	if err != nil || coverage.Guarded != 0 || coverage.Unguarded[0].Code != office.CoverProgramGone {
		t.Errorf("coverage %+v, %v", coverage, err)
	}
	if err := os.Rename(moved, d.Program); err != nil {
		t.Fatal(err)
	}
	d.LookAtAll()
	d.settles()
}

func TestANewEntryInAFileThatCannotBeWrittenWaits(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	if err := os.RemoveAll(d.home.Backups); err != nil {
		t.Fatal(err)
	}
	write(t, d.home.Backups, "no folder") // without a backup, nothing may be written
	d.Edit(func(servers map[string]any) { servers["fresh"] = map[string]any{"command": "npx"} })
	d.waits(vocab.ItemConfigChanged, "entry:fresh=new")
	status, err := d.Status()
	if err != nil || !strings.Contains(mask.PlainJSON(status.Problems), office.ProblemClientWrite) {
		t.Errorf("problems %+v, %v", status.Problems, err)
	}
	if d.Argv("fresh")[0] != "npx" {
		t.Error("it was written without a copy")
	}
	if err := os.Remove(d.home.Backups); err != nil {
		t.Fatal(err)
	}
	d.LookAtAll()
	if !d.Guarded("fresh") {
		t.Error("the reason is gone, and it is not wrapped")
	}
	d.quiet()
	if status, err = d.Status(); err != nil || len(status.Problems) != 0 {
		t.Errorf("problems %+v, %v", status.Problems, err)
	}
}

func TestApprovingWhatCannotBePutBackSaysWhyAndTakesNothing(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	fake := filepath.Join(filepath.Dir(d.Path), "sallyport")
	write(t, fake, "#!/bin/sh\n")
	d.Edit(func(servers map[string]any) { servers["fresh"] = map[string]any{"command": fake} })
	it := d.waits(vocab.ItemUnguarded, "entry:fresh=fake")
	if it.Severity != vocab.SeverityCritical {
		t.Errorf("severity %s", it.Severity)
	}
	_, err := d.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest, All: true})
	wantError(t, err, control.CodeBadRequest)
	if now := d.item(); now.Code != it.Code {
		t.Errorf("something else waits: %+v", now)
	}
	d.reject(it)
	d.settles()
	coverage, err := d.Coverage(control.CoverageQuery{})
	if err != nil || coverage.Guarded != 2 || coverage.Total != 3 || coverage.Unguarded[0].Code != office.CoverFake {
		t.Errorf("taken as it is, it still counts as what it is: %+v, %v", coverage, err)
	}
}

func TestADecisionOverSomePartsLeavesTheOthers(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	d.Replace(`{"mcpServers": {}}`)
	it := d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
	out := d.approve(it, "entry:weather")
	if !d.Guarded("weather") || strings.Contains(d.Text(), "files") {
		t.Errorf("put back as\n%s", d.Text())
	}
	rest := d.waits(vocab.ItemConfigChanged, "entry:files=removed")
	if out.Next != rest.Code || len(out.Left) != 1 {
		t.Errorf("decided %+v, and %s waits", out, rest.Code)
	}
	d.reject(rest)
	d.settles()
	if len(d.ProtectedFiles()) != 1 {
		t.Error("the other entry is not watched any more")
	}
}

func TestTheWatchSeesAProgramThatIsGoneWithoutAnEvent(t *testing.T) {
	d := deskAt(t, newHome(t), t.TempDir(), claudeFile, func(o *Options) { o.HomeCheck = 5 * time.Millisecond })
	d.protect()
	if err := os.Remove(d.Program); err != nil {
		t.Fatal(err)
	}
	d.waits(vocab.ItemUnguarded, "entry:files=fake entry:weather=fake")
}

func TestWhatIsWantedIsKeptWhereItsFolderIsTaken(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	d.Quietly(func() {
		if err := errors.Join(os.RemoveAll(d.WholeFolder()), os.WriteFile(d.WholeFolder(), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	})
	d.Edit(func(servers map[string]any) {
		servers["again"] = servers["weather"] // comes wrapped under another name: a look adopts or reports it
		delete(servers, "weather")
	})
	d.LookAtAll()
	status, err := d.Status()
	if err != nil || !strings.Contains(mask.PlainJSON(status), "entry:weather") {
		t.Errorf("it is not reported: %+v, %v", status, err)
	}
	_, err = d.Protect(person, control.Protect{All: true})
	var refused *control.Error
	if err != nil && !errors.As(err, &refused) {
		t.Errorf("protect: %v", err)
	}
	if err := os.Remove(d.WholeFolder()); err != nil {
		t.Fatal(err)
	}
	for _, it := range d.inboxNow() {
		d.reject(it)
	}
	d.LookAtAll()
	d.quiet()
	if status, err = d.Status(); err != nil || len(status.Problems) != 0 {
		t.Errorf("problems %+v, %v", status.Problems, err)
	}
}

func TestNoValueOfEnvIsInTheStore(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	d.Edit(func(servers map[string]any) { delete(servers, "files") })
	d.waits(vocab.ItemConfigChanged, "entry:files=removed")
	d.Close()
	raw, err := os.ReadFile(filepath.Join(d.home.Dir, store.File))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "very-secret-value") {
		t.Error("the store holds a value of env")
	}
}

func TestAServersOwnProgramCannotSettleWhatWaits(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	d.Edit(func(servers map[string]any) {
		asServers(servers["weather"])["command"] = "/tmp/evil"
		asServers(servers["weather"])["args"] = []string{}
	})
	it := d.waits(vocab.ItemUnguarded, "entry:weather=unwrapped")
	for _, p := range []control.Protect{{}, {All: true}, {Names: []string{"weather"}}, {Names: []string{"weather"}, Program: "/tmp/evil"}} {
		if _, err := d.Protect(inside, p); err != nil {
			t.Fatal(err)
		}
		if now := d.item(); now.Code != it.Code {
			t.Errorf("%+v settled it: %+v", p, now)
		}
	}
	_, err := d.Decide(inside, control.Decide{Code: it.Code, Digest: it.Digest})
	wantError(t, err, control.CodeDescends)
}

func TestOnAHubWithAWindowOnlyTheWindowDecidesOverFiles(t *testing.T) {
	d := deskAt(t, newHome(t), t.TempDir(), claudeFile, func(o *Options) { o.Window, o.StartedBy, o.AllowCLI = true, ByDesktop, false })
	d.protect() // tightens: any hub does it
	d.Replace(`{}`)
	it := d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
	yes := control.Decide{Code: it.Code, Digest: it.Digest}
	_, err := d.Decide(person, yes)
	wantError(t, err, control.CodeNotHere)
	if strings.Contains(d.Text(), "mcpServers") {
		t.Error("it was put back all the same")
	}
	if _, err := d.Decide(window, yes); err != nil || !d.Guarded("files") {
		t.Errorf("the window: %v", err)
	}
	_, err = d.Unprotect(person, control.Protect{Decided: true})
	wantError(t, err, control.CodeNotHere)
	_, err = d.RestoreBackup(person, control.RestoreBackup{ID: d.firstBackup(), Decided: true})
	wantError(t, err, control.CodeNotHere)
	if _, err := d.RestoreBackup(window, control.RestoreBackup{ID: d.firstBackup(), Decided: true}); err != nil || d.Text() != claudeFile {
		t.Errorf("the window restores: %v", err)
	}
}

// firstBackup is the oldest copy: the original file.
func (d *desk) firstBackup() string {
	d.t.Helper()
	backups, err := d.Backups()
	if err != nil || len(backups) == 0 {
		d.t.Fatalf("backups %v, %v", backups, err)
	}
	return backups[len(backups)-1].ID
}

func TestAModelThatAsksHearsOfTheFilesOfItsClient(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	w := d.wrap("weather")
	w.report(tool("a", "one"))
	d.approveAll(d.item())
	if n := w.Last(t).Waiting; n != 0 {
		t.Errorf("%d wait", n)
	}
	d.Replace(`{}`)
	it := d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
	eventually(t, "the wrapper is told that something waits", func() bool { return w.Last(t).Waiting == 1 })
	waiting, err := d.Attention(w, control.Attention{})
	if err != nil || len(waiting.Items) != 1 || waiting.Items[0].Code != it.Code || waiting.Items[0].Server != "Claude Desktop" {
		t.Errorf("it hears %+v, %v", waiting, err)
	}
}
