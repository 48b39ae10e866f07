package frame

import (
	"fmt"
	"strings"
	"testing"
)

// Templates of lines in both directions.
func callWith(params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
}
func answerWith(result string) string { return `{"jsonrpc":"2.0","id":1,"result":` + result + `}` }

// judged checks that every line passes, or is refused as ambiguous, as want says.
func judged(t *testing.T, dir Direction, pass bool, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if pass {
			scanned(t, line, dir)
		} else if p := refused(t, line, dir); p.Code != CodeInvalid {
			t.Errorf("%.120s: code %d (%s), want %d", line, p.Code, p.Reason, CodeInvalid)
		}
	}
}

func TestT02DuplicateKeysAreRefusedAtEveryDepth(t *testing.T) {
	both := []string{
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`,
		`{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"result":{"x":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","x":1,"x":1}`,
		callWith(`{"name":"ok","name":"bad"}`),
		callWith(`{"name":"ok","na\u006de":"bad"}`),
		callWith(`{"name":"a","_meta":{"x":[{"y":1,"z":2,"y":3}]}}`),
		callWith(`{"name":"a","arguments":{"x":1},"arguments":{"x":2}}`),
		callWith(`{"name":"a","arguments":{"x":1,"x":2}}`),
		callWith(`{"name":"a","arguments":{"d":[{"x":1,"\u0078":2}]}}`),
		callWith(`{"":1,"":2}`),
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a","message":"b"}}`,
	}
	judged(t, FromClient, false, both...)
	judged(t, FromServer, false, both...)
	judged(t, FromServer, false,
		answerWith(`{"content":[],"content":[{"type":"text","text":"EVIL"}]}`),
		answerWith(`{"content":[{"type":"text","text":"good","text":"EVIL"}]}`),
		answerWith(`{"content":[{"type":"text","text":"good","te\u0078t":"EVIL"}]}`),
		answerWith(`{"a":{"\u00e9":1,"é":2}}`),
		answerWith(`{"a":{"😀":1,"\ud83d\ude00":2}}`),
		answerWith(`{"a":{"/":1,"\/":2}}`),
		answerWith(`{"a":{"\n":1,"\u000a":2}}`),
		answerWith(`{"a":{"\u0000":1,"\u0000":2}}`),
	)
	judged(t, FromServer, true,
		answerWith(`{"a":{"x":1},"b":{"x":2},"c":[{"x":1},{"x":2}]}`),
		answerWith(`{"a":{"a":{"a":1}}}`),
		answerWith(`{"a":1,"aa":2,"aaa":3,"":4}`),
		answerWith(`{"a":{"\\u0061":1,"a":2}}`),
		answerWith(`{"é":1,"e\u0301":2}`),
	)
}

// Go decodes a lone surrogate as U+FFFD, JavaScript keeps it: two such keys are one in Go and two in JavaScript.
func TestT02KeysWithLoneSurrogatesThatOneParserTakesForEqualAreRefused(t *testing.T) {
	judged(t, FromServer, false, answerWith(`{"\ud800":1,"\ud801":2}`), answerWith(`{"a\udc00":1,"a\ufffd":2}`))
	judged(t, FromServer, true, answerWith(`{"\ud800":1,"a":2}`))
}

func TestT02ADoubleIsFoundInObjectsOfEverySize(t *testing.T) {
	for _, n := range []int{2, 3, 16, fewKeys - 1, fewKeys, fewKeys + 1, fewKeys + 2, 65, 1000, 20_000} {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf("Key %d", i)
		}
		object := func(keys []string) string {
			var b strings.Builder
			for i, k := range keys {
				if i > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, `"%s":{"n":%d}`, k, i)
			}
			return "{" + b.String() + "}"
		}
		whole := object(keys)
		judged(t, FromServer, true, answerWith(whole))
		judged(t, FromClient, true, callWith(`{"arguments":`+whole+`}`))
		for _, place := range [][2]int{{0, n - 1}, {n / 2, n - 1}, {0, 1}, {n - 2, n - 1}} {
			if place[0] == place[1] {
				continue
			}
			doubled := append([]string(nil), keys...)
			doubled[place[1]] = doubled[place[0]]
			judged(t, FromServer, false, answerWith(object(doubled)))
			judged(t, FromClient, false, callWith(`{"arguments":`+object(doubled)+`}`))
			doubled[place[1]] = strings.ToUpper(doubled[place[0]])
			judged(t, FromServer, false, answerWith(object(doubled)))
			judged(t, FromClient, true, callWith(`{"arguments":`+object(doubled)+`}`))
		}
	}
}

