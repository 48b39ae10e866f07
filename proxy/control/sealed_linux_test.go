package control

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

const (
	argumentSecret = "swordfish-of-the-call"
	commandSecret  = "swordfish-of-the-command"
)

// sealing is a hub that gives its wrappers a key, and a wrapper whose command and calls hold secrets.
func sealing(t *testing.T) (h Home, hub *testHub, l *Link, stop func()) {
	t.Helper()
	h = testHome(t)
	hub = newTestHub()
	hub.spool = &SpoolKey{Server: "an id", Key: bytes.Repeat([]byte{7}, 32)}
	stop = serveHub(t, h, hub, Options{})
	register := testRegister("sealed")
	register.Server.Argv = []string{"server", "--token", commandSecret}
	l = testLink(t, LinkOptions{Home: h, Register: register})
	within(t, "the wrapper has a state", func() bool { return l.State().Spool != nil })
	return h, hub, l, stop
}

func secretHeld(t *testing.T) Held {
	held := heldOf(t)
	held.Params = []byte(`{"name":"read","arguments":{"password":"` + argumentSecret + `"}}`)
	held.Item, held.Name, held.Same = "resource:x://"+argumentSecret, "x://"+argumentSecret, "digest-of-"+argumentSecret
	return held
}

// inClear are the files of a folder in which a secret can be read, as it is or as JSON writes bytes.
func inClear(t *testing.T, dir string) (bad []string) {
	t.Helper()
	looked := 0
	for _, path := range must(filepath.Glob(filepath.Join(dir, "*"))) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		looked++
		for _, secret := range []string{argumentSecret, commandSecret} {
			encoded := must(json.Marshal([]byte(`{"name":"read","arguments":{"password":"` + secret)))
			if bytes.Contains(raw, []byte(secret)) || bytes.Contains(raw, encoded[1:len(encoded)-4]) {
				bad = append(bad, filepath.Base(path)+" holds "+secret)
			}
		}
	}
	if looked == 0 {
		t.Errorf("nothing was written to %s", dir)
	}
	return bad
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestWhatWasAskedIsInTheSpoolForNobodyToReadAndReachesTheHubWhole(t *testing.T) {
	h, hub, l, stop := sealing(t)
	stop()
	within(t, "the hub is away", func() bool { return !l.Connected() })
	held := secretHeld(t)
	if _, err := l.Hold(testContext(t), held); err != nil {
		t.Fatal(err)
	}
	if bad := inClear(t, h.Spool); len(bad) > 0 {
		t.Errorf("in clear: %q", bad)
	}
	serveHub(t, h, hub, Options{})
	within(t, "it is with the hub", func() bool { return len(heldFiles(t, h)) == 0 })
	hub.mu.Lock()
	defer hub.mu.Unlock()
	got := hub.held[0]
	if !bytes.Equal(got.Params, held.Params) || got.Same != held.Same || got.Item != held.Item || got.Name != held.Name || !bytes.Equal(got.Answer, held.Answer) {
		t.Errorf("it is now %+v", got)
	}
}

