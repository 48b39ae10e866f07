package app

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	bolt "go.etcd.io/bbolt"
)

const sendAll = `{"to":"all@example.com","body":"Hello"}`

// callOf is a call of the tool send, as a wrapper asks about it.
func callOf(t testing.TB, arguments string) control.Call {
	t.Helper()
	same, err := pin.RequestDigest("tools/call", []byte(`{"name":"send","arguments":`+arguments+`}`))
	if err != nil {
		t.Fatal(err)
	}
	it := tool("send", "Sends a mail.")
	digest, err := pin.DigestOf(it.Kind, it.Name, it.Raw)
	if err != nil {
		t.Fatal(err)
	}
	return control.Call{Item: "tool:send", Defined: digest, Same: same, Arguments: []byte(arguments), Check: vocab.CheckAsk}
}

func (s *server) calls(call control.Call) control.CallAnswer {
	s.p.t.Helper()
	answer, err := s.p.Call(s, call)
	if err != nil {
		s.p.t.Fatal(err)
	}
	return answer
}

func (s *server) wants(call control.Call, state vocab.CallState, code string) {
	s.p.t.Helper()
	if got := s.calls(call); got.State != state || got.Code != code {
		s.p.t.Errorf("the call is %+v, want %s %s", got, state, code)
	}
}

func TestACallThatWaitsIsShownWithItsArguments(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	call := callOf(t, `{"to":"a@example.com","password":"hunter2 again"}`)
	first := w.calls(call)
	it := p.item()
	if first.State != vocab.CallWaiting || it.Code != first.Code || it.Kind != "call_waiting" || it.Severity != "review" || it.Title != "mail: a call of send needs your review" || it.Client != "claude-desktop" {
		t.Fatalf("answer %+v, item %+v", first, it)
	}
	if it.Call == nil || it.Call.Tool != "send" || it.Call.Arguments != nil || it.Call.ToolDigest != call.Defined || string(it.Call.Digest) != string(it.Digest) || len(it.Reasons) != 1 || it.Reasons[0].Check != "ask" {
		t.Errorf("the call %+v, reasons %+v", it.Call, it.Reasons)
	}
	if wait := it.Expires.Sub(it.Created); wait.Round(time.Minute) != 24*time.Hour {
		t.Errorf("it waits for %s", wait)
	}
	detail, err := p.Item(first.Code)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(detail.Call.Arguments); got != `{"to":"a@example.com","password":"***"}` {
		t.Errorf("arguments %s", got)
	}
	w.wants(call, vocab.CallWaiting, first.Code)
	p.item()
	if w.calls(callOf(t, sendAll)).Code == first.Code {
		t.Error("another call has the same item")
	}
}

func TestAnAllowedCallPassesOnceForItsClientAndServer(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	call := callOf(t, sendAll)
	code := w.calls(call).Code
	if d := p.approve(p.item()); len(d.Approved) != 1 || d.Server != "mail" {
		t.Fatalf("decided %+v", d)
	}
	p.quiet()
	all := p.records("approval")
	if last := all[len(all)-1]; last.Code != code || last.Tool != "send" || last.Summary != `a call of the tool "send" was allowed once by a person` {
		t.Errorf("recorded %+v", last)
	}
	for name, other := range map[string]func() control.CallAnswer{
		"other arguments":    func() control.CallAnswer { return w.calls(callOf(t, `{"to":"all@example.com","body":"hello"}`)) },
		"another client":     func() control.CallAnswer { return p.wrapFor("cursor", "mail").calls(call) },
		"another definition": func() control.CallAnswer { return another(t, w, call) },
	} {
		if got := other(); got.State == vocab.CallGranted || got.Code == code {
			t.Errorf("%s: %+v", name, got)
		}
	}
	second := p.wrap("mail") // another wrapper of the same client and server
	second.wants(call, vocab.CallGranted, code)
	for _, s := range []*server{w, second} {
		if got := s.calls(call); got.State != vocab.CallWaiting || got.Code == code {
			t.Errorf("a second time: %+v", got)
		}
	}
	detail, err := p.Item(code)
	if err != nil || !detail.Call.Used || detail.Call.Arguments != nil {
		t.Errorf("afterwards %+v, %v", detail.Call, err)
	}
}

// another is the call for another definition, which nobody allowed.
func another(t *testing.T, w *server, call control.Call) control.CallAnswer {
	t.Helper()
	call.Defined = "0000"
	answer, err := w.p.Call(w, call)
	wantError(t, err, control.CodeStale)
	return answer
}

