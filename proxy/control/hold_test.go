//go:build linux

package control

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func (h *testHub) heldIDs() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var ids []string
	for _, held := range h.held {
		ids = append(ids, held.ID)
	}
	return ids
}

// heldOf is an answer with bytes that no JSON encoder would leave as they are.
func heldOf(t *testing.T) Held {
	t.Helper()
	return Held{ID: vocab.NewRecordID(time.Now()), Method: "tools/call", Answer: []byte("{ \"a\":\"<\\u00e9\xc3\xa9 \\/\", \"b\":1.0 }")}
}

// away is a home in which no hub runs yet.
func away(t *testing.T) Home {
	t.Helper()
	h := testHome(t)
	if err := disk.OwnFolder(h.Dir); err != nil {
		t.Fatal(err)
	}
	return h
}

func heldFiles(t *testing.T, home Home) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home.Spool, "*"+heldSuffix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestAHeldAnswerReachesTheHubByteForByte(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	l := testLink(t, LinkOptions{Home: h})
	within(t, "it is connected", l.Connected)
	held := heldOf(t)
	kept, err := l.Hold(testContext(t), held)
	if err != nil || kept.Code != "HELD" {
		t.Fatalf("%+v, %v", kept, err)
	}
	hub.mu.Lock()
	defer hub.mu.Unlock()
	if len(hub.held) != 1 || !bytes.Equal(hub.held[0].Answer, held.Answer) {
		t.Errorf("stored %+v", hub.held)
	}
	if len(heldFiles(t, h)) != 0 {
		t.Error("it was written down too")
	}
}

func TestWhileTheHubIsAwayHeldAnswersAreWrittenDownAndDeliveredOnce(t *testing.T) {
	h := away(t)
	l := testLink(t, LinkOptions{Home: h})
	var want []string
	for range 3 {
		held := heldOf(t)
		want = append(want, held.ID)
		if kept, err := l.Hold(testContext(t), held); err != nil || kept.Code != "" {
			t.Fatalf("%+v, %v", kept, err)
		}
	}
	if files := heldFiles(t, h); len(files) != 3 {
		t.Fatalf("written down: %v", files)
	}
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	within(t, "all are with the hub", func() bool { return len(heldFiles(t, h)) == 0 })
	if got := hub.heldIDs(); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("delivered %v, want %v", got, want)
	}
}

func TestAHubThatCannotStoreLeavesItOnTheDiskUntilItCan(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	hub.noHold = true
	serveHub(t, h, hub, Options{})
	l := testLink(t, LinkOptions{Home: h})
	within(t, "it is connected", l.Connected)
	held := heldOf(t)
	if kept, err := l.Hold(testContext(t), held); err != nil || kept.Code != "" {
		t.Fatalf("%+v, %v", kept, err)
	}
	if len(heldFiles(t, h)) != 1 {
		t.Fatal("it is nowhere")
	}
	hub.mu.Lock()
	hub.noHold = false
	hub.mu.Unlock()
	within(t, "the hub has it", func() bool { return len(hub.heldIDs()) == 1 && len(heldFiles(t, h)) == 0 })
}

func TestWhatADeadWrapperWroteDownIsDelivered(t *testing.T) {
	h := away(t)
	l := testLink(t, LinkOptions{Home: h, Register: testRegister("dead")})
	held := heldOf(t)
	if _, err := l.Hold(testContext(t), held); err != nil {
		t.Fatal(err)
	}
	none := func(Register, Held) error { t.Error("a live wrapper's was taken"); return nil }
	if err := ReadHeld(h.Spool, nil, none); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.Spool, "torn"+heldSuffix+".new"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.Spool, "strange"+heldSuffix), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []Held
	err := ReadHeld(h.Spool, nil, func(from Register, held Held) error {
		if from.Session != "dead" {
			t.Errorf("from %+v", from)
		}
		got = append(got, held)
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "strange") {
		t.Errorf("a file that is none: %v", err)
	}
	if len(got) != 1 || got[0].ID != held.ID || !bytes.Equal(got[0].Answer, held.Answer) {
		t.Errorf("delivered %+v", got)
	}
	if left := heldFiles(t, h); len(left) != 1 || !strings.Contains(left[0], "strange") {
		t.Errorf("left: %v", left)
	}
}

func TestAHeldAnswerThatCanBeKeptNowhereIsAnError(t *testing.T) {
	h := away(t)
	l := testLink(t, LinkOptions{Home: h})
	if err := os.RemoveAll(h.Dir); err != nil {
		t.Fatal(err)
	}
	if kept, err := l.Hold(testContext(t), heldOf(t)); err == nil {
		t.Errorf("kept as %+v", kept)
	}
}

func TestOneThatTheHubRefusesForGoodHoldsUpNoneBehindIt(t *testing.T) {
	h := away(t)
	l := testLink(t, LinkOptions{Home: h})
	bad, good := heldOf(t), heldOf(t)
	bad.Method = "never"
	for _, held := range []Held{bad, good} {
		if _, err := l.Hold(testContext(t), held); err != nil {
			t.Fatal(err)
		}
	}
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	within(t, "the one behind it is with the hub", func() bool { ids := hub.heldIDs(); return len(ids) == 1 && ids[0] == good.ID })
	within(t, "the other lies aside", func() bool { f := heldFiles(t, h); return len(f) == 1 && strings.HasSuffix(f[0], ".refused") })
}