func TestT03CaseFolding(t *testing.T) {
	both := []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`,
		`{"jsonrpc":"2.0","id":1,"Method":"tools/call","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"METHOD":"tools/call"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"x"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","paramſ":{"name":"bad"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{"name":"bad"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"Params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","\u0050arams":{}}`,
		`{"JSONRPC":"2.0","jsonrpc":"2.0","method":"ping"}`,
		`{"jsonrpc":"2.0","ID":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"Id":2,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"Result":{}}`,
		`{"jsonrpc":"2.0","id":1,"Result":{}}`,
		`{"jsonrpc":"2.0","id":1,"reſult":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"Error":{}}`,
		`{"jsonrpc":"2.0","method":"ping","x":1,"X":2}`,
		callWith(`{"Name":"bad"}`),
		callWith(`{"name":"ok","NAME":"bad"}`),
		callWith(`{"name":"ok","\u004eame":"bad"}`),
		callWith(`{"name":"ok","Arguments":{}}`),
		callWith(`{"name":"ok","argumentſ":{}}`),
		callWith(`{"URI":"x"}`),
		callWith(`{"taſk":{}}`),
		callWith(`{"taſ\u212aid":{}}`), // taskId with U+017F and U+212A
		callWith(`{"requestid":1}`),
		callWith(`{"progresstoken":1}`),
		callWith(`{"_META":{}}`),
		callWith(`{"to\u212aen":1,"token":2}`),
		callWith(`{"\u212aey":1,"key":2}`),
		callWith(`{"σ":1,"ς":2}`),
		callWith(`{"ref":{"type":"ref/prompt","Type":"x"}}`),
	}
	judged(t, FromClient, false, both...)
	judged(t, FromServer, false, both...)
	judged(t, FromServer, false,
		answerWith(`{"content":[],"Content":[]}`),
		answerWith(`{"content":[{"text":"a","teXt":"b"}]}`),
		answerWith(`{"tools":[{"inputSchema":{"properties":{"x":{},"X":{}}}}]}`),
		answerWith(`{"Ä":1,"ä":2}`),
		answerWith(`{"a":{"ſ":1,"S":2}}`),
		callWith(`{"arguments":{"x":1,"X":2}}`),
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"Code":2}}`,
	)
	judged(t, FromClient, true,
		callWith(`{"name":"a","arguments":{"x":1,"X":2,"ſ":3,"s":4,"deep":[{"Id":1,"ID":2}]}}`),
		callWith(`{"name":"a","\u0061rguments":{"x":1,"X":2}}`),
		callWith(`{"name":"a","arguments":{"Name":1,"METHOD":2}}`),
		callWith(`{"context":{"arguments":{"x":1,"X":2}}}`),
		answerWith(`{"roots":[{"x":1,"X":2}]}`),
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"data":{"x":1,"X":2}}}`,
		callWith(`{"name":"a","unknownOne":1}`),
		`{"jsonrpc":"2.0","method":"ping","Unknown":1}`,
	)
	judged(t, FromClient, false,
		callWith(`{"name":"a","arguments":{},"_meta":{"x":1,"X":2}}`),
		callWith(`{"context":{"x":1,"X":2}}`),
		callWith(`{"context":{"other":{"x":1,"X":2}}}`),
		callWith(`{"other":{"arguments":{"x":1,"X":2}}}`),
		callWith(`[{"arguments":{"x":1,"X":2}}]`),
		`{"jsonrpc":"2.0","method":"ping","arguments":{"x":1,"X":2}}`,
		callWith(`{"arguments":[{"a":1}],"x":{"x":1,"X":2}}`),
	)
}

func TestT03EveryKnownParamIsRefusedInAnotherCaseAndPassesInItsOwn(t *testing.T) {
	for _, name := range strings.Fields(`name arguments uri _meta cursor ref argument context requestId progressToken progress total message
		level logger data taskId task protocolVersion capabilities clientInfo reason messages modelPreferences systemPrompt includeContext
		temperature maxTokens stopSequences metadata tools toolChoice requestedSchema mode url elicitationId inputResponses requestState
		action content createdAt description error lastUpdatedAt notifications pollInterval roots status statusMessage ttl uris`) {
		for _, dir := range []Direction{FromClient, FromServer} {
			judged(t, dir, true, callWith(`{"`+name+`":{}}`), callWith(`{"x":{"`+strings.ToUpper(name)+`":{}}}`))
			judged(t, dir, false, callWith(`{"`+strings.ToUpper(name)+`":{}}`))
		}
	}
}

func TestT04EscapedMethodsAreTheMethod(t *testing.T) {
	var m Message
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
		`{"jsonrpc":"2.0","id":1,"\u006dethod":"tools/call"}`,
		`{"jsonrpc":"2.0","id":1,"me\u0074hod":"tools\/call"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools\u002fcall"}`,
		`{"jsonrpc":"2.0","id":1,"method":"\u0074\u006f\u006f\u006C\u0073\/\u0063\u0061\u006c\u006c"}`,
	} {
		if err := Scan([]byte(line), FromClient, &m); err != nil || string(m.Method) != "tools/call" {
			t.Errorf("%s: method %q, %v", line, m.Method, err)
		}
	}
	raw := []byte(callWith(`{"n\u0061me":"get\u005fforecast"}`))
	if v, ok := Find(raw, scanned(t, string(raw), FromClient).Params, "name"); !ok {
		t.Error("name not found")
	} else if name, ok := String(raw, v); name != "get_forecast" || !ok {
		t.Errorf("name %q, %v", name, ok)
	}
}