func TestWhatADeadWrapperSealedIsOpenedByTheHomeAlone(t *testing.T) {
	h, hub, l, stop := sealing(t)
	stop()
	within(t, "the hub is away", func() bool { return !l.Connected() })
	held := secretHeld(t)
	if _, err := l.Hold(testContext(t), held); err != nil {
		t.Fatal(err)
	}
	l.Record(Record{Kind: "tool_call", Status: "ok", Tool: "read"})
	const named = `{"uri":"x://y?token=` + argumentSecret + `"}`
	l.Record(Record{Kind: vocab.RecordRead, Status: "ok", Detail: json.RawMessage(named)})
	if err := l.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if bad := inClear(t, h.Spool); len(bad) > 0 || len(must(filepath.Glob(filepath.Join(h.Spool, "*.ndjson")))) != 1 {
		t.Errorf("in clear: %q", bad)
	}
	keep := t.TempDir()
	if err := os.CopyFS(filepath.Join(keep, "spool"), os.DirFS(h.Spool)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		keys   Keys
		opened bool
	}{
		"by the hub of the home":       {func(server string) []byte { return hub.spool.known(server) }, true},
		"by another home":              {func(string) []byte { return bytes.Repeat([]byte{8}, 32) }, false},
		"by who has no key":            {nil, false},
		"by a key of no use":           {func(string) []byte { return []byte("short") }, false},
		"by the key of another server": {func(server string) []byte { return hub.spool.known(server + "x") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "spool")
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(keep, "spool"))); err != nil {
				t.Fatal(err)
			}
			for _, path := range must(filepath.Glob(filepath.Join(dir, "*"))) {
				if err := os.Chmod(path, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			check := func(from Register) {
				t.Helper()
				if slices.Contains(from.Server.Argv, commandSecret) != c.opened || (from.ServerID == "an id") == c.opened || from.Server.Transport != "stdio" || from.Session != "sealed" {
					t.Errorf("from %+v", from)
				}
			}
			n := 0
			err := ReadHeld(dir, c.keys, func(from Register, got Held) error {
				n++
				check(from)
				if (len(got.Params) > 0) != c.opened || (got.Same == held.Same) != c.opened || (got.Name == held.Name) != c.opened || got.ID != held.ID || !bytes.Equal(got.Answer, held.Answer) {
					t.Errorf("it is now %+v", got)
				}
				return nil
			})
			if err != nil || n != 1 {
				t.Errorf("%d held, %v", n, err)
			}
			n = 0
			err = ReadSpool(dir, c.keys, func(from Register, records []Record) error {
				n += len(records)
				check(from)
				if got := string(records[1].Detail); records[1].Kind != vocab.RecordRead || c.opened && got != named || !c.opened && got != "" {
					t.Errorf("the read names %q", got)
				}
				return nil
			})
			if err != nil || n != 2 {
				t.Errorf("%d records, %v", n, err)
			}
		})
	}
}

// Two files of one wrapper hide the same text in other bytes, and a byte that was changed is found.
func TestASealedPartIsAlwaysOtherBytesAndEachOfThemCounts(t *testing.T) {
	key := &SpoolKey{Server: "an id", Key: bytes.Repeat([]byte{7}, 32)}
	seal := func() []byte {
		register, held := testRegister("one"), Held{ID: vocab.NewRecordID(time.Now()), Params: []byte(`{}`)}
		return must(key.seal(&register, &held))
	}
	one, other := seal(), seal()
	if bytes.Equal(one, other) || bytes.Equal(one[:12], other[:12]) {
		t.Error("one nonce twice")
	}
	for at := range one {
		edited := bytes.Clone(one)
		edited[at] ^= 1
		if _, err := open(edited, key.Key, key.Server); err == nil {
			t.Errorf("byte %d may be changed", at)
		}
	}
	if _, err := open(one, key.Key, "another id"); err == nil {
		t.Error("it opens for another server")
	}
	if _, err := open(one[:8], key.Key, key.Server); err == nil {
		t.Error("a piece opens")
	}
}

func TestAReadWithoutAKeyIsWrittenDownWithoutWhatItNames(t *testing.T) {
	h := away(t)
	l := testLink(t, LinkOptions{Home: h})
	l.Record(Record{Kind: vocab.RecordRead, Status: "blocked", Detail: json.RawMessage(`{"uri":"x://y?token=` + argumentSecret + `"}`)})
	if err := l.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if bad := inClear(t, h.Spool); len(bad) > 0 {
		t.Errorf("in clear: %q", bad)
	}
	n := 0
	err := ReadSpool(h.Spool, nil, func(_ Register, records []Record) error {
		n += len(records)
		return nil
	})
	if err != nil || n != 1 {
		t.Errorf("%d records, %v", n, err)
	}
}

// A wrapper that lives reads its own spool: what a read names reaches the hub that comes back.
func TestWhatAReadNamesReachesTheHubThroughTheSpool(t *testing.T) {
	h := away(t)
	key := &SpoolKey{Server: "an id", Key: bytes.Repeat([]byte{7}, 32)}
	s, err := openSpool(h.Spool, testRegister("one"), key, maxSpool)
	if err != nil {
		t.Fatal(err)
	}
	defer s.f.Close()
	record := Record{ID: vocab.NewRecordID(time.Now()), Time: time.Now().UTC(), Kind: vocab.RecordPrompt, Status: "ok", Detail: json.RawMessage(`{"prompt":"` + argumentSecret + `"}`)}
	if err := s.append([]Record{record}); err != nil {
		t.Fatal(err)
	}
	if bad := inClear(t, h.Spool); len(bad) > 0 {
		t.Errorf("in clear: %q", bad)
	}
	got, err := s.next(10)
	if err != nil || len(got) != 1 || string(got[0].Detail) != string(record.Detail) {
		t.Errorf("%+v, %v", got, err)
	}
}
