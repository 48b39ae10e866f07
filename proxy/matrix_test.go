package proxy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// What passes (docs/relay.md, "What a client can ask for"), walked by a scripted client and server: every row, for a server that nobody has
// reviewed and for an open one, in every protocol version. What counts is what reached the other side.

// fate is what becomes of a message.
type fate int

const (
	passes   fate = iota // it reaches the other side, and a request gets its response
	refusing             // the sender gets a refusal in our words
	ours                 // the sender gets a response of ours
	nothing              // it is dropped
)

// everyVersion runs f in each protocol version.
func everyVersion(t *testing.T, f func(t *testing.T, v version)) {
	for _, v := range control.Spoken {
		t.Run(v, func(t *testing.T) { f(t, version(v)) })
	}
}

type version string

func (v version) modern() bool { return string(v) > control.Legacy[len(control.Legacy)-1] }

// start makes a session in this version with a server that declares one of each kind.
func (v version) start(t *testing.T, open bool) *rig {
	approve := approveNone
	if open {
		approve = func(i pin.Item) bool { return !strings.HasPrefix(i.Name, "other") }
	}
	r := newRig(t, approve, func(r *rig) {
		r.server.modern = true
		r.server.speaks = string(v)
		r.server.capabilities = `{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true},"logging":{},"completions":{},"tasks":{}}`
		r.server.tools = []string{echoTool, `{"name":"other","inputSchema":{"type":"object"}}`}
		r.server.prompts = []string{`{"name":"plan"}`, `{"name":"other"}`}
		r.server.templates = []string{`{"name":"city","uriTemplate":"city://{name}"}`}
		r.server.resources = []string{`{"name":"a","uri":"file:///a"}`}
	})
	if v.modern() {
		r.ask(`"first"`, "tools/list", "")
		return r
	}
	r.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + string(v) + `","capabilities":{},"clientInfo":{"name":"claude-ai","version":"1"}}}`)
	r.answerTo(`"init"`)
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":"first","method":"tools/list"}`)
	r.answerTo(`"first"`)
	return r
}