func TestT06BatchesAreRefusedWithTheirOwnReason(t *testing.T) {
	for _, line := range []string{`[]`, ` [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call"}]`, `[1`} {
		for _, dir := range []Direction{FromClient, FromServer} {
			p := refused(t, line, dir)
			if p.Code != CodeInvalid || !strings.Contains(p.Reason, "batch") {
				t.Errorf("%s: %d %s", line, p.Code, p.Reason)
			}
			if id, ok := FindID([]byte(line)); ok {
				t.Errorf("%s: id %s; a batch is answered with id null", line, id)
			}
		}
	}
	for _, line := range []string{`1`, `"x"`, `null`, `true`, `-1.5e3 `} {
		judged(t, FromServer, false, line)
	}
}

func TestT23BytesThatParsersReadDifferently(t *testing.T) {
	for name, text := range map[string]string{
		"a lone continuation byte":  "\x80",
		"a cp1252 quote":            "\x93",
		"an overlong slash":         "\xc0\xaf",
		"a truncated sequence":      "\xe2\x82",
		"a surrogate in UTF-8":      "\xed\xa0\x80",
		"above the last code point": "\xf4\x90\x80\x80",
		"0xff":                      "\xff",
		"behind long good text":     strings.Repeat("é", 100) + "\xff",
	} {
		t.Run(name, func(t *testing.T) {
			judged(t, FromServer, false, answerWith(`{"text":"`+text+`"}`), answerWith(`{"`+text+`":1}`), answerWith(`["`+text+strings.Repeat(" ", 20)+`"]`))
			judged(t, FromClient, false, callWith(`{"arguments":{"`+text+`":1}}`))
		})
	}
	judged(t, FromServer, false, "\ufeff"+answerWith(`{}`), " \ufeff"+answerWith(`{}`))
	for _, line := range []string{"\x00" + answerWith(`{}`), answerWith("\x00{}"), answerWith(`{}`) + "\x00"} {
		if p := refused(t, line, FromServer); p.Code != CodeParse {
			t.Errorf("%q: code %d", line, p.Code)
		}
	}
	for name, result := range map[string]string{
		"a lone high surrogate":    `"\ud800"`,
		"a lone low surrogate":     `"\udfff x"`,
		"a pair the wrong way":     `"\ude00\ud83d"`,
		"a pair":                   `"\ud83d\ude00"`,
		"U+2028 and U+2029":        "\"\u2028\u2029\"",
		"a byte order mark inside": "\"\ufeff\"",
		"an escaped NUL":           `"\u0000"`,
		"DEL and C1":               "\"\x7f\u0085\"",
		"the last code point":      "\"\U0010ffff\"",
		"text in many scripts":     `"погода天気مرحبا😀 aaaaaaaaaaaaaaa é"`,
		"a bare CR between":        "{\r\"a\"\r:\r1\r}",
	} {
		t.Run(name, func(t *testing.T) {
			for _, end := range []string{"", "\n", "\r\n", "\r"} {
				m := scanned(t, answerWith(result)+end, FromServer)
				if got := string(m.Result.Of(m.Raw)); got != result {
					t.Errorf("result %q, want %q", got, result)
				}
			}
		})
	}
}

