package frame

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestMembersElementsAndFind(t *testing.T) {
	raw := []byte(` { "a" : 1 ,"\u0062":[ true , {"c":"x,]}\""} , null ],"":{ },"c":{"d":{"e":-1.5e3}},"\ud800":""}` + "\r\n")
	var got []string
	Members(raw, Root(raw), func(key string, m Member) bool {
		got = append(got, fmt.Sprintf("%s=%s:%s:%c", m.Key.Of(raw), key, m.Value.Of(raw), Type(raw, m.Value)))
		return true
	})
	want := []string{`"a"=a:1:0`, `"\u0062"=b:[ true , {"c":"x,]}\""} , null ]:[`, `""=:{ }:{`, `"c"=c:{"d":{"e":-1.5e3}}:{`, "\"\\ud800\"=\uFFFD:\"\":\""}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("members:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b, ok := Find(raw, Root(raw), "b")
	if !ok {
		t.Fatal("b not found")
	}
	got = nil
	Elements(raw, b, func(i int, v Span) bool {
		got = append(got, fmt.Sprintf("%d=%s", i, v.Of(raw)))
		return i < 1
	})
	if fmt.Sprint(got) != `[0=true 1={"c":"x,]}\""}]` {
		t.Errorf("elements %v", got)
	}
	for path, want := range map[string]string{"c d e": "-1.5e3", "a": "1", "c x": "", "b c": "", "a b": "", "nothing": ""} {
		v, ok := Find(raw, Root(raw), strings.Fields(path)...)
		if string(v.Of(raw)) != want || ok != (want != "") {
			t.Errorf("Find %s = %q, %v", path, v.Of(raw), ok)
		}
	}
	if v, ok := Find(raw, Root(raw)); !ok || v != Root(raw) {
		t.Error("no path is the value itself")
	}
	for _, none := range []Span{{}, {-1, 5}, {3, 2}, {0, 9999}, {5, 5}} {
		if _, ok := Find(raw, none, "a"); ok || none.Of(raw) != nil || Type(raw, none) != 0 {
			t.Errorf("%v is something", none)
		}
	}
}

func TestString(t *testing.T) {
	for _, tt := range []struct {
		raw, want  string
		wellFormed bool
	}{
		{`"plain"`, "plain", true},
		{`""`, "", true},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", true},
		{`"\u0041\u00e9\u20AC\ud83d\ude00"`, "Aé€😀", true},
		{`"\u0000"`, "\x00", true},
		{`"\ud83d"`, "\uFFFD", false},
		{`"\ud83dx\ude00"`, "\uFFFDx\uFFFD", false},
		{`"\ud83d\ud83d\ude00"`, "\uFFFD😀", false},
		{`"\ud83d\u0041"`, "\uFFFDA", false},
		{`"\ufffd"`, "\uFFFD", true},
		{"\"\xff\"", "\xff", false},
		{`"\x"`, `\x`, false},
		{`"\u12"`, `\u12`, false},
		{`1`, "", false},
		{`"`, "", false},
		{``, "", false},
	} {
		if s, ok := String([]byte(tt.raw), Span{0, len(tt.raw)}); s != tt.want || ok != tt.wellFormed {
			t.Errorf("%s: %q, %v; want %q, %v", tt.raw, s, ok, tt.want, tt.wellFormed)
		}
	}
	raw := []byte(`"plain"`)
	if b, _ := StringBytes(raw, Root(raw)); &b[0] != &raw[1] {
		t.Error("a string without escapes is copied")
	}
}

func TestAppendString(t *testing.T) {
	for in, want := range map[string]string{
		"":                         `""`,
		`<a href="x">&amp;</a>\`:   `"<a href=\"x\">&amp;</a>\\"`,
		"\x00\x1f\b\f\n\r\t\x7f":   `"\u0000\u001f\b\f\n\r\t` + "\x7f\"",
		"é\u2028😀":                 "\"é\u2028😀\"",
		"a\xffb\xed\xa0\x80c\xe2":  "\"a\uFFFDb\uFFFD\uFFFD\uFFFDc\uFFFD\"",
		"\uFFFD stays a character": "\"\uFFFD stays a character\"",
	} {
		got := string(AppendString([]byte("x"), in))
		if got != "x"+want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
		if err := Validate([]byte(got[1:])); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestEditsKeepTheRestByteForByte(t *testing.T) {
	dropped := func(names string) func(string, Member) bool {
		return func(key string, _ Member) bool { return !strings.Contains(names, key) }
	}
	for _, tt := range []struct {
		raw, drop string
		add       []string
		want      string
	}{
		{`{}`, "", nil, `{}`},
		{`{ }`, "", []string{`"z":1`}, `{ "z":1}`},
		{`{"a":1}`, "", []string{`"y":1`, `"z":2`}, `{"a":1,"y":1,"z":2}`},
		{`{"a":1}`, "a", nil, `{}`},
		{`{"a":1}`, "a", []string{`"z":1`}, `{"z":1}`},
		{`{ "a" : 1 , "b" : 2 , "c" : 3 }`, "a", nil, `{ "b" : 2 , "c" : 3 }`},
		{`{ "a" : 1 , "b" : 2 , "c" : 3 }`, "b", nil, `{ "a" : 1 , "c" : 3 }`},
		{`{ "a" : 1 , "b" : 2 , "c" : 3 }`, "c", nil, `{ "a" : 1 , "b" : 2 }`},
		{`{ "a" : 1 , "b" : 2 , "c" : 3 }`, "ab", nil, `{ "c" : 3 }`},
		{`{ "a" : 1 , "b" : 2 , "c" : 3 }`, "bc", nil, `{ "a" : 1 }`},
		{`{ "a" : 1 , "b" : 2 , "c" : 3 }`, "ac", nil, `{ "b" : 2 }`},
		{`{ "a" : 1 , "b" : 2 , "c" : 3 }`, "abc", nil, `{  }`},
		{`{ "a" : 1 , "b" : 2 , "c" : 3 }`, "abc", []string{`"z":1`}, `{  "z":1}`},
		{`{ "a" : 1 , "b" : 2 , "c" : 3 }`, "bc", []string{`"z":1`}, `{ "a" : 1 ,"z":1}`},
		{`{"a":1,"\u0062":2}`, "b", nil, `{"a":1}`},
		{`[1]`, "a", []string{`"z":1`}, `[1]`},
		{`{"a":1`, "a", []string{`"z":1`}, `{"a":1`},
	} {
		raw := []byte(tt.raw)
		var add [][]byte
		for _, a := range tt.add {
			add = append(add, []byte(a))
		}
		if got := string(Splice(nil, raw, EditObject(raw, Root(raw), dropped(tt.drop), add...))); got != tt.want {
			t.Errorf("%s without %q, with %q: %s, want %s", tt.raw, tt.drop, tt.add, got, tt.want)
		}
	}
}

func TestEditArrayMatchesWhatShouldStay(t *testing.T) {
	for n := range 6 {
		for drop := range 1 << n {
			for added := range 3 {
				var elements, want []string
				for i := range n {
					elements = append(elements, fmt.Sprintf(`{"n":%d}`, i))
					if drop>>i&1 == 0 {
						want = append(want, elements[i])
					}
				}
				var add [][]byte
				for i := range added {
					add = append(add, fmt.Appendf(nil, `"new %d"`, i))
					want = append(want, string(add[i]))
				}
				for _, space := range []string{"", " "} {
					raw := []byte(`{"tools":[` + space + strings.Join(elements, space+","+space) + space + `],"x":1}`)
					array, _ := Find(raw, Root(raw), "tools")
					out := Splice(nil, raw, EditArray(raw, array, func(i int, _ Span) bool { return drop>>i&1 == 0 }, add...))
					var compact bytes.Buffer
					if err := json.Compact(&compact, out); err != nil || compact.String() != `{"tools":[`+strings.Join(want, ",")+`],"x":1}` {
						t.Fatalf("%s without %b and %d new: %s (%v)", raw, drop, added, out, err)
					}
				}
			}
		}
	}
}

func TestAppendAndCut(t *testing.T) {
	for in, want := range map[string]string{`[]`: `[0]`, `[ ]`: `[ 0]`, `[1, 2]`: `[1, 2,0]`, `{}`: `{}`, `[`: `[`} {
		raw := []byte(in)
		if got := string(Splice(nil, raw, EditArray(raw, Root(raw), nil, []byte("0")))); got != want {
			t.Errorf("append to %s: %s", in, got)
		}
	}
	raw := []byte(`{"a":1}`)
	if got := string(Splice(nil, raw, AppendMember(raw, Root(raw), []byte(`"b":2`)))); got != `{"a":1,"b":2}` {
		t.Error(got)
	}
	raw = []byte(`[1,2,3]`)
	if got := string(Splice(nil, raw, EditArray(raw, Root(raw), func(i int, _ Span) bool { return i != 1 }))); got != `[1,3]` {
		t.Error(got)
	}
}

func TestSpliceIsSafeWithAnyEdits(t *testing.T) {
	raw := []byte("0123456789")
	for _, tt := range []struct {
		name  string
		edits []Edit
		want  string
	}{
		{"none", nil, "0123456789"},
		{"unsorted", []Edit{{8, 9, []byte("b")}, {1, 2, []byte("a")}}, "0a234567b9"},
		{"an insertion before a removal at one place", []Edit{{2, 4, nil}, {2, 2, []byte("x")}}, "01x456789"},
		{"an insertion where a removal ends", []Edit{{4, 4, []byte("x")}, {2, 4, nil}}, "01x456789"},
		{"two insertions at one place stay in order", []Edit{{3, 3, []byte("a")}, {3, 3, []byte("b")}}, "012ab3456789"},
		{"inside a removal", []Edit{{2, 8, nil}, {4, 5, []byte("x")}}, "0189"},
		{"overlapping", []Edit{{2, 5, []byte("x")}, {4, 8, []byte("y")}}, "01x89"},
		{"out of range", []Edit{{-5, 1, []byte("a")}, {9, 99, []byte("z")}, {50, 60, []byte("!")}}, "a12345678z!"},
		{"backwards", []Edit{{5, 3, []byte("x")}}, "01234x56789"},
		{"all", []Edit{{0, 10, nil}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Splice([]byte(">"), raw, tt.edits)); got != ">"+tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestKeysThatOnlyWeMayWriteAreFoundAtEveryDepthAndCut(t *testing.T) {
	for _, tt := range []struct{ name, result, want string }{
		{"none", `{"a":"sallyport/decision","sallyport":1,"x sallyport/":2}`, `{"a":"sallyport/decision","sallyport":1,"x sallyport/":2}`},
		{"alone", `{"sallyport/decision":{"status":"released"}}`, `{}`},
		{"first", `{"sallyport/a":1 , "b":2}`, `{ "b":2}`},
		{"last", `{"a":1 , "sallyport/b":2 }`, `{"a":1  }`},
		{"between", `{"a":1,"sallyport/b":[1,{"x":"}"}],"c":3}`, `{"a":1,"c":3}`},
		{"all of several", `{"sallyport/a":1,"sallyport/b":2, "sallyport/c":3}`, `{ }`},
		{"runs at both ends", `{"sallyport/a":1,"sallyport/b":2,"c":3,"sallyport/d":4,"sallyport/e":5}`, `{"c":3}`},
		{"in turn", `{"a":1,"sallyport/b":2,"c":3,"sallyport/d":4,"e":5}`, `{"a":1,"c":3,"e":5}`},
		{"one in another", `{"_meta":{"sallyport/a":{"x":1,"sallyport/b":{"sallyport/c":2}},"y":1}}`, `{"_meta":{"y":1}}`},
		{"in an array", `{"content":[{"type":"text","_meta":{"sallyport/decision":{}}},{"sallyport/x":1}]}`, `{"content":[{"type":"text","_meta":{}},{}]}`},
		{"escaped", `{"\u0073allyport\/decision":1,"a":1}`, `{"a":1}`},
		{"in another case", `{"Sallyport/decision":1,"ſallyport/x":2,"SALLYPORT/y":3}`, `{}`},
		{"the prefix and no more", `{"sallyport/":1}`, `{}`},
		{"an object after a nested one", `{"a":{"sallyport/x":1,"b":2},"sallyport/y":{"z":1},"c":{"d":1,"sallyport/z":3}}`, `{"a":{"b":2},"c":{"d":1}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := answerWith(tt.result) + "\n"
			m := scanned(t, line, FromServer)
			for _, ours := range m.Ours {
				key, _ := String(m.Raw, ours.Key)
				if !strings.HasPrefix(strings.ReplaceAll(strings.ToLower(key), "ſ", "s"), prefix) || ours.Value.Empty() {
					t.Errorf("%q is not ours", key)
				}
			}
			edits := m.CutOurs()
			for i := 1; i < len(edits); i++ {
				if edits[i].Start < edits[i-1].End {
					t.Errorf("edits %v overlap", edits)
				}
			}
			if got, want := string(Splice(nil, m.Raw, edits)), answerWith(tt.want)+"\n"; got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			if m := scanned(t, line, FromClient); len(m.Ours) != 0 {
				t.Error("a client's keys are counted")
			}
		})
	}
	m := scanned(t, `{"jsonrpc":"2.0","sallyport/x":1,"id":1,"result":{}}`, FromServer)
	if got := string(Splice(nil, m.Raw, m.CutOurs())); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Error(got)
	}
	var many []string
	for i := range MaxOurs + 1 {
		many = append(many, fmt.Sprintf(`"sallyport/%d":1`, i))
	}
	judged(t, FromServer, true, answerWith("{"+strings.Join(many[1:], ",")+"}"))
	judged(t, FromServer, false, answerWith("{"+strings.Join(many, ",")+"}"))
}
