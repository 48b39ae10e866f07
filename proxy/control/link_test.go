//go:build linux

package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestBeforeAHubNothingIsApproved(t *testing.T) {
	l := testLink(t, LinkOptions{Home: testHome(t)})
	s := l.State()
	if s == nil || s.Open || s.Items == nil || s.Settings == nil {
		t.Fatalf("the state: %+v", s)
	}
	if _, err := l.Report(testContext(t), Report{}); !errors.Is(err, ErrNoHub) {
		t.Errorf("Report: %v", err)
	}
	if _, err := l.Attention(testContext(t), "x"); !errors.Is(err, ErrNoHub) {
		t.Errorf("Attention: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := l.WaitState(ctx); err == nil {
		t.Error("a state came from nowhere")
	}
}

func TestALinkHasTheStateOfTheHubAndHearsOfChanges(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	l := testLink(t, LinkOptions{Home: h})
	told := make(chan bool, 16)
	l.Subscribe(func(connected bool) { told <- connected })
	if err := l.WaitState(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if !<-told {
		t.Error("the first hub was not told as one that came")
	}
	if l.State().Items["registered"].State != "approved" {
		t.Errorf("the state: %+v", l.State())
	}
	before := l.State()
	hub.approve("tool:echo")
	if <-told {
		t.Error("a change was told as a hub that came")
	}
	if l.State().Items["tool:echo"].State != "approved" {
		t.Errorf("the state: %+v", l.State())
	}
	if before.Items["registered"].State != "approved" || len(before.Items) != 1 {
		t.Error("a state changed after it was handed out")
	}
	s, err := l.Report(testContext(t), Report{Era: "legacy"})
	if err != nil || s.Items["reported"].State != "approved" || l.State().Revision != s.Revision {
		t.Errorf("Report: %+v, %v", s, err)
	}
}

func TestAHubThatIsAwayLeavesTheLastStateAndComesBack(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	hub.revision = 40
	stop := serveHub(t, h, hub, Options{})
	l := testLink(t, LinkOptions{Home: h})
	if err := l.WaitState(testContext(t)); err != nil {
		t.Fatal(err)
	}
	hub.approve("tool:echo")
	within(t, "the change is there", func() bool { return l.State().Items["tool:echo"].State == "approved" })
	stop()
	within(t, "the link notices", func() bool { return !l.Connected() })
	if l.State().Items["tool:echo"].State != "approved" {
		t.Errorf("the last verdict is gone: %+v", l.State())
	}
	if _, err := l.Report(testContext(t), Report{}); err == nil {
		t.Error("a report without a hub")
	}
	came := make(chan struct{}, 1)
	l.Subscribe(func(connected bool) {
		if connected {
			came <- struct{}{}
		}
	})
	next := newTestHub() // its revisions begin anew, and count
	serveHub(t, h, next, Options{})
	<-came
	if s := l.State(); s.Items["registered"].State != "approved" || s.Items["tool:echo"].State != "" {
		t.Errorf("the state of the new hub: %+v", s)
	}
	if next.connected() != 1 {
		t.Error("not registered again")
	}
}

func TestAnOlderAnswerDoesNotUndoANewerPush(t *testing.T) {
	h := testHome(t)
	serveHub(t, h, newTestHub(), Options{})
	l := testLink(t, LinkOptions{Home: h})
	if err := l.WaitState(testContext(t)); err != nil {
		t.Fatal(err)
	}
	within(t, "it is connected", l.Connected)
	c, err := l.hub()
	if err != nil {
		t.Fatal(err)
	}
	l.install(c, State{Revision: 9, Blocked: true}, false)
	l.install(c, State{Revision: 8}, false)
	if !l.State().Blocked {
		t.Error("a block was undone by an answer that was late")
	}
	l.install(nil, State{Revision: 10}, false)
	if !l.State().Blocked {
		t.Error("another connection's state counted")
	}
}

func TestTenLinksThatStartAtOnceStartOneHub(t *testing.T) {
	h := testHome(t)
	killHubs(t, h)
	var (
		mu      sync.Mutex
		started []int
	)
	var links []*Link
	for i := range 10 {
		links = append(links, testLink(t, LinkOptions{
			Home: h, Register: testRegister(strconv.Itoa(i)), Exe: self(t),
			Started: func(pid int) {
				mu.Lock()
				defer mu.Unlock()
				started = append(started, pid)
			},
		}))
	}
	for _, l := range links {
		if err := l.WaitState(testContext(t)); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if hubs := startedHubs(h); len(hubs) != 1 || !slices.Equal(hubs, started) {
		t.Errorf("hubs %v, started %v", hubs, started)
	}
	spared := 0
	for _, l := range links {
		if pid := l.HubPID(); pid != 0 {
			spared++
			if pid != started[0] {
				t.Errorf("HubPID %d of %v", pid, started)
			}
		}
	}
	if spared != 1 {
		t.Errorf("%d links say that the hub is theirs", spared)
	}
}

func TestAHubIsInASessionOfItsOwnWithoutTheSecretsOfAnEntry(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "ghp_secret")
	h := testHome(t)
	killHubs(t, h)
	pid, err := EnsureHub(testContext(t), h, self(t))
	if err != nil || pid == 0 {
		t.Fatal(pid, err)
	}
	if again, err := EnsureHub(testContext(t), h, self(t)); err != nil || again != 0 {
		t.Errorf("a second one: %d, %v", again, err)
	}
	environment, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(splitZero(environment), "GITHUB_TOKEN=ghp_secret") || !slices.Contains(splitZero(environment), "SALLYPORT_HOME="+h.Dir) {
		t.Errorf("the hub's environment: %q", environment)
	}
	if session, err := sessionOf(pid); err != nil || session != pid {
		t.Errorf("the hub's session: %d, %v", session, err)
	}
}

func TestAHubThatCannotStartIsAnErrorThatNamesItsLog(t *testing.T) {
	_, err := EnsureHub(testContext(t), testHome(t), "/bin/false")
	if err == nil || !contains(err.Error(), "exit status 1", "hub.log") {
		t.Errorf("%v", err)
	}
}

func TestAHomeThatWasRemovedIsNotMadeAgain(t *testing.T) {
	h := testHome(t)
	killHubs(t, h)
	l := testLink(t, LinkOptions{Home: h, Exe: self(t)})
	if err := l.WaitState(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(h.Dir); err != nil {
		t.Fatal(err)
	}
	within(t, "the hub has ended and the link says why none comes", func() bool {
		_, err := l.Report(testContext(t), Report{})
		return err != nil && contains(err.Error(), "was removed")
	})
	if _, err := os.Lstat(h.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the home is back: %v", err)
	}
}

// The hub is killed again and again while records come; whatever was acknowledged when, each record is stored once.
func TestRecordsArriveOnceThoughTheHubIsKilled(t *testing.T) {
	h := testHome(t)
	killHubs(t, h)
	l := testLink(t, LinkOptions{Home: h, Exe: self(t)})
	if err := l.WaitState(testContext(t)); err != nil {
		t.Fatal(err)
	}
	const total = 6000
	stored := func() []Record { return readRecords(filepath.Join(h.Dir, "records")) }
	var want []string
	for i := range total {
		id := fmt.Sprintf("id-%06d", i)
		want = append(want, id)
		l.Record(Record{ID: id, Kind: "tool_call", Summary: "a call"})
		if i%2000 == 1000 {
			some := len(stored())
			within(t, "some of them are stored", func() bool { return len(stored()) > some })
			hubs := startedHubs(h)
			hub, err := os.FindProcess(hubs[len(hubs)-1])
			if err == nil {
				err = hub.Kill()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	within(t, "all are stored", func() bool { return len(stored()) >= total })
	var got []string
	for _, r := range stored() {
		got = append(got, r.ID)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%d records stored, %d different ones of %d", len(got), len(slices.Compact(got)), total)
	}
	if hubs := startedHubs(h); len(hubs) < 3 {
		t.Errorf("only %d hubs came", len(hubs))
	}
	within(t, "the spool is gone", func() bool { return len(spoolFiles(t, h)) == 0 })
}

func TestWhatAKilledWrapperSpooledIsDeliveredOnce(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	wrapper := command(t, h, self(t), "record", "700")
	startProgram(t, wrapper)
	within(t, "the spool holds them", func() bool {
		files := spoolFiles(t, h)
		return len(files) == 1 && len(readRecords(files[0])) >= 700 // the header reads as a record without an ID
	})
	t.Run("not while the wrapper lives", func(t *testing.T) {
		err := ReadSpool(h.Spool, nil, func(Register, []Record) error { return errors.New("taken") })
		if err != nil {
			t.Error(err)
		}
	})
	if err := wrapper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = wrapper.Wait()
	if err := ReadSpool(h.Spool, nil, func(Register, []Record) error { return errors.New("disk full") }); err == nil {
		t.Error("a hub that cannot store took them")
	}
	hub := newTestHub()
	err := ReadSpool(h.Spool, nil, func(from Register, records []Record) error {
		if from.Session != "one" || from.Server.Name != "server" {
			t.Errorf("from %+v", from)
		}
		_, err := hub.store(records)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if ids := hub.ids(); len(ids) != 700 || !slices.IsSorted(ids) {
		t.Errorf("%d records, in order: %v", len(ids), slices.IsSorted(ids))
	}
	if files := spoolFiles(t, h); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
}

func TestASlowHubHoldsNoRecordUpAndTheyAreWrittenDown(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	hub.hold = make(chan struct{})
	serveHub(t, h, hub, Options{})
	release := sync.OnceFunc(func() { close(hub.hold) })
	t.Cleanup(release) // or the hub would wait for its call for ever
	l := testLink(t, LinkOptions{Home: h, slowAck: 10 * time.Millisecond})
	if err := l.WaitState(testContext(t)); err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 2000 { // all of it while the hub answers nothing
		id := fmt.Sprintf("id-%06d", i)
		want = append(want, id)
		l.Record(Record{ID: id, Kind: "tool_call"})
	}
	within(t, "all are in the spool", func() bool {
		files := spoolFiles(t, h)
		return len(files) == 1 && len(readRecords(files[0])) >= len(want)
	})
	hub.approve("tool:echo")
	within(t, "a push arrives all the same", func() bool { return l.State().Items["tool:echo"].State == "approved" })
	release()
	within(t, "all are stored", func() bool { return len(hub.ids()) >= len(want) })
	if got := hub.ids(); !slices.Equal(got, want) {
		t.Errorf("%d records, in order: %v", len(got), slices.IsSorted(got))
	}
	within(t, "the spool is gone", func() bool { return len(spoolFiles(t, h)) == 0 })
}

// What a record costs the hub is taken from the calls themselves, and many small batches cost as much as a few full ones.
func TestAHubIsSentNoMoreThanItsPaceHoweverSmallTheBatches(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	l := testLink(t, LinkOptions{Home: h})
	if err := l.WaitState(testContext(t)); err != nil {
		t.Fatal(err)
	}
	begin, sent := time.Now(), 0
	for ; time.Since(begin) < 600*time.Millisecond; time.Sleep(10 * time.Millisecond) {
		for range maxBatchRecords / 6 { // never a full batch within the time that it gathers
			l.Record(Record{ID: fmt.Sprintf("id-%06d", sent), Kind: "tool_call"})
			sent++
		}
	}
	got := len(hub.ids())
	if most := int(time.Since(begin)/pace) + maxBatchRecords; got > most {
		t.Errorf("%d of %d records in %s, at most %d", got, sent, time.Since(begin), most)
	}
	l.Close(testContext(t))
	within(t, "all are stored", func() bool { return len(hub.ids()) == sent })
}

func TestAHubThatSaysNoIsAskedAgain(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	hub.refuse = &Error{Code: CodeUnavailable, Message: "store unreadable"}
	serveHub(t, h, hub, Options{})
	l := testLink(t, LinkOptions{Home: h})
	l.Record(Record{ID: "a", Kind: "drift"})
	within(t, "it is written down", func() bool { return len(spoolFiles(t, h)) == 1 })
	hub.mu.Lock()
	hub.refuse = nil
	hub.mu.Unlock()
	within(t, "it is stored", func() bool { return slices.Equal(hub.ids(), []string{"a"}) })
}

func TestARecordThatCannotBeSentAsItIsHoldsNoOtherUp(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	l := testLink(t, LinkOptions{Home: h})
	l.Record(Record{ID: "1", Kind: "tool_call", Detail: []byte("{no JSON")})
	l.Record(Record{ID: "2", Kind: "tool_call", Time: time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)})
	l.Record(Record{ID: "3", Kind: "tool_call", Tool: string(make([]byte, 3*maxRecord))})
	l.Record(Record{ID: "4", Kind: "tool_call", Detail: append(append([]byte(`"`), make([]byte, 0)...), '"')})
	l.Record(Record{Kind: "tool_call", Summary: "without a name"})
	within(t, "all are stored", func() bool { return len(hub.ids()) == 5 })
	hub.mu.Lock()
	defer hub.mu.Unlock()
	if last := hub.records[4]; last.ID == "" || last.Time.IsZero() {
		t.Errorf("%+v", last)
	}
}

func TestCloseDeliversWhatIsLeft(t *testing.T) {
	t.Run("to the hub", func(t *testing.T) {
		h := testHome(t)
		hub := newTestHub()
		serveHub(t, h, hub, Options{})
		l := testLink(t, LinkOptions{Home: h})
		if err := l.WaitState(testContext(t)); err != nil {
			t.Fatal(err)
		}
		within(t, "it is connected", l.Connected)
		l.Stderr([]byte("last words"))
		for i := range 1500 {
			l.Record(Record{ID: strconv.Itoa(i), Kind: "tool_call"})
		}
		l.Close(testContext(t))
		if n := len(hub.ids()); n != 1500 {
			t.Errorf("%d of 1500 arrived", n)
		}
		hub.mu.Lock()
		defer hub.mu.Unlock()
		if string(hub.stderr) != "last words" {
			t.Errorf("stderr: %q", hub.stderr)
		}
	})
	for name, hub := range map[string]*testHub{"to the spool, without a hub": nil, "to the spool, with a hub that hangs": newTestHub()} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			if err := h.Make(); err != nil {
				t.Fatal(err)
			}
			if hub != nil {
				hub.hold = make(chan struct{})
				serveHub(t, h, hub, Options{})
				defer close(hub.hold)
			}
			l := testLink(t, LinkOptions{Home: h})
			if hub != nil {
				if err := l.WaitState(testContext(t)); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 1500 {
				l.Record(Record{ID: strconv.Itoa(i), Kind: "tool_call"})
			}
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			l.Close(ctx)
			n := 0
			if err := ReadSpool(h.Spool, nil, func(_ Register, r []Record) error { n += len(r); return nil }); err != nil || n != 1500 {
				t.Errorf("%d of 1500 in the spool, %v", n, err)
			}
		})
	}
}

func TestStderrKeepsTheNewestWhileTheHubIsAway(t *testing.T) {
	h := testHome(t)
	l := testLink(t, LinkOptions{Home: h})
	for range 100 {
		l.Stderr(make([]byte, 10000))
	}
	l.Stderr([]byte("what it said last"))
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	within(t, "the end of it is there", func() bool {
		hub.mu.Lock()
		defer hub.mu.Unlock()
		return contains(string(hub.stderr), "what it said last")
	})
	hub.mu.Lock()
	defer hub.mu.Unlock()
	if len(hub.stderr) > maxStderr {
		t.Errorf("%d bytes were kept", len(hub.stderr))
	}
}

func TestWhatNobodyTakesIsSaidToBeLost(t *testing.T) {
	h := testHome(t) // which nobody made
	l := NewLink(testContext(t), LinkOptions{Home: h})
	for range 3 {
		l.Record(Record{Kind: "tool_call", Status: "ok"})
	}
	ctx, cancel := context.WithTimeout(testContext(t), 10*time.Millisecond)
	defer cancel()
	if err := l.Close(ctx); err == nil || !strings.Contains(err.Error(), "3 records") {
		t.Errorf("%v", err)
	}
	if err := NewLink(testContext(t), LinkOptions{Home: h}).Close(testContext(t)); err != nil {
		t.Errorf("with nothing to lose: %v", err)
	}
}
