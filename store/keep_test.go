package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestServerIDTellsArgumentVectorsApart(t *testing.T) {
	seen := map[string]string{}
	for name, id := range map[string]string{
		"one command":              ServerID("stdio", []string{"npx", "-y", "a"}, ""),
		"joined differently":       ServerID("stdio", []string{"npx", "-y a"}, ""),
		"joined into one":          ServerID("stdio", []string{"npx -y a"}, ""),
		"with an empty argument":   ServerID("stdio", []string{"npx", "-y", "a", ""}, ""),
		"a zero byte inside":       ServerID("stdio", []string{"npx\x00-y", "a"}, ""),
		"invalid UTF-8":            ServerID("stdio", []string{"npx", "-y", "\xff"}, ""),
		"other invalid UTF-8":      ServerID("stdio", []string{"npx", "-y", "\xfe"}, ""),
		"a URL":                    ServerID("url", nil, "https://example.org/mcp"),
		"the URL as an argument":   ServerID("url", []string{"https://example.org/mcp"}, ""),
		"the URL with a slash":     ServerID("url", nil, "https://example.org/mcp/"),
		"the URL in another case":  ServerID("url", nil, "https://Example.org/mcp"),
		"a command that is a URL":  ServerID("stdio", []string{"https://example.org/mcp"}, ""),
		"nothing but a transport":  ServerID("stdio", nil, ""),
		"transport in the command": ServerID("", []string{"stdio"}, ""),
	} {
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q have one id", name, other)
		}
		if len(id) != 64 {
			t.Errorf("%s: id %q", name, id)
		}
		seen[id] = name
	}
	if again := ServerID("stdio", []string{"a"}, ""); again != ServerID("stdio", []string{"a"}, "") {
		t.Error("one server, two ids")
	}
}

