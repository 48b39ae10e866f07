package scripted

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// peer is the client's end of a server that runs in the test.
type peer struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	code  chan int
	errs  *bytes.Buffer
}

func start(t *testing.T, args ...string) *peer {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	p := &peer{t: t, in: in, lines: make(chan string, 64), code: make(chan int, 1), errs: new(bytes.Buffer)}
	go func() {
		p.code <- Main(args, fromClient, toClient, p.errs)
		toClient.Close()
	}()
	go func() {
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadString('\n')
			if line != "" {
				p.lines <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				close(p.lines)
				return
			}
		}
	}()
	t.Cleanup(func() { in.Close(); out.Close() })
	return p
}

func startScript(t *testing.T, script Script) *peer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.json")
	if err := script.Save(path); err != nil {
		t.Fatal(err)
	}
	return start(t, path)
}

func (p *peer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) next() string {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		if !ok {
			p.t.Fatal("the server's output ended")
		}
		return line
	case <-time.After(30 * time.Second):
		p.t.Fatal("no line within 30 s")
	}
	return ""
}

func (p *peer) want(line string) {
	p.t.Helper()
	if got := p.next(); got != line {
		p.t.Fatalf("got  %s\nwant %s", got, line)
	}
}

func (p *peer) exit() int {
	p.t.Helper()
	select {
	case code := <-p.code:
		return code
	case <-time.After(30 * time.Second):
		p.t.Fatal("still there after 30 s")
	}
	return -1
}

func call(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"city":"Oslo"}}}`
}

func TestTheWeatherServerDriftsWhileItsFileExists(t *testing.T) {
	drift := filepath.Join(t.TempDir(), "drift")
	p := start(t, "weather", "--drift-when", drift)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`)
	if line := p.next(); !strings.Contains(line, `"protocolVersion":"2025-06-18"`) || !strings.Contains(line, `"instructions":"Ask`) {
		t.Fatal(line)
	}
	list := func(id, tool string) {
		t.Helper()
		p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list"}`)
		p.want(`{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[` + tool + `,` + citiesTool + `]}}`)
	}
	list("2", forecastTool)
	if err := os.WriteFile(drift, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	list("3", forecastDrifted)
	if err := os.Remove(drift); err != nil {
		t.Fatal(err)
	}
	p.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	list("4", forecastTool)
	p.send(call("5", "get_forecast"))
	p.want(`{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"Oslo: sunny at first, 24 degrees; rain on the third day, 17 degrees."}]}}`)
	p.in.Close()
	if code := p.exit(); code != 0 {
		t.Fatalf("exit status %d", code)
	}
}

func TestTheWeatherServerCanChangeInSilenceAndAnswerWithAnOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "now")
	p := start(t, "weather", "--drift-when", file, "--poison-when", file, "--silent")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if strings.Contains(p.next(), `"context"`) { // no notification came in between
			break
		}
	}
	p.send(call("2", "get_forecast"))
	if line := p.next(); !strings.Contains(line, "Ignore all previous instructions") {
		t.Fatal(line)
	}
}

func TestDefinitionsInAScriptKeepTheirBytes(t *testing.T) {
	odd := Verbatim(`{ "name" : "odd", "n":9007199254740993, "m":1.0,"x":"\ud800\/<&>" }`)
	p := startScript(t, Script{Face: Face{Tools: []Verbatim{odd}}})
	p.send(`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`)
	p.want(`{"jsonrpc":"2.0","id":"a","result":{"tools":[` + string(odd) + `]}}`)
	var asObject Verbatim
	if err := json.Unmarshal([]byte(`{ "a":1.0 }`), &asObject); err != nil || asObject != `{ "a":1.0 }` {
		t.Fatal(asObject, err)
	}
}