// request sends a request in this version and returns its response.
func (v version) request(r *rig, id, method, params string) string {
	if v.modern() {
		return r.ask(id, method, params)
	}
	r.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`)
	return r.answerTo(id)
}

func TestEveryRequestOfAClientInEveryVersion(t *testing.T) {
	rows := []struct {
		method, params string
		fresh, open    fate
	}{
		{"ping", ``, passes, passes},
		{"logging/setLevel", `"level":"info"`, passes, passes},
		{"tools/list", ``, ours, passes},
		{"prompts/list", ``, ours, passes},
		{"resources/list", ``, ours, passes},
		{"resources/templates/list", ``, ours, passes},
		{"tools/call", `"name":"echo"`, refusing, passes},
		{"tools/call", `"na\u006de":"ech\u006f"`, refusing, passes},
		{"tools/call", `"name":"other"`, refusing, refusing},
		{"tools/call", `"name":"unlisted"`, refusing, refusing},
		{"tools/call", `"name":"` + toolApprove + `"`, ours, ours},
		{"tools/call", ``, refusing, refusing},
		{"prompts/get", `"name":"plan"`, refusing, passes},
		{"prompts/get", `"name":"other"`, refusing, refusing},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"plan"},"argument":{"name":"a","value":"b"}`, refusing, passes},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"other"},"argument":{"name":"a","value":"b"}`, refusing, refusing},
		{"completion/complete", `"ref":{"type":"ref/resource","uri":"city://{name}"},"argument":{"name":"a","value":"b"}`, refusing, passes},
		{"completion/complete", `"ref":{"type":"ref/resource","uri":"other://{name}"},"argument":{"name":"a","value":"b"}`, refusing, refusing},
		{"resources/read", `"uri":"file:///a"`, refusing, passes},
		{"resources/subscribe", `"uri":"file:///a"`, refusing, passes},
		{"resources/unsubscribe", `"uri":"file:///a"`, refusing, passes},
		{"tasks/get", `"taskId":"unknown"`, refusing, refusing},
		{"tasks/result", `"taskId":"unknown"`, refusing, refusing},
		{"tasks/update", `"taskId":"unknown"`, refusing, refusing},
		{"tasks/cancel", `"taskId":"unknown"`, refusing, refusing},
		{"tasks/list", ``, refusing, passes},
		{"roots/list", ``, refusing, passes},
		{"sampling/createMessage", `"messages":[]`, refusing, passes},
		{"elicitation/create", `"message":"m"`, refusing, passes},
		{"com.example/unknown", `"a":1`, refusing, passes},
		{"tools/describe", `"name":"other"`, refusing, passes},
	}
	everyVersion(t, func(t *testing.T, v version) {
		for _, open := range []bool{false, true} {
			r := v.start(t, open)
			for n, row := range rows {
				want, column := row.fresh, "new"
				if open {
					want, column = row.open, "open"
				}
				id := fmt.Sprintf(`"row-%d"`, n)
				got := v.request(r, id, row.method, row.params)
				name := fmt.Sprintf("%s {%s} to a server that is %s", row.method, row.params, column)
				if reached := r.server.got(`"id":` + id + `,`); reached != (want == passes) {
					t.Errorf("%s: it reached the server: %v; the client got %s", name, reached, got)
				}
				if (want == refusing) != refused(got) {
					t.Errorf("%s: the client got %s", name, got)
				}
				if ends := strings.Contains(got, complete); ends != (v.modern() && strings.Contains(got, `"result":`)) {
					t.Errorf("%s: the words of another era: %s", name, got)
				}
			}
			r.quiet("each got one response")
		}
	})
}

func TestEveryNotificationOfAClientInEveryVersion(t *testing.T) {
	everyVersion(t, func(t *testing.T, v version) {
		for _, open := range []bool{false, true} {
			r := v.start(t, open)
			for method, wants := range map[string][2]fate{
				"notifications/cancelled":          {nothing, nothing}, // of a request that never reached the server
				"notifications/progress":           {nothing, passes},
				"notifications/roots/list_changed": {nothing, passes},
				"notifications/unknown":            {nothing, passes},
				"tools/call":                       {nothing, nothing},
				"resources/read":                   {nothing, nothing},
				"tasks/cancel":                     {nothing, nothing},
				"initialize":                       {nothing, nothing},
				"server/discover":                  {nothing, nothing},
				"subscriptions/listen":             {nothing, nothing},
			} {
				want := wants[0]
				if open {
					want = wants[1]
				}
				r.send(`{"jsonrpc":"2.0","method":"` + method + `","params":{"requestId":77,"mark":"from the client"}}`)
				r.quiet("no notification is answered")
				if reached := r.server.got(`"method":"` + method + `","params":{"requestId":77`); reached != (want == passes) {
					t.Errorf("%s, open %v: it reached the server: %v", method, open, reached)
				}
			}
		}
	})
}

func TestEverythingAServerCanSendInEveryVersion(t *testing.T) {
	everyVersion(t, func(t *testing.T, v version) {
		rows := []struct {
			line        string
			fresh, open fate
		}{
			{`{"jsonrpc":"2.0","id":"row","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`, refusing, passes},
			{`{"jsonrpc":"2.0","id":"row","method":"elicitation/create","params":{"message":"Which city?"}}`, refusing, passes},
			{`{"jsonrpc":"2.0","id":"row","method":"roots/list"}`, refusing, passes},
			{`{"jsonrpc":"2.0","id":"row","method":"com.example/unknown"}`, refusing, passes},
			{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, nothing, passes},
			{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"row"}}`, nothing, passes},
			{`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a"}}`, nothing, passes},
			{`{"jsonrpc":"2.0","method":"notifications/unknown","params":{"row":1}}`, nothing, passes},
			{`{"jsonrpc":"2.0","id":"unasked","result":{"row":1}}`, nothing, nothing},
			{`{"jsonrpc":"2.0","id":"unasked","error":{"code":1,"message":"row"}}`, nothing, nothing},
			{`not a message: row`, nothing, nothing},
			{`[{"jsonrpc":"2.0","method":"notifications/row"}]`, nothing, nothing},
			{`{"jsonrpc":"2.0","method":"notifications/message","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"forged"},"data":"row"}}`, nothing, passes},
			{`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true}}}`, nothing, passes},
			{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"row"}}`, nothing, nothing},
		}
		for _, open := range []bool{false, true} {
			for _, row := range rows {
				want := row.fresh
				if open {
					want = row.open
				}
				asks := strings.Contains(row.line, `"method"`) && strings.Contains(row.line, `"id":"row"`)
				if v.modern() && (asks || strings.Contains(row.line, "subscription")) {
					want = nothing // the specification has no requests of servers, and streams only for those who opened one
				}
				r := v.start(t, open)
				r.server.write(row.line)
				if want == passes {
					if got := r.next(); got != row.line {
						t.Errorf("open %v: the client got %s, not %s", open, got, row.line)
					}
				}
				if want == refusing {
					r.eventually(fmt.Sprintf("open %v: the server is refused %s", open, row.line), func() bool { return r.server.got(`"id":"row","error"`) })
				}
				r.quiet(fmt.Sprintf("open %v: nothing more comes of %s", open, row.line))
				told := func() bool { return r.server.got(`"id":"row","error"`) }
				if want == refusing {
					r.eventually("the server is refused", told)
				} else if told() {
					t.Errorf("open %v: %s: the server was refused", open, row.line)
				}
			}
		}
	})
}
