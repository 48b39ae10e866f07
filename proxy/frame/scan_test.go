package frame

import (
	"errors"
	"strings"
	"testing"
)

// scanned is Scan for a line that must pass.
func scanned(t *testing.T, line string, dir Direction) *Message {
	t.Helper()
	var m Message
	if err := Scan([]byte(line), dir, &m); err != nil {
		t.Fatalf("Scan(%.200q) = %v, want it to pass", line, err)
	}
	return &m
}

// refused is Scan for a line that must not pass.
func refused(t *testing.T, line string, dir Direction) *Problem {
	t.Helper()
	var m Message
	err := Scan([]byte(line), dir, &m)
	var p *Problem
	if !errors.As(err, &p) {
		t.Fatalf("Scan(%.200q) = %v, want a *Problem", line, err)
	}
	if p.Reason == "" || p.Offset < 0 || p.Offset > len(line) || p.Code != CodeParse && p.Code != CodeInvalid {
		t.Fatalf("Scan(%.200q): bad problem %+v", line, *p)
	}
	if m.Kind != 0 || !m.ID.Empty() || m.Method != nil || len(m.Ours) != 0 {
		t.Fatalf("Scan(%.200q) refused and left %+v", line, m)
	}
	return p
}

func TestScanFindsTheMembersOfTheEnvelope(t *testing.T) {
	for _, tt := range []struct {
		name, line                        string
		kind                              Kind
		id, method, params, result, error string
	}{
		{"a request", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, Request, `1`, "tools/call", `{"name":"echo"}`, "", ""},
		{"a request whose id is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, Request, `null`, "ping", "", "", ""},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, Notification, "", "notifications/initialized", "", "", ""},
		{"a result with the id last", `{"result":{"content":[]},"jsonrpc":"2.0","id":"x"}`, Result, `"x"`, "", "", `{"content":[]}`, ""},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"m"}}`, Error, `1`, "", "", "", `{"code":-32600,"message":"m"}`},
		{"a result that is null", `{"jsonrpc":"2.0","id":1,"result":null}`, Result, `1`, "", "", `null`, ""},
		{"white space everywhere and CRLF", " {\t\"jsonrpc\" : \"2.0\" , \"id\" : 7 , \"method\" : \"ping\" , \"params\" : [ 1 , 2 ] } \r\n", Request, `7`, "ping", `[ 1 , 2 ]`, "", ""},
		{"unknown members", `{"jsonrpc":"2.0","id":1,"method":"ping","x":{"id":2,"method":"tools/call"}}`, Request, `1`, "ping", "", "", ""},
		{"escaped keys and values", `{"jsonrpc":"2\u002e0","\u0069d":1,"me\u0074hod":"tools\/call"}`, Request, `1`, "tools/call", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := scanned(t, tt.line, FromClient)
			raw := m.Raw
			got := []string{string(m.ID.Of(raw)), string(m.Method), string(m.Params.Of(raw)), string(m.Result.Of(raw)), string(m.Error.Of(raw))}
			want := []string{tt.id, tt.method, tt.params, tt.result, tt.error}
			if m.Kind != tt.kind || strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("kind %d %q, want %d %q", m.Kind, got, tt.kind, want)
			}
		})
	}
}

func TestScanFindsTheNameInParams(t *testing.T) {
	for params, want := range map[string]string{
		`{"name":"echo"}`: `"echo"`, `{"a":{"name":1},"name": "x" ,"b":2}`: `"x"`, `{"n\u0061me":["y"]}`: `["y"]`, `{"arguments":{"name":"z"}}`: "", `[{"name":"z"}]`: "",
		`{"name":null}`: "null", `{}`: "",
	} {
		for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"m","params":` + params + `}`, `{"params":` + params + `,"x":{"name":1},"name":2,"jsonrpc":"2.0","method":"m"}`} {
			if m := scanned(t, line, FromClient); string(m.Name.Of(m.Raw)) != want {
				t.Errorf("%s: %q, not %q", line, m.Name.Of(m.Raw), want)
			}
		}
	}
}

