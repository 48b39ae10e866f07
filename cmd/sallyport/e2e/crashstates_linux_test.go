package e2e

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/proc/table"
)

var powerCuts = flag.Int("power-cuts", 1000, "how many states of the disk after a power cut are looked at, of each recording")

// A recording is what the program did to its files while it ran a person's commands, and what must hold in every state that a power cut could
// have left.
type recording struct {
	*tracer
	holds func(asked, acked map[string]bool) error
}

// A powerCut is one state: the power fails after the first n changes. Of those not yet synced, either all reached the disk except left, or
// none except left. Of the change torn only some sectors did.
type powerCut struct {
	n    int
	all  bool
	left []int
	torn int // -1: none
}

// cuts are the states worth checking, the simplest first.
func (r *recording) cuts(random *rand.Rand) []powerCut {
	var plain, single, mixed []powerCut
	for n := 1; n <= len(r.changes); n++ {
		plain = append(plain, powerCut{n: n, torn: -1}, powerCut{n: n, all: true, torn: -1})
		var pending []int
		for i, durable := range r.durable(n) {
			if !durable && r.changes[i].kind != isSync {
				pending = append(pending, i)
			}
		}
		for _, i := range pending {
			single = append(single, powerCut{n: n, left: []int{i}, torn: -1}, powerCut{n: n, all: true, left: []int{i}, torn: -1})
			if r.changes[i].kind == isData {
				single = append(single, powerCut{n: n, all: true, torn: i}, powerCut{n: n, left: []int{i}, torn: i})
			}
		}
		for range min(len(pending), 4) {
			some := powerCut{n: n, torn: pending[random.IntN(len(pending))]}
			for _, i := range pending {
				if random.IntN(2) == 0 {
					some.left = append(some.left, i)
				}
			}
			mixed = append(mixed, some)
		}
	}
	rest := append(single, mixed...)
	random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return append(plain, rest...)
}

// play checks states until most of the different ones are done, and reports what did not hold.
func (r *recording) play(t testing.TB, cuts []powerCut, most int, random *rand.Rand) (states int, broken []string) {
	seen := map[string]bool{}
	for _, c := range cuts {
		if states == most || len(broken) == 3 {
			break
		}
		keep := r.durable(c.n)
		for i := range keep {
			keep[i] = keep[i] || slices.Contains(c.left, i) != c.all
		}
		torn := map[int]*rand.Rand{}
		if c.torn >= 0 {
			torn[c.torn] = rand.New(rand.NewPCG(random.Uint64(), 0))
		}
		asked, acked := map[string]bool{}, map[string]bool{}
		for _, change := range r.changes[:c.n] {
			switch change.kind {
			case isAsked:
				asked[change.name] = true
			case isAcked:
				acked[change.name] = true
			}
		}
		state := r.state(c.n, keep, torn)
		id := fmt.Sprint(state.digest(), asked, acked)
		if seen[id] {
			continue
		}
		seen[id] = true
		states++
		state.put(t, r.root)
		if err := r.holds(asked, acked); err != nil {
			broken = append(broken, fmt.Sprintf("after %d of %d changes, %+v, asked %v, told %v: %v", c.n, len(r.changes), c, asked, acked, err))
		}
	}
	return states, broken
}

// A desk is a person's home, with a client's file and Sallyport's home in it; its programs are traced.
type desk struct {
	*installation
	dir    string // everything that is replayed
	signs  string
	file   string // of the client
	before []byte // its content
	after  []byte // what protect makes of it
}

const guardedLater = `{
  "odd" :  [1,2 ],
  "mcpServers": {"files": {"command": "npx", "args": ["-y", "files"], "env": {"TOKEN": "t"}}, "weather": {"command": "weather"}}
}
`

func deskOn(t testing.TB) *desk {
	t.Helper()
	place := scratch
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() { // thousands of small files are written and synced
		place = "/dev/shm"
	}
	dir, err := os.MkdirTemp(place, "cut")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	d := &desk{dir: filepath.Join(dir, "r"), signs: filepath.Join(dir, "signs"), before: []byte(guardedLater)}
	d.file = filepath.Join(d.dir, "client", "claude_desktop_config.json")
	for _, folder := range []string{d.dir, d.signs, filepath.Dir(d.file)} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(d.file, d.before, 0o640); err != nil {
		t.Fatal(err)
	}
	d.installation = &installation{t: t, path: filepath.Join(d.dir, "home"), more: []string{"HOME=" + dir, "XDG_CONFIG_HOME=", "XDG_DATA_HOME="}}
	return d
}