func TestPinsAreKeptApartByServerEraAndItem(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	long := "tool:" + strings.Repeat("n", 40_000)
	var pins []Pin
	for _, server := range []string{"a", "ab", "b"} {
		for _, era := range []string{"", "legacy", "modern"} {
			for _, item := range []string{"instructions", "tool:x", "tool:x\x00", "tool:x\x00y", "tool:", long, long + "n", "tool:\xff"} {
				pins = append(pins, Pin{ServerID: server, Era: era, Item: item, Digest: fmt.Sprintf("%s|%s|%d %x", server, era, len(item), item[len(item)-1:]), Raw: []byte("\xff\x00 {\"a\": 1.0}")})
			}
		}
	}
	update(t, s, func(tx *Tx) error {
		for _, p := range pins {
			if err := tx.PutPin(p); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, s, func(tx *Tx) error {
		for _, want := range pins {
			got, err := tx.Pin(want.ServerID, want.Era, want.Item)
			if err != nil || got.Digest != want.Digest || string(got.Raw) != string(want.Raw) {
				t.Errorf("%.40q: got %.40q %v", want.Digest, got.Digest, err)
			}
		}
		for _, server := range []string{"a", "ab", "b"} {
			if got, _, err := tx.Pins(server); err != nil || len(got) != len(pins)/3 {
				t.Errorf("server %s has %d pins, %v", server, len(got), err)
			}
		}
		for _, id := range []string{"", "a\x00b", strings.Repeat("x", 300)} {
			if err := tx.PutPin(Pin{ServerID: id, Item: "tool:x"}); err == nil {
				t.Errorf("server id %.10q was taken", id)
			}
		}
		if err := tx.PutPin(Pin{ServerID: "a", Era: "legacy\x00", Item: "tool:x"}); err == nil {
			t.Error("an era with a zero byte was taken")
		}
		return nil
	})
}

func TestHistoryIsOfOneItemAndInOrder(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	update(t, s, func(tx *Tx) error {
		for i, e := range []Event{
			{Item: "tool:x", Action: "trust"}, {Item: "tool:x\x00\x00\x00\x00\x00\x00\x00\x00\x01", Action: "approve"},
			{Item: "tool:xy", Action: "approve"}, {Item: "tool:x", Action: "replace"}, {Item: "tool:x", Action: "block"},
		} {
			e.ServerID, e.At = "s", time.Unix(int64(i), 0)
			if err := tx.AddHistory(e); err != nil {
				return err
			}
		}
		return tx.AddHistory(Event{ServerID: "other", Item: "tool:x", Action: "approve"})
	})
	err := s.View(func(tx *Tx) error {
		events, err := tx.History("s", "tool:x")
		var actions []string
		for _, e := range events {
			actions = append(actions, string(e.Action))
		}
		if got := strings.Join(actions, " "); got != "trust replace block" {
			t.Errorf("history %q", got)
		}
		all, err2 := tx.History("s", "")
		if len(all) != 5 {
			t.Errorf("%d events of the server", len(all))
		}
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestInbox(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	codes := map[string]bool{}
	update(t, s, func(tx *Tx) error {
		for i := range 300 {
			code, err := tx.NewCode()
			if err != nil {
				return err
			}
			if len(code) != 4 || strings.Trim(code, codeAlphabet) != "" || codes[code] {
				t.Errorf("code %q", code)
			}
			codes[code] = true
			it := Item{Code: code, Kind: "changed", ServerID: "s", Created: time.Unix(int64(1000-i), 0)}
			if i%3 == 0 {
				it.Decided, it.DecidedAt = "approved", time.Unix(int64(i), 0)
			}
			if err := tx.PutItem(it); err != nil {
				return err
			}
		}
		return tx.PutItem(Item{Code: "AAAA", Kind: "new_server", ServerID: "n"})
	})
	err := s.View(func(tx *Tx) error {
		waiting := tx.Waiting()
		if len(waiting) != 201 {
			t.Errorf("%d wait", len(waiting))
		}
		for i := 1; i < len(waiting); i++ {
			if waiting[i].Created.Before(waiting[i-1].Created) {
				t.Fatal("not oldest first")
			}
		}
		if it, err := tx.WaitingFor("n", "new_server"); err != nil || it.Code != "AAAA" {
			t.Errorf("%+v, %v", it, err)
		}
		if _, err := tx.WaitingFor("n", "changed"); !errors.Is(err, ErrNotFound) {
			t.Errorf("a kind that does not wait: %v", err)
		}
		if it, err := tx.Item("aaaa"); err != nil || it.Code != "AAAA" {
			t.Errorf("a code in lower case: %+v, %v", it, err)
		}
		if _, err := tx.Item("ZZZZZ"); !errors.Is(err, ErrNotFound) {
			t.Errorf("an unknown code: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	update(t, s, func(tx *Tx) error {
		it, err := tx.Item("AAAA")
		if err != nil {
			return err
		}
		it.Decided, it.DecidedAt, it.Next = "superseded", time.Unix(5000, 0), "BBBB"
		if err := tx.PutItem(it); err != nil {
			return err
		}
		if it, err := tx.Item("AAAA"); err != nil || it.Next != "BBBB" {
			t.Errorf("a decided item: %+v, %v", it, err)
		}
		if _, err := tx.WaitingFor("n", "new_server"); !errors.Is(err, ErrNotFound) {
			t.Errorf("it still waits: %v", err)
		}
		n, err := tx.DeleteDecidedBefore(time.Unix(4999, 0))
		if n != 100 {
			t.Errorf("%d old items went", n)
		}
		return err
	})
}

func TestATransactionThatFailsLeavesNothing(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	stop := errors.New("stop")
	write := func(tx *Tx) error {
		_, err := tx.Append(Record{ID: "r", Kind: "approval"})
		return errors.Join(err, tx.PutServer(Server{ID: "s"}), tx.PutPin(Pin{ServerID: "s", Item: "tool:a"}))
	}
	if err := s.Update(func(tx *Tx) error { return errors.Join(write(tx), stop) }); !errors.Is(err, stop) {
		t.Fatalf("error %v", err)
	}
	func() {
		defer func() {
			if p := recover(); p != "a mistake of the caller" {
				t.Errorf("recovered %v", p)
			}
		}()
		_ = s.Update(func(tx *Tx) error {
			if err := write(tx); err != nil {
				t.Error(err)
			}
			panic("a mistake of the caller")
		})
	}()
	err := s.View(func(tx *Tx) error {
		if _, err := tx.Server("s"); !errors.Is(err, ErrNotFound) {
			t.Errorf("server: %v", err)
		}
		if pins, _, _ := tx.Pins("s"); len(pins) > 0 {
			t.Errorf("pins: %v", pins)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// The store still works: a caller's mistake is not damage of the file.
	update(t, s, write)
	if v, err := s.Verify(nil); err != nil || v.Bad != "" || v.Records != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestAClosedStoreSaysSo(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	mustClose(t, s)
	if err := s.Update(func(*Tx) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("update: %v", err)
	}
	if _, err := s.AppendNow(Record{}); !errors.Is(err, ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if _, err := s.Verify(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("verify: %v", err)
	}
}