func TestScanFindsTheVersionThatARequestClaims(t *testing.T) {
	const key = `"io.modelcontextprotocol/protocolVersion"`
	for params, want := range map[string]string{
		`{"_meta":{` + key + `:"2026-07-28"}}`:                                          `"2026-07-28"`,
		`{"name":"x","_meta":{"a":{` + key + `:1}, ` + key + ` : 7 }}`:                  `7`,
		`{"\u005fmeta":{"io.modelcontextprotocol\/protocol\u0056ersion":"2026-07-28"}}`: `"2026-07-28"`,
		`{"_meta":{"a":1}}`:                                "",
		`{"_meta":[{` + key + `:1}]}`:                      "",
		`{"arguments":{"_meta":{` + key + `:1}}}`:          "",
		`{"x":{"_meta":{` + key + `:1}},` + key + `:"no"}`: "",
	} {
		m := scanned(t, `{"jsonrpc":"2.0","id":1,"method":"m","params":`+params+`}`, FromClient)
		if got := string(m.Claim.Of(m.Raw)); got != want {
			t.Errorf("%s: claims %q, want %q", params, got, want)
		}
	}
	if p := refused(t, `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"io.modelcontextprotocol/protocolversion":"2026-07-28"}}}`, FromClient); !strings.Contains(p.Reason, "_meta") {
		t.Errorf("in another case: %s", p.Reason)
	}
}

func TestScanFindsTheTypeOfAResultInAnyCase(t *testing.T) {
	for result, want := range map[string]string{
		`{"resultType":"complete"}`: `"complete"`, `{"content":[{"resultType":1}],"ResultType":"task"}`: `"task"`, `{"result\u0054ype":2}`: `2`, `{"a":{"resultType":1}}`: "", `[]`: "",
	} {
		m := scanned(t, `{"jsonrpc":"2.0","id":1,"result":`+result+`}`, FromServer)
		if got := string(m.ResultType.Of(m.Raw)); got != want {
			t.Errorf("%s: type %q, want %q", result, got, want)
		}
	}
	m := scanned(t, `{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{"a":1}}}`, FromServer)
	if got := string(m.InputRequests.Of(m.Raw)); got != `{"a":1}` {
		t.Errorf("input requests %q", got)
	}
}

func TestScanRefusesWhatIsNoJSON(t *testing.T) {
	const head = `{"jsonrpc":"2.0","method":"ping","params":{"a":`
	for name, line := range map[string]string{
		"nothing":                  "",
		"white space":              " \r\n",
		"a banner":                 "Server running on stdio\n",
		"a truncated object":       `{"jsonrpc":"2.0"`,
		"a truncated string":       `{"jsonrpc":"2.`,
		"a truncated escape":       `{"jsonrpc":"2\`,
		"a truncated code point":   `{"jsonrpc":"2\u00`,
		"text behind the value":    `{"jsonrpc":"2.0","method":"ping"} x`,
		"two values":               `{"jsonrpc":"2.0","method":"ping"}{}`,
		"a comma too many":         `{"jsonrpc":"2.0","method":"ping",}`,
		"an element too few":       head + `[1,]}}`,
		"a missing comma":          head + `[1 2]}}`,
		"a missing colon":          `{"jsonrpc" "2.0"}`,
		"a key without quotes":     `{jsonrpc:"2.0"}`,
		"single quotes":            `{'jsonrpc':"2.0"}`,
		"a comment":                head + `1}/**/}`,
		"the wrong bracket":        head + `[1}}`,
		"NaN":                      head + `NaN}}`,
		"a leading zero":           head + `01}}`,
		"a plus sign":              head + `+1}}`,
		"a lone minus":             head + `-}}`,
		"a dot without digits":     head + `1.}}`,
		"a dot at the start":       head + `.5}}`,
		"an exponent too short":    head + `1e}}`,
		"an exponent's sign alone": head + `1e+}}`,
		"a hexadecimal number":     head + `0x10}}`,
		"a word too long":          head + `trueish}}`,
		"a word too short":         head + `nul}}`,
		"a tab in a string":        head + "\"\t\"}}",
		"a NUL in a string":        head + "\"\x00\"}}",
		"a NUL outside":            "\x00" + head + `1}}`,
		"a newline in a key":       `{"json` + "\n" + `rpc":"2.0"}`,
		"an escape JSON lacks":     head + `"\x41"}}`,
		"a code point with no hex": head + `"\u00g0"}}`,
		"a form feed outside":      head + "\f1}}",
		"a no-break space outside": head + "\u00a01}}",
	} {
		t.Run(name, func(t *testing.T) {
			if p := refused(t, line, FromServer); p.Code != CodeParse {
				t.Errorf("code %d (%s), want %d", p.Code, p.Reason, CodeParse)
			}
		})
	}
}
