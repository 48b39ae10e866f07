//go:build linux

package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// rawConn speaks to the hub line by line.
type rawConn struct {
	*net.UnixConn
	*bufio.Reader
}

func rawDial(t *testing.T, h Home) rawConn {
	t.Helper()
	conn, err := net.Dial("unix", h.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return rawConn{conn.(*net.UnixConn), bufio.NewReader(conn)}
}

// ask is one line and its answer; a hello that is challenged enters as well.
func (c rawConn) ask(t *testing.T, line string) (message, error) {
	t.Helper()
	m, err := c.askOnce(t, line)
	var said Challenge
	if err == nil && json.Unmarshal(m.Result, &said) == nil && said.Challenge != "" {
		return c.askOnce(t, `{"jsonrpc":"2.0","id":1,"method":"enter","params":{"challenge":"`+said.Challenge+`"}}`)
	}
	return m, err
}

func (c rawConn) askOnce(t *testing.T, line string) (message, error) {
	t.Helper()
	if _, err := fmt.Fprintln(c.UnixConn, line); err != nil {
		return message{}, err
	}
	answer, err := c.ReadString('\n')
	if err != nil {
		return message{}, err
	}
	var m message
	return m, json.Unmarshal([]byte(answer), &m)
}

const rawHello = `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":2,"version":"x","role":"wrapper"}}`

func TestEveryCallReachesItsMethodAndItsAnswerComesBack(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	ctx := testContext(t)
	c := dial(t, h, RoleCLI)
	if w := c.Welcome(); w.StartedBy != "person" || w.Protocol != Protocol {
		t.Errorf("welcome: %+v", w)
	}
	check := func(name, want string, got string, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	status, err := AskStatus(ctx, c)
	check("status", "held", status.Home, err)
	servers, err := AskServers(ctx, c)
	if err != nil || servers == nil || len(servers) != 0 {
		t.Errorf("no servers is an empty list: %v, %v", servers, err)
	}
	inbox, err := AskInbox(ctx, c)
	if len(inbox) != 1 {
		t.Fatalf("inbox: %v, %v", inbox, err)
	}
	check("inbox", "<script> & co", inbox[0].Title, err)
	item, err := AskItem(ctx, c, "K7QM")
	check("item", "K7QM", item.Code, err)
	decided, err := AskDecide(ctx, c, Decide{Code: "K7QM"})
	check("decide", "K7QM", decided.Code, err)
	blocked, err := AskBlock(ctx, c, Block{Server: "s"})
	check("block", "blocked", blocked.Code, err)
	activity, err := AskActivity(ctx, c, ActivityQuery{After: "a"})
	if len(activity.Items) != 1 {
		t.Fatalf("activity: %v, %v", activity, err)
	}
	check("activity", "a", activity.Items[0].ID, err)
	record, err := AskRecord(ctx, c, "r")
	check("record", "r", record.ID, err)
	verified, err := AskVerify(ctx, c)
	check("verify", "head", verified.Head, err)
	settings, err := AskSettings(ctx, c, SettingQuery{Key: "k"})
	if len(settings) != 1 {
		t.Fatalf("settings: %v, %v", settings, err)
	}
	check("settings", "k", settings[0].Key, err)
	setting, err := AskSetSetting(ctx, c, SettingQuery{Key: "k", Value: "v"})
	check("set_setting", "v", setting.Value, err)
	log, err := AskLog(ctx, c, LogQuery{Server: "s"})
	check("log", "s", log.Text, err)
	if _, err := askStepDown(ctx, c, nothing{}); err == nil {
		t.Error("step_down: it gave way")
	}

	w := dial(t, h, RoleWrapper)
	if _, err := askReport(ctx, w, Report{}); err == nil {
		t.Error("a report before register was taken")
	}
	state, err := w.Register(ctx, testRegister("one"), func(State) {})
	check("register", "approved", string(state.Items["registered"].State), err)
	if _, err := w.Register(ctx, testRegister("one"), func(State) {}); err == nil {
		t.Error("a second register was taken")
	}
	state, err = askReport(ctx, w, Report{})
	check("report", "approved", string(state.Items["reported"].State), err)
	if state.Settings == nil {
		t.Error("a state without its maps")
	}
	acked, err := AskRecords(ctx, w, Records{Records: []Record{{ID: "1"}, {ID: "2"}}})
	if err != nil || acked.Stored != 2 {
		t.Errorf("records: %v, %v", acked, err)
	}
	waiting, err := AskAttention(ctx, w, Attention{Client: "claude"})
	if len(waiting.Items) != 1 {
		t.Fatalf("attention: %v, %v", waiting, err)
	}
	check("attention", "for claude", waiting.Items[0].Code, err)
	err = errors.Join(w.Stderr(ctx, []byte("first ")), w.Stderr(ctx, []byte("second")))
	if _, flushed := askFlush(ctx, w, nothing{}); errors.Join(err, flushed) != nil {
		t.Fatal(err)
	}
	hub.mu.Lock()
	check("stderr", "first second", string(hub.stderr), nil)
	hub.mu.Unlock()
	w.Close()
	within(t, "the wrapper is unregistered", func() bool { return hub.connected() == 0 })
}

func TestTheCommandLineCannotRegister(t *testing.T) {
	h := testHome(t)
	serveHub(t, h, newTestHub(), Options{})
	if _, err := dial(t, h, RoleCLI).Register(testContext(t), testRegister("one"), func(State) {}); err == nil {
		t.Error("it registered")
	}
}

func TestErrorsSayWhatTheyMay(t *testing.T) {
	h := testHome(t)
	serveHub(t, h, newTestHub(), Options{})
	c := dial(t, h, RoleCLI)
	for name, c2 := range map[string]struct {
		code int
		see  string
	}{
		"stale":  {CodeStale, "K7QM"},
		"secret": {CodeInternal, ""},
		"panic":  {CodeInternal, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := AskItem(testContext(t), c, name)
			var refusal *Error
			if !errors.As(err, &refusal) || refusal.Code != c2.code || refusal.See != c2.see || strings.Contains(err.Error(), "/home") {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := AskItem(testContext(t), c, "after"); err != nil {
		t.Errorf("the connection after a panic: %v", err)
	}
}

func TestAnotherProtocolIsToldToRestartClaude(t *testing.T) {
	h := testHome(t)
	serveHub(t, h, newTestHub(), Options{})
	c := rawDial(t, h)
	m, err := c.ask(t, `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"version":"x","role":"wrapper"}}`)
	if err != nil || m.Error == nil || m.Error.Code != CodeProtocol || !strings.Contains(m.Error.Message, "restart Claude") {
		t.Errorf("%+v, %v", m.Error, err)
	}
	if _, err := c.ReadByte(); err == nil {
		t.Error("it was not hung up on")
	}
}

func TestAHubOfAnotherProtocolIsNotTalkedTo(t *testing.T) {
	for name, answers := range map[string][]string{
		"one that refuses":                   {`"error":{"code":4026,"message":"x"}`},
		"one that challenges nobody":         {`"result":{"protocol":1}`},
		"one that welcomes in other numbers": {`"result":{"challenge":"x"}`, `"result":{"protocol":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			ln, err := Listen(h)
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			go func() {
				for {
					conn, err := ln.door.accept()
					if err != nil {
						return
					}
					defer conn.Close()
					asked := bufio.NewReader(conn)
					for _, answer := range answers {
						var m message
						if line, err := asked.ReadBytes('\n'); err == nil && json.Unmarshal(line, &m) == nil {
							fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
						}
					}
				}
			}()
			if _, err := Dial(testContext(t), h, RoleCLI); !errors.Is(err, ErrProtocol) {
				t.Errorf("Dial: %v", err)
			}
			l := testLink(t, LinkOptions{Home: h})
			within(t, "the link says restart Claude", func() bool {
				_, err := l.Report(testContext(t), Report{})
				return errors.Is(err, ErrProtocol) && strings.Contains(err.Error(), "restart Claude")
			})
			if l.State().Open {
				t.Error("open without a hub")
			}
		})
	}
}

// A registration that is larger than what the socket takes waits for a hub that reads, and no longer than it is asked to.
func TestAHubThatReadsNothingIsGivenUp(t *testing.T) {
	h := testHome(t)
	ln, err := Listen(h)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	greeted := make(chan struct{})
	go func() {
		if conn, err := ln.door.accept(); err == nil {
			defer conn.Close()
			close(greeted)
			<-t.Context().Done()
		}
	}()
	ctx, cancel := context.WithCancel(testContext(t))
	go func() {
		<-greeted
		time.Sleep(50 * time.Millisecond)
		cancel()
	}()
	large := testRegister("s")
	large.Server.Argv = []string{"server", strings.Repeat("x", 4<<20)}
	begin := time.Now()
	if _, err := DialWith(ctx, h, DialOptions{Role: RoleWrapper, Register: &large}); !errors.Is(err, context.Canceled) {
		t.Errorf("Dial: %v", err)
	}
	if took := time.Since(begin); took > helloTimeout/2 {
		t.Errorf("it was waited for %s", took)
	}
}

func TestGarbageEndsItsConnectionAndNoOther(t *testing.T) {
	h := testHome(t)
	serveHub(t, h, newTestHub(), Options{})
	honest := dial(t, h, RoleCLI)
	for name, lines := range map[string][]string{
		"no JSON":                  {"hello"},
		"an empty line":            {""},
		"a batch":                  {"[" + rawHello + "]"},
		"another JSON-RPC":         {strings.Replace(rawHello, "2.0", "1.0", 1)},
		"a call before hello":      {`{"jsonrpc":"2.0","id":1,"method":"status","params":{}}`},
		"a hello without an id":    {strings.Replace(rawHello, `"id":1,`, "", 1)},
		"an unknown role":          {strings.Replace(rawHello, "wrapper", "king", 1)},
		"an endless first line":    {strings.Repeat("x", maxHelloLine+1)},
		"an id of a hundred bytes": {rawHello, `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 100) + `","method":"status","params":{}}`},
		"garbage after a hello":    {rawHello, "\x00\xff"},
	} {
		t.Run(name, func(t *testing.T) {
			c := rawDial(t, h)
			var err error
			for _, line := range lines {
				var m message
				if m, err = c.ask(t, line); err == nil && m.Error != nil {
					_, err = c.ReadByte()
				}
			}
			if err == nil {
				t.Error("the connection still stands")
			}
			if _, err := AskStatus(testContext(t), honest); err != nil {
				t.Errorf("the honest one: %v", err)
			}
		})
	}
	for name, line := range map[string]string{
		"an unknown method":                `{"jsonrpc":"2.0","id":7,"method":"approve_all","params":{}}`,
		"parameters of another type":       `{"jsonrpc":"2.0","id":7,"method":"item","params":[1]}`,
		"no parameters":                    `{"jsonrpc":"2.0","id":7,"method":"item"}`,
		"a wrapper's call, not registered": `{"jsonrpc":"2.0","id":7,"method":"records","params":{}}`,
	} {
		t.Run(name+" gets an answer", func(t *testing.T) {
			c := rawDial(t, h)
			if _, err := c.ask(t, rawHello); err != nil {
				t.Fatal(err)
			}
			if m, err := c.ask(t, line); err != nil || m.Error == nil || string(m.ID) != "7" {
				t.Errorf("%+v, %v", m, err)
			}
		})
	}
}

func TestALineBeyondTheBoundIsNotKept(t *testing.T) {
	in := newLines(strings.NewReader(`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 5000) + "\"}\n"))
	if _, err := in.next(4000); !errors.Is(err, errLineTooLong) {
		t.Errorf("%v", err)
	}
	in = newLines(strings.NewReader(`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 50000) + "\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"y\"}\n{\"jsonrpc\""))
	if m, err := in.next(60000); err != nil || len(m.Method) != 50000 {
		t.Errorf("a long line: %v", err)
	}
	if m, err := in.next(60000); err != nil || m.Method != "y" {
		t.Errorf("the line after it: %v", err)
	}
	if m, err := in.next(60000); err == nil {
		t.Errorf("a line that was cut: %+v", m)
	}
}

func TestAPushOvertakesACallThatTakesItsTime(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	hub.hold = make(chan struct{})
	serveHub(t, h, hub, Options{})
	defer close(hub.hold)
	c := dial(t, h, RoleWrapper)
	pushed := make(chan State, 8)
	if _, err := c.Register(testContext(t), testRegister("one"), func(s State) { pushed <- s }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(testContext(t))
	held := make(chan error, 1)
	go func() {
		_, err := AskStatus(ctx, c)
		held <- err
	}()
	if _, err := askFlush(testContext(t), c, nothing{}); err != nil {
		t.Fatal(err)
	}
	hub.approve("tool:echo")
	if s := <-pushed; s.Items["tool:echo"].State != "approved" {
		t.Errorf("pushed: %+v", s)
	}
	cancel()
	if err := <-held; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that was given up: %v", err)
	}
	if _, err := AskAttention(testContext(t), c, Attention{Client: "x"}); err != nil {
		t.Errorf("the connection after it: %v", err)
	}
}

func TestAWrapperThatDoesNotReadHoldsNobodyAndGetsTheNewestState(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	c := rawDial(t, h)
	if _, err := c.ask(t, rawHello); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ask(t, `{"jsonrpc":"2.0","id":2,"method":"register","params":{"server":{"transport":"stdio","name":"s"},"session":"one"}}`); err != nil {
		t.Fatal(err)
	}
	var last uint64
	for range 3000 { // far beyond what the socket holds
		last = hub.approve("tool:" + strings.Repeat("x", 4000))
	}
	seen := 0
	for {
		line, err := c.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var m message
		var s State
		if err := errors.Join(json.Unmarshal(line, &m), json.Unmarshal(m.Params, &s)); err != nil {
			t.Fatal(err)
		}
		if seen++; s.Revision == last {
			break
		}
	}
	if seen >= 3000 {
		t.Errorf("all %d states were kept", seen)
	}
}