// 200 identical calls at once, through two wrappers, on one grant.
func TestOfManyIdenticalCallsOneTakesTheGrant(t *testing.T) {
	p := newPlace(t)
	w, other := mailServer(t, p), p.wrap("mail")
	call := callOf(t, sendAll)
	code := w.calls(call).Code
	p.approve(p.item())
	var all sync.WaitGroup
	answers := make(chan control.CallAnswer, 200)
	for n := range 200 {
		all.Go(func() {
			answer, err := p.Call([]*server{w, other}[n%2], call)
			if err != nil {
				t.Error(err)
			}
			answers <- answer
		})
	}
	all.Wait()
	close(answers)
	granted, codes := 0, map[string]bool{}
	for answer := range answers {
		if answer.State == vocab.CallGranted {
			granted++
			continue
		}
		codes[answer.Code] = true
	}
	if granted != 1 || len(codes) != 1 || codes[code] {
		t.Errorf("%d of 200 passed; the others wait as %v", granted, codes)
	}
}

func TestADecisionOnACallCountsForTenMinutes(t *testing.T) {
	for _, reject := range []bool{false, true} {
		p := newPlace(t)
		w := mailServer(t, p)
		call := callOf(t, sendAll)
		code := w.calls(call).Code
		if it := p.item(); reject {
			p.reject(it)
		} else {
			p.approve(it)
		}
		p.at.pass(9 * time.Minute)
		if reject {
			w.wants(call, vocab.CallRefused, code)
		}
		p.TendCalls()
		if d, err := p.Item(code); err != nil || string(d.Call.Arguments) != sendAll {
			t.Errorf("after nine minutes: %+v, %v", d.Call, err)
		}
		p.at.pass(time.Minute)
		if got := w.calls(call); got.State != vocab.CallWaiting || got.Code == code {
			t.Errorf("after ten minutes, rejected %v: %+v", reject, got)
		}
		p.TendCalls()
		if d, err := p.Item(code); err != nil || d.Call.Arguments != nil {
			t.Errorf("its arguments are kept: %+v, %v", d.Call, err)
		}
		_, err := p.Decide(person, control.Decide{Code: code, Digest: p.mustItem(code).Digest})
		if err == nil {
			t.Error("it can still be allowed")
		}
	}
}

func (p *place) mustItem(code string) control.ItemDetail {
	p.t.Helper()
	d, err := p.Item(code)
	if err != nil {
		p.t.Fatal(err)
	}
	return d
}

func TestARefusedCallCanStillBeAllowedByItsCode(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	call := callOf(t, sendAll)
	code := w.calls(call).Code
	it := p.item()
	p.reject(it)
	w.wants(call, vocab.CallRefused, code)
	p.approve(it)
	w.wants(call, vocab.CallGranted, code)
}

func TestACallWaitsForADay(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	call := callOf(t, sendAll)
	code := w.calls(call).Code
	p.at.pass(23 * time.Hour)
	w.wants(call, vocab.CallWaiting, code)
	p.at.pass(time.Hour)
	it := p.item()
	_, err := p.Decide(person, control.Decide{Code: code, Digest: it.Digest})
	wantError(t, err, control.CodeStale)
	p.TendCalls()
	p.quiet()
	if got := w.calls(call); got.State != vocab.CallWaiting || got.Code == code {
		t.Errorf("made again: %+v", got)
	}
	if d := p.mustItem(code); d.Decided != vocab.DecidedWithdrawn || d.Call.Arguments != nil {
		t.Errorf("it is %s, arguments %s", d.Decided, d.Call.Arguments)
	}
}

func TestAtMostTwentyCallsOfAServerWait(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	var newest string
	for n := range control.MostCalls {
		newest = w.calls(callOf(t, fmt.Sprintf(`{"n":%d}`, n))).Code
	}
	for n := range 3 {
		w.wants(callOf(t, fmt.Sprintf(`{"more":%d}`, n)), vocab.CallFull, newest)
	}
	p.TendCalls()
	if got := p.mustItem(newest).Call.More; got != 3 {
		t.Errorf("counted %d", got)
	}
	if got := p.wrapFor("cursor", "mail").calls(callOf(t, sendAll)); got.State != vocab.CallWaiting {
		t.Errorf("another client: %+v", got)
	}
	if n := len(p.inboxNow()); n != control.MostCalls+1 {
		t.Errorf("%d items", n)
	}
	p.reject(p.mustItem(newest).InboxItem)
	if got := w.calls(callOf(t, `{"more":1}`)); got.State != vocab.CallWaiting {
		t.Errorf("once one is decided: %+v", got)
	}
}

