package markup

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// outline writes a tree as one line, with the text of each scalar as the file spells it.
func outline(raw string, v *hujson.Value) string {
	switch x := v.Value.(type) {
	case *hujson.Object:
		var members []string
		for i := range x.Members {
			name := x.Members[i].Name.Value.(hujson.Literal).String()
			members = append(members, name+":"+outline(raw, &x.Members[i].Value))
		}
		return "{" + strings.Join(members, " ") + "}"
	case *hujson.Array:
		var elements []string
		for i := range x.Elements {
			elements = append(elements, outline(raw, &x.Elements[i]))
		}
		return "[" + strings.Join(elements, " ") + "]"
	}
	return raw[v.StartOffset:v.EndOffset]
}

func TestTOMLIsReadWithThePlaceOfEachValue(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"a table", "[a]\nb = \"c\"\n", `{a:{b:"c"}}`},
		{"tables below it", "# x\n[a.b]\r\nc = 1 # y\r\n[a.b.env]\nK = 'v'\n", `{a:{b:{c:1 env:{K:'v'}}}}`},
		{"dotted keys", "a.b.c = true\na.b.\"d e\" = [ 1, # one\n  2,\n]\n", `{a:{b:{c:true d e:[1 2]}}}`},
		{"inline tables", "a = { b = {c = '''x''', d.e = 2}, f = [] }", `{a:{b:{c:'''x''' d:{e:2}} f:[]}}`},
		{"lists of tables", "[[a]]\nn = \"1\"\n[[a]]\nn = \"2\"\n[a.env]\nK = 1_000\n", `{a:[{n:"1"} {n:"2" env:{K:1_000}}]}`},
		{"texts on several lines", "a = \"\"\"\nx\n\"\"\"\nb = 1979-05-27T07:32:00Z", "{a:\"\"\"\nx\n\"\"\" b:1979-05-27T07:32:00Z}"},
		{"an empty file", "", "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := TOML([]byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if got := outline(c.raw, &text.Root); got != c.want || len(text.Odd) > 0 {
				t.Errorf("it is %s, odd %v, want %s", got, text.Odd, c.want)
			}
		})
	}
}

func TestATOMLTableInPiecesIsOdd(t *testing.T) {
	for name, raw := range map[string]string{
		"another table's keys between":  "a.b = 1\nc = 2\na.d = 3\n",
		"its own header after a part's": "[a.b]\nc = 1\n[a]\nd = 2\n",
	} {
		text, err := TOML([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		a := &text.Root.Value.(*hujson.Object).Members[0].Value
		if text.Odd[a] == "" {
			t.Errorf("%s: it is not odd", name)
		}
	}
}

func TestInvalidTOMLIsAnErrorWithoutItsText(t *testing.T) {
	for _, raw := range []string{"a = ", "a = 1\na = 2", "[a]\n[a]", "[a]\nb=1\n[a.b]", "= 1", "a = \"sekret", "a.b = 1\n[a]\n", "\x00", "a = 'sekret\n'"} {
		text, err := TOML([]byte(raw))
		if err == nil || strings.Contains(fmt.Sprint(err), "sekret") {
			t.Errorf("%q: %v, %v", raw, text, err)
		}
	}
}

func TestYAMLIsReadWithThePlaceOfEachValue(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"blocks", "# c\na:\n  \"ü é\": # x\n    cmd: npx # why\n    args:\n    - -y\n    # mid\n    - \"a b\" # e\n    - 'it''s'\n  c: true\n", `{a:{ü é:{cmd:npx args:[-y "a b" 'it''s']} c:true}}`},
		{"flow", "a: {b: [ -y, x y , \"q\\\"\"  ], 'c': {}, d: []}", `{a:{b:[-y x y "q\""] c:{} d:[]}}`},
		{"CRLF", "a:\r\n- b: ü\r\n  c: d # e\r\n-   b: f\r\n", `{a:[{b:ü c:d} {b:f}]}`},
		{"one document with its marks", "---\na: 1\n...\n", `{a:1}`},
		{"no values", "a:\nb: ~\nc: null", `{a: b:~ c:null}`},
		{"nothing", "# only\n", `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := YAML([]byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if got := outline(c.raw, &text.Root); got != c.want || len(text.Odd) > 0 {
				t.Errorf("it is %s, odd %v, want %s", got, text.Odd, c.want)
			}
		})
	}
}

func TestWhatYAMLReadsElsewhereOrTwiceIsOdd(t *testing.T) {
	for name, raw := range map[string]string{
		"an anchor":               "a: &x b",
		"an alias":                "x: &x b\na: *x",
		"a tag":                   "a: !!str b",
		"a block":                 "a: |\n  sekret\n  two\nb: c\n",
		"several lines":           "a: b\n  c\n",
		"quotes on several lines": "a: \"b\n  c\"\n",
		"a merge key":             "x: &x {b: c}\na:\n  <<: *x\n",
		"a word of YAML 1.1":      "a: yes",
		"a number of YAML 1.1":    "a: 12:30:45",
	} {
		t.Run(name, func(t *testing.T) {
			text, err := YAML([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			members := text.Root.Value.(*hujson.Object).Members
			for i := range members {
				if members[i].Name.Value.(hujson.Literal).String() == "a" && text.Odd[&members[i].Value] == "" {
					t.Errorf("it is not odd: %s", outline(raw, &text.Root))
				}
			}
		})
	}
}

func TestInvalidYAMLIsAnErrorWithoutItsText(t *testing.T) {
	for _, raw := range []string{"a: 1\na: 2", "a: [sekret", "a: \"sekret", "a: 1\n---\nb: 2\n", "a\rb: 1", "%YAML 1.1\n---\na: 1", "? a\n: b", "a: b: sekret", "\ta: 1", "a: \x00", "a: *sekret"} {
		text, err := YAML([]byte(raw))
		if err == nil && raw == "a: *sekret" {
			continue // odd is enough
		}
		if err == nil || strings.Contains(fmt.Sprint(err), "sekret") {
			t.Errorf("%q: %v", raw, err)
			if text != nil {
				t.Log(outline(raw, &text.Root))
			}
		}
	}
}