func TestT25EnvelopesThatAreNeitherRequestNorAnswer(t *testing.T) {
	for name, line := range map[string]string{
		"both result and error":           `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`,
		"both, and both null":             `{"jsonrpc":"2.0","id":1,"result":null,"error":null}`,
		"method with result":              `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`,
		"method with error":               `{"jsonrpc":"2.0","id":1,"error":{},"method":"ping"}`,
		"no jsonrpc":                      `{"id":1,"method":"ping"}`,
		"jsonrpc 1.0":                     `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		"jsonrpc 2":                       `{"jsonrpc":2.0,"id":1,"method":"ping"}`,
		"an id alone":                     `{"jsonrpc":"2.0","id":1}`,
		"an empty object":                 `{}`,
		"a method that is a number":       `{"jsonrpc":"2.0","id":1,"method":1}`,
		"a method that is null":           `{"jsonrpc":"2.0","id":1,"method":null}`,
		"a method that is an array":       `{"jsonrpc":"2.0","id":1,"method":["ping"]}`,
		"params that are a string":        `{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`,
		"params that are null":            `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`,
		"an envelope one level too deep":  `{"message":{"jsonrpc":"2.0","id":1,"method":"ping"}}`,
		"jsonrpc only in a nested object": `{"x":{"jsonrpc":"2.0"},"id":1,"method":"ping"}`,
	} {
		t.Run(name, func(t *testing.T) {
			judged(t, FromClient, false, line)
			judged(t, FromServer, false, line)
		})
	}
}

func TestDepthBelowAThousandPassesAndHasALimit(t *testing.T) {
	nested := func(open, close string, n int) string {
		return callWith(`{"a":` + strings.Repeat(open, n) + "1" + strings.Repeat(close, n) + `}`)
	}
	for _, c := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
		for _, dir := range []Direction{FromClient, FromServer} {
			judged(t, dir, true, nested(c[0], c[1], 1000), nested(c[0], c[1], MaxDepth-2))
			judged(t, dir, false, nested(c[0], c[1], MaxDepth-1), nested(c[0], c[1], 100_000))
		}
	}
}

func TestAMessageUsedAgainRemembersNothing(t *testing.T) {
	var m Message
	lines := []struct {
		line string
		pass bool
	}{
		{callWith(`{"name":"a"}`), true},
		{`{"jsonrpc":"2.0","id":1,"result":{"sallyport/x":1}}`, true},
		{`{"jsonrpc":"2.0","id":1`, false},
		{callWith(strings.Repeat("[", 5000)), false},
		{`{"jsonrpc":"2.0","method":"a\nb"}`, true},
		{`{"jsonrpc":"2.0","method":"ping"}`, true},
	}
	for range 3 {
		for _, l := range lines {
			err := Scan([]byte(l.line), FromServer, &m)
			if (err == nil) != l.pass {
				t.Fatalf("%.60s: %v", l.line, err)
			}
			var fresh Message
			_ = Scan([]byte(l.line), FromServer, &fresh)
			if m.Kind != fresh.Kind || m.ID != fresh.ID || string(m.Method) != string(fresh.Method) || m.Params != fresh.Params ||
				m.Result != fresh.Result || m.Error != fresh.Error || len(m.Ours) != len(fresh.Ours) {
				t.Fatalf("%.60s: %+v, fresh %+v", l.line, m, fresh)
			}
		}
	}
}

func TestScanAllocatesNothingForOrdinaryMessages(t *testing.T) {
	for name, line := range map[string][]byte{
		"a call":            []byte(callWith(`{"name":"echo","arguments":{"x":1,"y":2},"_meta":{"progressToken":7}}`)),
		"an escaped method": []byte(`{"jsonrpc":"2.0","id":1,"method":"tools\/call"}`),
		"a mixed answer":    answer(10 << 10),
		"escaped keys":      []byte(answerWith(`{"\u0061":1,"serverInformation":2,"structured/content":3,"ünïcode":{"sallypoRt":1}}`)),
	} {
		var m Message
		if err := Scan(line, FromServer, &m); err != nil {
			t.Fatal(err)
		}
		if allocs := testing.AllocsPerRun(20, func() { _ = Scan(line, FromServer, &m) }); allocs > 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

func TestValidateReadsOneValueWithOneReading(t *testing.T) {
	for _, good := range []string{`1`, ` "x" `, `{"a":{"b":[]}}`, `{"Name":1,"arguments":{"x":1}}`, `[]`, `null`} {
		if err := Validate([]byte(good)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{``, ` `, `1 2`, `{"a":1,"a":1}`, `{"a":1,"A":1}`, `{"arguments":{"a":1,"A":1}}`, "\"\xff\"", "\ufeff1", `{`, strings.Repeat("[", 2000)} {
		if err := Validate([]byte(bad)); err == nil {
			t.Errorf("%.40s passes", bad)
		}
	}
}