// shell is a traced shell, so that all its commands are in one trace.
type shell struct {
	desk *desk
	in   io.WriteCloser
	cmd  *exec.Cmd
	said *tail
}

func (d *desk) shell(trace string) *shell {
	d.t.Helper()
	s := &shell{desk: d, said: new(tail)}
	argv := append(strace(d.t, trace), "/bin/sh")
	s.cmd = exec.Command(argv[0], argv[1:]...)
	s.cmd.Env = environment(d.env()...)
	s.cmd.Stdout, s.cmd.Stderr = s.said, s.said
	alone(s.cmd)
	var err error
	if s.in, err = s.cmd.StdinPipe(); err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { killGroup(s.cmd) })
	return s
}

// do runs a command in the trace, which must succeed. When it begins and what it prints are signs with this name.
func (s *shell) do(sign string, args ...string) {
	s.desk.t.Helper()
	done := filepath.Join(filepath.Dir(s.desk.signs), "done-"+sign)
	fmt.Fprintf(s.in, "%s %s </dev/null >%s; echo $? >%s.new; mv %s.new %s\n", sallyport(s.desk.t), strings.Join(args, " "), filepath.Join(s.desk.signs, sign), done, done, done)
	wait(s.desk.t, strings.Join(args, " "), func() bool { _, err := os.Stat(done); return err == nil })
	if code, _ := os.ReadFile(done); string(code) != "0\n" && string(code) != "3\n" { // 3: something waits
		said, _ := os.ReadFile(filepath.Join(s.desk.signs, sign))
		s.desk.t.Fatalf("%s: status %s: %s%s", strings.Join(args, " "), code, said, s.said)
	}
}

// recordDecisions records a new home, protect, settings, and an approval.
func recordDecisions(t testing.TB) *recording {
	t.Helper()
	d := deskOn(t)
	trace := filepath.Join(mkdir(t), "trace")
	r := &recording{tracer: newTracer(t, d.dir, d.signs)}
	s := d.shell(trace)
	fmt.Fprintf(s.in, "%s hub --allow-cli-approval &\n", sallyport(t))
	wait(t, "the hub answers", func() bool { return d.hubPID() > 1 })
	hub := d.hubPID()
	s.do("protect", "protect", "--config", d.file)
	d.after = contents(t, d.file)
	s.do("tightened", "settings", "set", "redact.mode", "redact", "--yes")
	s.do("loosened", "settings", "set", "sanitizer.ansi", "off", "--yes")
	dir := folder(t)
	c := launch(t, dir, environment(d.env()...), append(d.wrap(), script(t, dir, "server.json", poisonedMail)...))
	c.handshake("2025-06-18")
	c.request("tools/list", `{}`)
	code := ""
	wait(t, "it waits for a review", func() bool {
		for _, item := range d.inbox() {
			if item.Kind == "new_server" {
				code = item.Code
			}
		}
		return code != ""
	})
	s.do("approve", "approve", code, "--tool", "read_note", "--yes")
	c.hangUp(true)
	if err := syscall.Kill(hub, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	s.in.Close()
	if err := s.cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, s.said)
	}
	r.read(t, trace)
	r.follows(t)
	r.holds = d.decisionsHold
	return r
}