func TestPages(t *testing.T) {
	items := []Verbatim{`{"name":"a"}`, `{"name":"b"}`, `{"name":"c"}`}
	for name, c := range map[string]struct {
		cursor string
		at     string
		want   string
	}{
		"an honest first page names the second":       {"", "", `"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"2"`},
		"an honest last page names none":              {"", "2", `"tools":[{"name":"c"}]}`},
		"an endless listing goes on past its end":     {"endless", "8", `"tools":[],"nextCursor":"10"`},
		"a listing with one cursor repeats the start": {"same", "again", `"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"again"`},
	} {
		t.Run(name, func(t *testing.T) {
			p := startScript(t, Script{Face: Face{Tools: items, PageSize: 2, Cursor: c.cursor}})
			p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"` + c.at + `"}}`)
			if line := p.next(); !strings.Contains(line, c.want) {
				t.Fatal(line)
			}
		})
	}
}

func TestRules(t *testing.T) {
	for name, c := range map[string]struct {
		rules []Rule
		want  []string
	}{
		"another spelling of the id, then the id after it": {
			[]Rule{{On: "tools/call x", Steps: []Step{{Send: `{"id":${text}}`}, {Send: `{"id":${next}}`}, {Send: `{"id":${id}}`}}}},
			[]string{`{"id":"7"}`, `{"id":8}`, `{"id":7}`}},
		"bytes that are no text": {
			[]Rule{{On: "tools/call", Steps: []Step{{Bytes: []byte("\xff${id}\n")}}}},
			[]string{"\xff7"}},
		"an answer of its own": {
			[]Rule{{On: "tools/call x", Steps: []Step{{Error: `{"code":1,"message":"${arg:city}"}`}}}},
			[]string{`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"Oslo"}}`}},
		"a notification before the usual answer": {
			[]Rule{{On: "tools/call x", Steps: []Step{{Notify: "n", Times: 2}, {Default: true}}}},
			[]string{`{"jsonrpc":"2.0","method":"n"}`, `{"jsonrpc":"2.0","method":"n"}`,
				`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}]}}`}},
		"only from the second time on": {
			[]Rule{{On: "tools/call x", From: 2}},
			[]string{`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}]}}`}},
	} {
		t.Run(name, func(t *testing.T) {
			p := startScript(t, Script{Face: Face{Tools: []Verbatim{}}, Rules: c.rules})
			p.send(call("7", "x"))
			for _, line := range c.want {
				p.want(line)
			}
		})
	}
}

func TestAFaceChangesAfterTheThirdCall(t *testing.T) {
	p := startScript(t, Script{
		Face:  Face{Tools: []Verbatim{`{"name":"x"}`}},
		Faces: map[string]Face{"empty": {Tools: []Verbatim{}}},
		Rules: []Rule{{On: "tools/call x", From: 3, To: 3, Steps: []Step{{Put: "empty"}, {Default: true}}}},
	})
	for _, want := range []string{`[{"name":"x"}]`, `[{"name":"x"}]`, `[]`, `[]`} {
		p.send(call("1", "x"))
		p.next()
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		p.want(`{"jsonrpc":"2.0","id":2,"result":{"tools":` + want + `}}`)
	}
}

func TestAnAnswerBeforeAChangeIsNotTakenForOneAfterIt(t *testing.T) {
	p := startScript(t, Script{
		Face:  Face{Tools: []Verbatim{`{"name":"x"}`}},
		Faces: map[string]Face{"empty": {Tools: []Verbatim{}}},
		Rules: []Rule{{On: "tools/call x", Async: true, Steps: []Step{
			{Notify: "begun"}, {Wait: "answered tools/list"}, {Put: "empty", Notify: "changed"}, {Wait: "answered tools/list as empty"}, {Notify: "seen"},
		}}},
	})
	p.send(call("1", "x"))
	p.want(`{"jsonrpc":"2.0","method":"begun"}`)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	p.want(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"x"}]}}`)
	p.want(`{"jsonrpc":"2.0","method":"changed"}`) // "answered tools/list" would count the answer before it
	p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	p.want(`{"jsonrpc":"2.0","id":3,"result":{"tools":[]}}`)
	p.want(`{"jsonrpc":"2.0","method":"seen"}`)
}

func TestASlowToolGoesOnUntilItIsCancelled(t *testing.T) {
	p := startScript(t, Script{Face: Face{Tools: []Verbatim{}}, Rules: []Rule{
		{On: "tools/call slow", Async: true, Steps: []Step{{Progress: 1}, {Wait: "cancelled"}, {Say: "stopped"}, {Notify: "stopped"}}},
	}})
	p.send(`{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"t"}}}`)
	p.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1,"total":1,"message":"step 1"}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
	p.want(`{"jsonrpc":"2.0","method":"stopped"}`)
}

func TestARequestOfTheServerIsAnsweredInsideACall(t *testing.T) {
	p := startScript(t, Script{Face: Face{Tools: []Verbatim{}}, Rules: []Rule{
		{On: "tools/call ask", Async: true, Steps: []Step{
			{Send: `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage"}`}, {Wait: "answer 1"}, {Default: true}}},
	}})
	p.send(call("1", "ask"))
	p.want(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}`)
	p.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	p.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`)
}

func TestABigLineHasTheBytesAskedFor(t *testing.T) {
	p := startScript(t, Script{Face: Face{Tools: []Verbatim{}}, Rules: []Rule{
		{On: "tools/call front", Steps: []Step{{Big: 1 << 20}}},
		{On: "tools/call back", Steps: []Step{{BigLast: 1 << 20}}},
	}})
	p.send(call("1", "front"))
	if line := p.next(); len(line) != 1<<20 || !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":1,`) {
		t.Fatal(len(line), line[:40])
	}
	p.send(call("1", "back"))
	if line := p.next(); len(line) != 1<<20 || !strings.HasSuffix(line, `,"id":1}`) || !json.Valid([]byte(line)) {
		t.Fatal(len(line))
	}
}

func TestTheServerEndsWithTheStatusAskedFor(t *testing.T) {
	p := startScript(t, Script{Face: Face{Tools: []Verbatim{}}, Rules: []Rule{
		{On: "tools/call die", Steps: []Step{{Exit: 7}, {Default: true}}}}})
	p.send(call("1", "die"))
	if code := p.exit(); code != 7 {
		t.Fatalf("exit status %d", code)
	}
	if line, open := <-p.lines; open {
		t.Fatalf("a line after the end: %s", line)
	}
}

func TestEveryLineReceivedIsInTheLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	p := startScript(t, Script{Log: log, Face: Face{Tools: []Verbatim{}}})
	p.send(`{"jsonrpc":"2.0", "id":1,"method":"ping"}`)
	p.next()
	p.send(`no message`)
	p.in.Close()
	p.exit()
	got, err := os.ReadFile(log)
	if err != nil || string(got) != "{\"jsonrpc\":\"2.0\", \"id\":1,\"method\":\"ping\"}\nno message\n" {
		t.Fatalf("%q %v", got, err)
	}
}

func TestAScriptWithAnUnknownFieldIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(path, []byte(`{"tols":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, path)
	if code := p.exit(); code != 2 || !strings.Contains(p.errs.String(), "tols") {
		t.Fatal(code, p.errs.String())
	}
}
