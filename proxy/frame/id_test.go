package frame

import (
	"strings"
	"testing"
)

func TestT01AndT15IDsAreOneKeyOnlyWhenTypeAndValueAreEqual(t *testing.T) {
	long := `"` + strings.Repeat("x", 10<<10) + `"`
	groups := [][]string{
		{`1`, `1.0`, `1e0`, `1E0`, `10e-1`, `0.1e1`, `0.1E+1`, ` 1 `, `1.000000000000000000000`},
		{`"1"`, `"\u0031"`},
		{`" 1"`},
		{`"1.0"`},
		{`7`, `7.0`}, {`70`, `7e1`}, {`7000000000`, `7e9`}, {`70000000000`, `7e10`}, {`7000000000000000000`, `7e18`, `7000000000000000000.0`},
		{`70000000000000000000`, `7e19`},
		{`1020304050`, `102030405e1`},
		{`1234567890123456789`, `1234567890123456789.0`},
		{`10`, `1e1`, `1e+1`, `1e01`, `100e-1`, `10.0`},
		{`0`, `-0`, `0.0`, `0e5`, `-0.0e-7`, `0e99999999999999999999`},
		{`""`},
		{`"0"`},
		{`-1`, `-1.0`},
		{`1.5`, `15e-1`, `0.15e1`},
		{`9007199254740992`},
		{`9007199254740993`, `9007199254740993.0`, `9.007199254740993e15`},
		{`9007199254740994`},
		{`1e400`, `10e399`},
		{`1e401`},
		{`1e-400`},
		{`1e99999999999999999`},
		{`1e999999999999999999999999`},
		{`1e999999999999999999999998`},
		{`-1e999999999999999999999999`},
		{`1e-999999999999999999999999`},
		{long},
		{`null`},
		{`"null"`},
		{`true`},
		{`false`},
		{`{}`, `{ }`},
		{`{"a":1,"b":"x"}`, ` {"b" : "\u0078", "a":1}`},
		{`{"a":1.0,"b":"x"}`},
		{`[]`},
		{`[1]`, `[ 1 ]`},
		{`["1"]`},
		{`"é"`, `"\u00e9"`},
		{`"😀"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`},
		{`"\ud83d"`, `"\uD83D"`},
		{`"\ude00"`},
		{`"\ufffd"`, "\"\uFFFD\""},
		{`"/"`, `"\/"`},
	}
	group := map[string]int{}
	for n, ids := range groups {
		for _, id := range ids {
			key := string(AppendIDKey(nil, []byte(id)))
			if other, taken := group[key]; taken && other != n {
				t.Errorf("%.60s has the key of %.60s", id, groups[other][0])
			} else if !taken && id != ids[0] {
				t.Errorf("%.60s has another key (%q) than %.60s", id, key, ids[0])
			}
			group[key] = n
		}
	}
}

func TestAppendIDKeyAppends(t *testing.T) {
	dst := AppendIDKey([]byte("c:"), []byte(`{"a":[1]}`))
	if string(dst) != `c:j{"a":[1]}` {
		t.Errorf("got %q", dst)
	}
	for _, broken := range []string{"", " ", `{"a"`, `"x`, `{"a":1,"a":2}`, "-", "1x", "\x00", "[[["} {
		_ = AppendIDKey(nil, []byte(broken)) // any key will do; it must not panic
	}
	if string(AppendIDKey(nil, []byte(`{"a"`))) == string(AppendIDKey(nil, []byte(`{"b"`))) {
		t.Error("two broken ids have one key")
	}
}