func contents(t testing.TB, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// open opens the home like a hub that starts after the power cut.
func (d *desk) open() (*app.Hub, error) {
	home, err := control.HomeAt(d.path)
	if err != nil {
		return nil, err
	}
	return app.Open(app.Options{
		Home: home, StartedBy: app.ByPerson, AllowCLI: true, Program: sallyport(d.t), HomeCheck: time.Hour,
		System: clientconfig.System{OS: "linux", Home: filepath.Join(d.dir, "nobody"), Env: func(string) string { return "" }},
	})
}

func (d *desk) decisionsHold(asked, acked map[string]bool) (err error) {
	now, err := os.ReadFile(d.file)
	info, statErr := os.Stat(d.file)
	guarded := bytes.Equal(now, d.after)
	switch {
	case err != nil || statErr != nil:
		return fmt.Errorf("the client's file: %v, %v", err, statErr)
	case info.Mode().Perm() != 0o640:
		return fmt.Errorf("the client's file has mode %v", info.Mode())
	case !guarded && !bytes.Equal(now, d.before):
		return fmt.Errorf("the client's file is neither the old one nor the new one: %q", now)
	case acked["protect"] && !guarded, guarded && !asked["protect"]:
		return fmt.Errorf("protect was asked for: %v, acknowledged: %v, and the file is guarded: %v", asked["protect"], acked["protect"], guarded)
	}
	whole, _ := filepath.Glob(filepath.Join(d.path, "clients", "*.json")) // without it an entry can't be put back; a starting hub would repair it
	if acked["protect"] && len(whole) != 1 {
		return fmt.Errorf("the entries as they are wanted: %q", whole)
	}
	hub, err := d.open()
	if err != nil {
		return fmt.Errorf("the home: %w", err)
	}
	defer hub.Close()
	if !hub.StoreOK() {
		if len(acked) > 0 {
			return fmt.Errorf("the store is lost: %+v", problems(hub))
		}
		return nil // the home was never created: everything is blocked, and the person starts over
	}
	for sign, want := range map[string][3]string{"tightened": {"redact.mode", "redact", "detect"}, "loosened": {"sanitizer.ansi", "off", "visible"}} {
		rows, err := hub.Settings(control.SettingQuery{Key: want[0]})
		if err != nil {
			return err
		}
		if is := rows[0].Value; acked[sign] && is != want[1] || !asked[sign] && is != want[2] || is != want[1] && is != want[2] {
			return fmt.Errorf("%s is %q; asked for %v, acknowledged %v", want[0], is, asked[sign], acked[sign])
		}
	}
	if verified, err := hub.Verify(); err != nil || verified.Bad != "" {
		return fmt.Errorf("the chain: %+v, %v", verified, err)
	}
	if err := allowed(hub, asked["approve"], acked["approve"]); err != nil {
		return err
	}
	if acked["protect"] {
		if err := d.kept(hub); err != nil {
			return err
		}
	}
	if guarded {
		if _, err := hub.Unprotect(control.Peer{Here: true}, control.Protect{Config: d.file, Decided: true}); err != nil {
			return fmt.Errorf("unprotect: %w", err)
		}
		if now, err := os.ReadFile(d.file); err != nil || !bytes.Equal(now, d.before) {
			return fmt.Errorf("unprotect gives %q, %v", now, err)
		}
	}
	return nil
}

// kept looks for the backup of the original file.
func (d *desk) kept(hub *app.Hub) error {
	copies, err := hub.Backups()
	if err != nil || len(copies) == 0 {
		return fmt.Errorf("the backup: %v, %v", copies, err)
	}
	text, err := os.ReadFile(filepath.Join(d.path, "backups", copies[0].ID+"."+filepath.Base(d.file)))
	if err != nil || !bytes.Equal(text, d.before) {
		return fmt.Errorf("the backup holds %q, %v", text, err)
	}
	return nil
}

func problems(hub *app.Hub) []control.Problem {
	status, _ := hub.Status()
	return status.Problems
}

// allowed checks what is allowed: read_note and the program behind it, once the person asked for that, and never anything else.
func allowed(hub *app.Hub, asked, acked bool) error {
	servers, err := hub.Servers()
	if err != nil {
		return err
	}
	found := false
	for _, server := range servers {
		for _, item := range server.Items {
			switch {
			case item.State != "approved":
			case item.Item == "launch" && asked:
			case item.Item == "tool:read_note" && asked:
				found = true
			default:
				return fmt.Errorf("%s is allowed, asked for %v", item.Item, asked)
			}
		}
	}
	if acked && !found {
		return fmt.Errorf("what was allowed is not: %+v", servers)
	}
	return nil
}

// recordHeld records a wrapper that spools a held response while its hub does not respond.
func recordHeld(t testing.TB) *recording {
	t.Helper()
	d := deskOn(t)
	d.hub()
	trace, dir := filepath.Join(mkdir(t), "trace"), folder(t)
	argv := script(t, dir, "server.json", poisonedMail)
	s := launch(t, dir, environment(d.env()...), slices.Concat(strace(t, trace), d.wrap(), argv))
	s.handshake("2025-06-18")
	s.request("tools/list", `{}`)
	wait(t, "it waits for a review", func() bool { return len(d.inbox()) == 1 })
	d.approve()
	wait(t, "what was allowed works", func() bool { return strings.Contains(s.call("read_note", `{}`), "bread") })

	hub := d.signalHub(syscall.SIGSTOP)
	wait(t, "the hub has stopped, and writes no more", func() bool { return allStopped(hub) }) // a thread first ends its system call
	r := &recording{tracer: newTracer(t, d.dir, d.signs), holds: d.heldHolds}
	const told = `"status":"held"`
	if got := s.call("read_mail", `{}`); !strings.Contains(got, told) || strings.Contains(got, "attacker@evil") {
		t.Fatalf("the client was told: %s", got)
	}
	r.told = inHex(told)
	for _, pid := range append(below(s.cmd.Process.Pid), hub) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	<-s.ended
	wait(t, "the hub has ended", func() bool { return syscall.Kill(hub, 0) != nil })
	r.read(t, trace)
	r.follows(t)
	return r
}

// allStopped says whether every thread of a process has stopped.
func allStopped(pid int) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	return err == nil && len(threads) > 0 && !slices.ContainsFunc(threads, func(path string) bool {
		raw, err := os.ReadFile(path)
		_, state, found := bytes.Cut(raw, []byte(") ")) // pid (name) state
		return err == nil && !(found && bytes.HasPrefix(state, []byte("T")))
	})
}

