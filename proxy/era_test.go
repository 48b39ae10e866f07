package proxy

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/frame"
)

func TestWhatEachRequestOfTheModernEraSaysAboutItsClientIsNotKeptWithIt(t *testing.T) {
	const reserved = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	for name, c := range map[string]struct{ params, want string }{
		"last":                 {`{"name":"echo","arguments":{},"_meta":{` + reserved + `}}`, `{"name":"echo","arguments":{}}`},
		"first":                {`{"_meta":{` + reserved + `},"name":"echo"}`, `{"name":"echo"}`},
		"between others":       {`{"name":"echo", "_meta" : {` + reserved + `} , "arguments":{}}`, `{"name":"echo", "arguments":{}}`},
		"alone":                {`{ "_meta":{` + reserved + `} }`, `{}`},
		"its key escaped":      {`{"name":"e\"","_m\u0065ta":{` + reserved + `}}`, `{"name":"e\""}`},
		"with a token":         {`{"name":"echo","_meta":{"progressToken":7,` + reserved + `}}`, `{"name":"echo","_meta":{"progressToken":7}}`},
		"with others around":   {`{"_meta":{"a":1,` + reserved + `, "b" : [2]},"name":"echo"}`, `{"_meta":{"a":1,"b" : [2]},"name":"echo"}`},
		"legacy, with a token": {`{"name":"echo","_meta":{"progressToken":7}}`, `{"name":"echo","_meta":{"progressToken":7}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var e eras
			var m frame.Message
			for range 2 { // the second says what the first did
				line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + c.params + `}`)
				if err := frame.Scan(line, frame.FromClient, &m); err != nil {
					t.Fatal(err)
				}
				r := &request{method: methodCall, modern: !m.Claim.Empty()}
				if r.modern {
					e.claims(m.Meta.Of(line))
				}
				r.keep(line, &m, e.rest)
				if got := string(r.params); got != c.want {
					t.Errorf("kept %s instead of %s", got, c.want)
				}
			}
		})
	}
}

// A second allocation for each request would cost as much as reading it.
func TestACallOfTheModernEraIsOneAllocation(t *testing.T) {
	line := []byte(benchCall(eraModern, 1000000001, `"text":"The file has 12 lines, of which three were changed since then."`))
	var e eras
	var m frame.Message
	if err := frame.Scan(line, frame.FromClient, &m); err != nil {
		t.Fatal(err)
	}
	var r *request
	allocated := testing.AllocsPerRun(100, func() {
		r = &request{method: methodCall, modern: true}
		r.id = r.store(m.ID.Of(line))
		e.claims(m.Meta.Of(line))
		r.keep(line, &m, e.rest)
	})
	if allocated != 1 || !strings.Contains(string(r.params), "12 lines") {
		t.Errorf("%v allocations for %s", allocated, r.params)
	}
}

func TestOurOwnRequestsCarryWhatTheProtocolReservesOfTheLastRequest(t *testing.T) {
	var e eras
	if own := e.own(); own != defaultMeta {
		t.Errorf("before a request: %s", own)
	}
	const client = `"io.modelcontextprotocol/clientInfo":{"name":"one"}`
	for _, c := range []struct {
		meta, own string
		differs   bool
	}{
		{`{` + client + `,"progressToken":1}`, client, true},
		{`{` + client + `,"progressToken":1}`, client, false},
		{`{"progressToken":2,` + client + `}`, client, false},
		{`{"io.modelcontextprotocol/clientInfo":{"name":"two"}}`, strings.Replace(client, "one", "two", 1), true},
	} {
		if differs := e.claims([]byte(c.meta)); differs != c.differs || e.own() != c.own {
			t.Errorf("after %s: %s, differs %t", c.meta, e.own(), differs)
		}
	}
}