func TestT15EveryIDPassesAsItStands(t *testing.T) {
	for _, id := range []string{`0`, `""`, `"0"`, `-1`, `1.5`, `1e1`, `9007199254740993`, `"` + strings.Repeat("x", 10<<10) + `"`,
		`null`, `true`, `{"a":[1]}`, `[1,"x"]`, `"\ud800"`, `1e999999`} {
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`,
			`{"method":"ping","jsonrpc":"2.0", "id" : ` + id + ` }`,
		} {
			m := scanned(t, line, FromClient)
			if m.Kind != Request || string(m.ID.Of(m.Raw)) != id {
				t.Errorf("%.60s: kind %d, id %.60q", id, m.Kind, m.ID.Of(m.Raw))
			}
			if found, ok := FindID([]byte(line)); !ok || string(found) != id {
				t.Errorf("FindID of %.80s = %.60q, %v", line, found, ok)
			}
		}
	}
}

func TestFindIDReadsLinesThatAreBroken(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"an id before the break", `{"jsonrpc":"2.0","id":7,"result":{"x":`, `7`},
		{"an id behind a result that is no UTF-8", "{\"result\":{\"id\":1,\"t\":\"\xff\xfe\"},\"id\":\"a\"}", `"a"`},
		{"an id after a control character", "{\"result\":\"a\tb\",\"id\":8}\n", `8`},
		{"the first of two", `{"id":1,"result":{},"id":2}`, `1`},
		{"no id of something nested", `{"result":{"id":1},"list":[{"id":2}]}`, ``},
		{"no id inside a string", `{"result":"\"id\":1, \\\"id\":2","id":3}`, `3`},
		{"an escaped key", `{"\u0069\u0064":4}`, `4`},
		{"no key in another case", `{"ID":4,"Id":5}`, ``},
		{"a byte order mark", "\ufeff{\"id\":5}", `5`},
		{"a NUL", "\x00{\"id\":5}", `5`},
		{"many NULs and other controls", "\x00\x00\x01\x7f \x08{\"id\":5}", `5`},
		{"bytes that are no UTF-8", "\xff\xfe{\"id\":5}", `5`},
		{"a character that is not seen", "\u200b{\"id\":5}", `5`},
		{"a NUL behind words", "listening\x00{\"id\":5}", ``},
		{"a value, not a key, that says id", `{"a":"id","b":6}`, ``},
		{"an object id", `{"id": {"a":[1,{"id":2}]} ,"x":1`, `{"a":[1,{"id":2}]}`},
		{"a line that ends in a number", "{\"id\":12\n", `12`},
		{"a line that ends in a string", `{"id":"ab`, ``},
		{"an id that is no JSON", `{"id":01,"result":1}`, ``},
		{"an id that is no JSON, then one that is", `{"id":nul,"id":1}`, ``},
		{"an id with a control character", "{\"id\":\"a\nb\",\"x\":1}", ``},
		{"an id that is no UTF-8", "{\"id\":\"\xff\"}", ``},
		{"an empty id", `{"id":,"x":1}`, ``},
		{"a second colon", `{"id":1:2}`, ``},
		{"a batch", `[{"id":1}]`, ``},
		{"a banner that quotes one", `listening {"id":1}`, ``},
		{"nothing", ``, ``},
		{"text after the object", `{"x":1} {"id":2}`, ``},
		{"commas too many", `{,,"id":9,,}`, `9`},
		{"an id too long to keep", `{"id":"` + strings.Repeat("x", maxFoundID) + `"}`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := FindID([]byte(tt.line))
			if string(got) != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %v; want %q", got, ok, tt.want)
			}
			// The same in pieces of one byte.
			var f finder
			for i := range tt.line {
				f.write([]byte(tt.line)[i : i+1])
			}
			f.finish()
			if string(f.id) != tt.want {
				t.Errorf("byte by byte: got %q, want %q", f.id, tt.want)
			}
		})
	}
}

func TestAnAnswerBehindTextIsToldFromALogLine(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"a word before it", `junk{"jsonrpc":"2.0","id":7,"result":{}}`, `7`},
		{"words before it", `12:03 sending: {"result":{},"jsonrpc":"2.0","id":"a"}`, `"a"`},
		{"an error", `junk {"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}`, `7`},
		{"a broken one", `junk {"jsonrpc":"2.0","id":7,"result":{`, `7`},
		{"a request that is quoted", `got {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"result":1}}`, ``},
		{"no message", `listening on {"id":7,"result":"up"}`, ``},
		{"no id", `junk {"jsonrpc":"2.0","result":{}}`, ``},
		{"an id of something nested", `junk {"jsonrpc":"2.0","result":{"id":7}}`, ``},
		{"no text before it", `{"jsonrpc":"2.0","id":7,"result":{}}`, ``},
		{"too much text", strings.Repeat("x", maxBehindText) + `{"jsonrpc":"2.0","id":7,"result":{}}`, ``},
		{"text alone", `listening`, ``},
		{"nothing", ``, ``},
	} {
		if got, ok := ResponseBehindText([]byte(tt.line)); string(got) != tt.want && ok || ok != (tt.want != "") {
			t.Errorf("%s: got %q, %v", tt.name, got, ok)
		}
	}
}