func TestAGrantEndsWithTheApprovalOfItsTool(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	call := callOf(t, sendAll)
	code := w.calls(call).Code
	p.approve(p.item())
	blocked, err := p.Block(person, control.Block{Server: "mail", Items: []string{"tool:send"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Call(w, call)
	wantError(t, err, control.CodeStale)
	it := p.mustItem(blocked.Code)
	p.approveAll(it.InboxItem)
	if got := w.calls(call); got.State != vocab.CallWaiting || got.Code == code {
		t.Errorf("allowed again, the old grant counts: %+v", got)
	}
	if _, err := p.Block(person, control.Block{Server: "mail", Items: []string{"tool:send"}}); err != nil {
		t.Fatal(err)
	}
	p.TendCalls()
	for _, it := range p.inboxNow() {
		if it.Kind == vocab.ItemCallWaiting {
			t.Errorf("a call of a blocked tool waits: %+v", it)
		}
	}
}

func TestACallThatNoWrapperSendsIsRefused(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	for name, change := range map[string]func(*control.Call){
		"of no tool":                  func(c *control.Call) { c.Item = "prompt:send" },
		"without a digest":            func(c *control.Call) { c.Same = "" },
		"with arguments of no JSON":   func(c *control.Call) { c.Arguments = []byte(`{"a":`) },
		"with arguments nobody reads": func(c *control.Call) { c.Arguments = []byte(`"` + strings.Repeat("x", control.MaxCallArguments) + `"`) },
		"for another reason":          func(c *control.Call) { c.Check = "because" },
	} {
		call := callOf(t, sendAll)
		change(&call)
		if _, err := p.Call(w, call); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	p.quiet()
}

const crashWrapper = "before-the-kill"

// crashCall takes one call all the way: asked, allowed, taken. It is killed on the way.
func crashCall(hub *Hub) error {
	w := &stage.Ears{}
	_, err := hub.Register(w, control.Peer{PID: 1, Role: control.RoleWrapper}, control.Register{
		Server: control.ServerRef{Transport: "stdio", Argv: weather, Name: "mail"}, Client: "claude-desktop", Session: crashWrapper,
	})
	if err != nil {
		return err
	}
	if _, err := hub.Report(w, control.Report{Era: "legacy", Items: []pin.Item{tool("send", "Sends a mail.")}}); err != nil {
		return err
	}
	decide := func() error {
		items, err := hub.Inbox()
		if err != nil {
			return err
		}
		_, err = hub.Decide(person, control.Decide{Code: items[0].Code, Digest: items[0].Digest})
		return err
	}
	if err := decide(); err != nil {
		return err
	}
	same, err := pin.RequestDigest("tools/call", []byte(`{"name":"send","arguments":`+sendAll+`}`))
	if err != nil {
		return err
	}
	it := tool("send", "Sends a mail.")
	digest, err := pin.DigestOf(it.Kind, it.Name, it.Raw)
	if err != nil {
		return err
	}
	call := control.Call{Item: "tool:send", Defined: digest, Same: same, Arguments: []byte(sendAll), Check: vocab.CheckAsk}
	if _, err := hub.Call(w, call); err != nil {
		return err
	}
	if err := decide(); err != nil {
		return err
	}
	_, err = hub.Call(w, call)
	return err
}

// The hub is killed between a person's decision and the call, while the call takes the grant, and right after it.
func TestAKilledHubKeepsAGrantAndGivesItOnce(t *testing.T) {
	for point, state := range map[string]vocab.CallState{"call asked": vocab.CallWaiting, "call allowed": vocab.CallGranted, "call": vocab.CallGranted, "called": vocab.CallWaiting} {
		t.Run("killed at "+point, func(t *testing.T) {
			root := t.TempDir()
			home, err := control.HomeAt(filepath.Join(root, "home"))
			if err != nil {
				t.Fatal(err)
			}
			killed(t, root, "call", point)
			p := open(t, home, func(o *Options) { o.Now = nil })
			w := p.back("claude-desktop", crashWrapper, "mail", weather...)
			call := callOf(t, sendAll)
			got := w.calls(call)
			if got.State != state {
				t.Fatalf("the call is %+v, want %s", got, state)
			}
			if again := w.calls(call); again.State == vocab.CallGranted {
				t.Errorf("it passes a second time: %+v", again)
			}
			p.item()
		})
	}
}

// allowedForGood has a person allow a call for good, and returns its item's code.
func (s *server) allowedForGood(call control.Call) (code string) {
	s.p.t.Helper()
	code = s.calls(call).Code
	if _, err := s.p.Decide(person, control.Decide{Code: code, Digest: s.p.item().Digest, All: true, Always: true}); err != nil {
		s.p.t.Fatal(err)
	}
	return code
}

func TestACallAllowedForGoodPassesEachTimeUntilThatIsTakenBack(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	call := callOf(t, sendAll)
	code := w.allowedForGood(call)
	p.quiet()
	cursor := p.wrapFor("cursor", "mail")
	for range 3 {
		w.wants(call, vocab.CallGranted, code)
		cursor.wants(call, vocab.CallGranted, code)
	}
	for name, other := range map[string]func() control.CallAnswer{
		"other arguments": func() control.CallAnswer { return w.calls(callOf(t, `{"to":"all@example.com","body":"hello"}`)) },
		"a number otherwise": func() control.CallAnswer {
			return w.calls(callOf(t, `{"to":"all@example.com","body":"Hello","n":1.0}`))
		},
		"another definition": func() control.CallAnswer { return another(t, w, call) },
	} {
		if got := other(); got.State == vocab.CallGranted {
			t.Errorf("%s: %+v", name, got)
		}
	}
	all, err := p.AllowedCalls()
	if err != nil || len(all) != 1 || all[0].Tool != "send" || all[0].Server != "mail" || all[0].Value != sendAll || all[0].Code != code || all[0].Uses != 6 || all[0].Used.IsZero() {
		t.Fatalf("%+v, %v", all, err)
	}
	p.TendCalls() // writes down how often it was used
	p = p.again()
	w = p.wrap("mail")
	w.wants(call, vocab.CallGranted, code)
	if all, _ = p.AllowedCalls(); len(all) != 1 || all[0].Uses != 7 {
		t.Fatalf("after a restart %+v", all)
	}
	gone, err := p.ForgetCall(inside, all[0].ID) // it only tightens
	if err != nil || gone.ID != all[0].ID {
		t.Fatalf("%+v, %v", gone, err)
	}
	if got := w.calls(call); got.State != vocab.CallWaiting || got.Code == code {
		t.Errorf("taken back, it is %+v", got)
	}
	if _, err := p.ForgetCall(person, gone.ID); err == nil {
		t.Error("it was taken back twice")
	}
	p = p.again()
	if all, err := p.AllowedCalls(); err != nil || len(all) != 0 {
		t.Errorf("after another restart %+v, %v", all, err)
	}
}

func TestOnlyAPersonAllowsACallForGoodAndNothingElseIs(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	call := callOf(t, sendAll)
	code := w.calls(call).Code
	it := p.item()
	if _, err := p.Decide(inside, control.Decide{Code: code, Digest: it.Digest, All: true, Always: true}); err == nil {
		t.Error("a server allowed it")
	}
	w.wants(call, vocab.CallWaiting, code)
	other := p.wrap("other", "npx", "another")
	other.report(tool("send", "Sends."))
	for _, it := range p.inboxNow() {
		if it.Code != code {
			_, err := p.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest, All: true, Always: true})
			wantError(t, err, control.CodeBadRequest)
		}
	}
}

// A record with a valid seal, put back after a person took it back, allows nothing.
func TestACallThatWasTakenBackIsNotAllowedByAnOlderRecord(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	call := callOf(t, sendAll)
	w.allowedForGood(call)
	all, err := p.AllowedCalls()
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	key, bucket := []byte(all[0].ID), []byte("allowed-calls")
	inStore := func(f func(*bolt.Bucket) error) {
		t.Helper()
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		db, err := bolt.Open(p.home.Store, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Update(func(tx *bolt.Tx) error { return f(tx.Bucket(bucket)) }); err != nil || db.Close() != nil {
			t.Fatal(err)
		}
		at := p.at
		p = open(t, p.home, func(o *Options) { o.Now = at.now })
		p.at = at
	}
	var older []byte
	inStore(func(b *bolt.Bucket) error { older = bytes.Clone(b.Get(key)); return nil })
	if _, err := p.ForgetCall(person, all[0].ID); err != nil || len(older) == 0 {
		t.Fatal(err)
	}
	inStore(func(b *bolt.Bucket) error { return b.Put(key, older) })
	if all, err := p.AllowedCalls(); err != nil || len(all) != 0 {
		t.Errorf("allowed for good: %+v, %v", all, err)
	}
	w = p.wrap("mail")
	if answer, err := p.Call(w, call); err == nil && answer.State == vocab.CallGranted {
		t.Errorf("the call is %+v", answer)
	}
}