// below are the children of a process.
func below(parent int) (pids []int) {
	_ = table.Each(func(pid int) error {
		if p, err := table.Read(pid); err == nil && p.Parent == parent {
			pids = append(pids, pid)
		}
		return nil
	})
	return pids
}

func (d *desk) heldHolds(_, acked map[string]bool) error {
	hub, err := d.open()
	if err != nil {
		return fmt.Errorf("the home: %w", err)
	}
	defer hub.Close()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		left, unread := os.ReadDir(filepath.Join(d.path, "spool")) // before the inbox: what leaves the spool is there
		items, err := hub.Inbox()
		if err := errors.Join(unread, err); err != nil {
			return err
		}
		held := slices.ContainsFunc(items, func(i control.InboxItem) bool { return i.Kind == "response_held" })
		switch {
		case held, !acked["held"]:
			return nil
		case len(left) == 0, time.Now().After(deadline):
			return fmt.Errorf("the client was told that it is held, and the hub has nothing: %v, %+v", left, problems(hub))
		}
	}
}

func TestAPowerCutLosesNoDecisionTearsNoFileAndAllowsNothing(t *testing.T) {
	t.Parallel()
	random := chance(t)
	for _, c := range []struct {
		name   string
		record func(testing.TB) *recording
		loses  []string // folders, below the root, whose names are lost where they are not synced
	}{
		{"decisions", recordDecisions, []string{"", "client", "home", "home/backups", "home/clients"}},
		{"a held response", recordHeld, []string{"home/spool"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.record(t)
			states, broken := r.play(t, r.cuts(random), *powerCuts, random)
			t.Logf("%d changes, %d states", len(r.changes), states)
			for _, what := range broken {
				t.Error(what)
			}
			if least := min(*powerCuts, 1000); c.name == "decisions" && states < least && len(broken) == 0 {
				t.Errorf("only %d different states came about, not %d", states, least)
			}
			for _, path := range c.loses {
				last := powerCut{n: len(r.changes), torn: -1}
				if _, broken := r.unsynced(r.file(filepath.Join(r.root, path))).play(t, []powerCut{last}, 1, random); len(broken) == 0 {
					t.Errorf("without the syncs of the folder %q nothing is lost: this test would not see that they are missing", path)
				} else {
					t.Logf("without the syncs of the folder %q: %.300s", path, broken[0])
				}
			}
		})
	}
}

// unsynced is the recording as if the program did not sync some file or folder.
func (r *recording) unsynced(file int) *recording {
	tr := *r.tracer
	tr.changes = slices.Clone(tr.changes)
	for i, c := range tr.changes {
		if c.kind == isSync && c.file == file {
			tr.changes[i].kind = isNothing
		}
	}
	return &recording{&tr, r.holds}
}
