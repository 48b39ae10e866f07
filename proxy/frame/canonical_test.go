package frame

import (
	"strings"
	"testing"
)

func canonicalOf(t testing.TB, raw string) string {
	t.Helper()
	out, err := AppendCanonical(nil, []byte(raw), Root([]byte(raw)))
	if err != nil {
		t.Fatalf("%.100s: %v", raw, err)
	}
	return string(out)
}

func TestCanonicalForm(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"a scalar", " true ", "true"},
		{"members by key, at every depth", `{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}`, `{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}`},
		{"elements in their order", `[3, 1 ,2]`, `[3,1,2]`},
		{"keys sorted decoded", `{"b":1,"\u0061":2}`, `{"a":2,"b":1}`},
		{"keys that begin alike", `{"ab":1,"a":2,"":3,"a\u0000":4}`, `{"":3,"a":2,"a\u0000":4,"ab":1}`},
		{"keys by code point, not by UTF-16 unit", `{"😀":1,"\uffee":2}`, "{\"\uffee\":2,\"😀\":1}"},
		{"escapes in one spelling", `["\u0041\/\u00E9\ud83d\ude00","\u000A\n\u0008\u001F\u007f\"\\"]`, "[\"A/é😀\",\"\\n\\n\\b\\u001f\x7f\\\"\\\\\"]"},
		{"numbers as written", `[1,1.0,1e0,1E0,-0,0,9007199254740993,1e400,0.10]`, `[1,1.0,1e0,1E0,-0,0,9007199254740993,1e400,0.10]`},
		{"lone surrogates", `["\uD800","\udfFF","\ude00\ud83d","\ud83d\ud83d\ude00"]`, `["\ud800","\udfff","\ude00\ud83d","\ud83d😀"]`},
		{"the character that broken text becomes", `"\ufffd"`, "\"\uFFFD\""},
		{"characters near the surrogates", `"\ud7ff\ue000"`, "\"\ud7ff\ue000\""},
		{"line separators", `"\u2028"`, "\"\u2028\""},
		{"white space in all places", " {\t\"a\" :\r\n[ ] , \"b\" : { } } ", `{"a":[],"b":{}}`},
		{"keys equal but for case", `{"x":1,"X":2}`, `{"X":2,"x":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := canonicalOf(t, tt.raw)
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if again := canonicalOf(t, got); again != got {
				t.Errorf("the canonical form of %s is %s", got, again)
			}
		})
	}
}

func TestCanonicalFormsOfDifferentValuesDiffer(t *testing.T) {
	values := []string{`1`, `1.0`, `"1"`, `[1]`, `{"1":1}`, `null`, `"null"`, `[]`, `{}`, `""`, `[[]]`, `[{}]`, `["",""]`, `["\",\""]`,
		`9007199254740992`, `9007199254740993`, `1e400`, `1.79e308`, `"\ud800"`, `"\ud801"`, `"\ufffd"`, `"\\ud800"`, `"a b"`, `"a\u00a0b"`, `"é"`, `"e\u0301"`,
		`{"a":{"b":1}}`, `{"a":{},"b":1}`, `{"a":[1,2]}`, `{"a":[2,1]}`, `[1,[2]]`, `[[1],2]`}
	seen := map[string]string{}
	for _, v := range values {
		form := canonicalOf(t, v)
		if other, taken := seen[form]; taken {
			t.Errorf("%s and %s are both %s", other, v, form)
		}
		seen[form] = v
	}
}

func TestWhatHasNoCanonicalForm(t *testing.T) {
	for _, raw := range []string{``, `{`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `[1,]`, `1 2`, "\"\xff\"", `nul`, strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)} {
		if out, err := AppendCanonical([]byte("x"), []byte(raw), Root([]byte(raw))); err == nil || string(out) != "x" {
			t.Errorf("%.50s: %s, %v", raw, out, err)
		}
	}
	deep := strings.Repeat(`{"a":[`, MaxDepth/2) + strings.Repeat(`]}`, MaxDepth/2)
	if got := canonicalOf(t, deep); got != deep {
		t.Error("a value at the depth limit changed")
	}
}

func TestCanonicalFormOfAPartOfALine(t *testing.T) {
	raw := []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[ {"name":"x" , "description":"d"} ]}}`)
	tools, _ := Find(raw, Root(raw), "result", "tools")
	out, err := AppendCanonical([]byte("tool:"), raw, tools)
	if err != nil || string(out) != `tool:[{"description":"d","name":"x"}]` {
		t.Errorf("%s, %v", out, err)
	}
}
