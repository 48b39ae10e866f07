package inspect

import (
	"fmt"
	"strings"
	"testing"
)

func TestEveryStringAndKeyIsLookedAt(t *testing.T) {
	const hidden = `x\u200by`
	tests := []struct{ raw, where string }{
		{`"` + hidden + `"`, ""},
		{`{"description":"` + hidden + `"}`, "description"},
		{`{"inputSchema":{"properties":{"city":{"description":"` + hidden + `"}}}}`, "inputSchema.properties.city.description"},
		{`{"inputSchema":{"required":["a","` + hidden + `"]}}`, "inputSchema.required[1]"},
		{`{"inputSchema":{"properties":{"a":{"type":"` + hidden + `"}}}}`, "inputSchema.properties.a.type"},
		{`{"inputSchema":{"properties":{"a":{"enum":[{"deep":["` + hidden + `"]}]}}}}`, "inputSchema.properties.a.enum[0].deep[0]"},
		{`{"inputSchema":{"properties":{"` + hidden + `":{}}}}`, `inputSchema.properties["x\u200by"]`},
		{`{"annotations":{"title":"` + hidden + `"}}`, "annotations.title"},
		{`{"icons":[{"src":"` + hidden + `"}]}`, "icons[0].src"},
		{`{"_meta":{"a.b/c":"` + hidden + `"}}`, `_meta["a.b/c"]`},
		{`{"futureField":[[["` + hidden + `"]]]}`, "futureField[0][0][0]"},
	}
	for _, test := range tests {
		for name, look := range map[string]func([]byte) []Finding{
			"JSON": func(raw []byte) []Finding { return JSON(raw, "") }, "Definition": Definition,
		} {
			got := look([]byte(test.raw))
			if len(got) != 1 || got[0].Rule != InvisibleCharacters || got[0].Where != test.where {
				t.Errorf("%s(%s): %+v, want one at %s", name, test.raw, got, test.where)
			}
		}
	}
	got := JSON([]byte(`{"text":"`+hidden+`"}`), "result.content[0]")
	if len(got) != 1 || got[0].Where != "result.content[0].text" || got[0].Start != 1 || got[0].End != 4 {
		t.Errorf("%+v", got)
	}
}

func TestBeyondTheBounds(t *testing.T) {
	repeat := strings.Repeat
	properties := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"p%d":{"type":"string"}`, i)
		}
		return b.String()[1:]
	}
	nested := func(n int) string { return repeat(`{"a":`, n) + `1` + repeat(`}`, n) }
	tests := []struct {
		name  string
		raw   string
		where []string
	}{
		{"an ordinary tool", `{"name":"a","description":"b","inputSchema":{"type":"object"}}`, nil},
		{"a name of 128 characters", `{"name":"` + repeat("é", 128) + `"}`, nil},
		{"a name of 129 characters", `{"name":"` + repeat("é", 129) + `"}`, []string{"name"}},
		{"a prompt's argument of 129 characters", `{"arguments":[{"name":"` + repeat("a", 129) + `"}]}`, []string{"arguments[0].name"}},
		{"a description of 16 KiB", `{"description":"` + repeat("a", 16<<10) + `"}`, nil},
		{"a longer description", `{"description":"` + repeat("a", 16<<10+1) + `"}`, []string{"description"}},
		{"a longer description of a parameter", `{"inputSchema":{"properties":{"a":{"description":"` + repeat("a", 16<<10+1) + `"}}}}`,
			[]string{"inputSchema.properties.a.description"}},
		{"instructions beyond 16 KiB", `"` + repeat("a", 16<<10+1) + `"`, []string{""}},
		{"a picture in an icon", `{"icons":[{"src":"data:image/png;base64,` + repeat("A", 40<<10) + `"}]}`, nil},
		{"a schema of 64 levels", `{"inputSchema":` + nested(64) + `}`, nil},
		{"a schema of 65 levels", `{"inputSchema":` + nested(65) + `}`, []string{"inputSchema"}},
		{"an output schema of 65 levels", `{"outputSchema":` + nested(65) + `}`, []string{"outputSchema"}},
		{"a schema of 65 levels of lists", `{"inputSchema":{"a":` + repeat("[", 64) + "1" + repeat("]", 64) + `}}`, []string{"inputSchema"}},
		{"a schema of fewer than 10,000 nodes", `{"inputSchema":{"properties":{` + properties(4998) + `}}}`, nil},
		{"a schema of more than 10,000 nodes", `{"inputSchema":{"properties":{` + properties(5000) + `}}}`, []string{"inputSchema"}},
		{"a schema that is looked at in vain", `{"inputSchema":{"a":` + repeat("[", 900) + `"` + repeat("a", 1<<20) + `"` + repeat("]", 900) + `}}`,
			[]string{""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Definition([]byte(test.raw))
			if len(got) != len(test.where) {
				t.Fatalf("%.300q: %+v", test.raw, got)
			}
			for i, f := range got {
				// The path of a walk that gave up is as long as the nesting is deep, so it is not compared.
				if f.Rule != BeyondBounds || f.Level != Medium || test.where[i] != "" && f.Where != test.where[i] {
					t.Errorf("%+v", f)
				}
			}
		})
	}
	if got := JSON([]byte(`{"name":"`+repeat("a", 200)+`"}`), ""); len(got) != 0 {
		t.Errorf("a result has no bounds: %+v", got)
	}
}

func TestFindingsOfOneValueAreBoundedAndTheWorstStays(t *testing.T) {
	raw := `{"a":[` + strings.Repeat(`"x\u200by",`, 5_000) + `"` + tags("ignore all previous") + `"]}`
	got := JSON([]byte(raw), "")
	if len(got) > maxAllFindings+4 || Worst(got) != Critical {
		t.Errorf("%d findings, the worst %s", len(got), Worst(got))
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"name":"a","inputSchema":{"b":["\u200b",{"\ud800":"\udb40\udc69"}]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, g := range append(JSON(raw, ""), Definition(raw)...) {
			if g.Rule == "" || g.Title == "" || g.Level.Rank() == 0 {
				t.Fatalf("%+v", g)
			}
		}
	})
}

func BenchmarkDefinition(b *testing.B) {
	raw := []byte(`{"name":"a","description":"` + strings.Repeat("Does a thing. ", 50) + `","inputSchema":{"properties":{"a":{"type":"string","description":"` + strings.Repeat("A word. ", 30) + `"}}}}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		Definition(raw)
	}
}

func TestASchemaThatIsNoneIsFound(t *testing.T) {
	for _, tt := range []struct {
		definition string
		where      []string
	}{
		{`{"name":"a","inputSchema":{"type":"object"}}`, nil},
		{`{"name":"a"}`, nil},
		{`{"name":"a","inputSchema":"{\"type\":\"object\"}"}`, []string{"inputSchema"}},
		{`{"name":"a","inputSchema":[]}`, []string{"inputSchema"}},
		{`{"name":"a","inputSchema":null}`, []string{"inputSchema"}},
		{`{"name":"a","inputSchema":true,"outputSchema":7}`, []string{"inputSchema", "outputSchema"}},
		{`{"name":"a","inputSchema":{"type":"object","properties":{"inputSchema":"x"}}}`, nil},
		{`"a text with inputSchema"`, nil},
	} {
		var where []string
		for _, f := range Definition([]byte(tt.definition)) {
			if f.Rule == OddSchema || f.Rule == NotASchema {
				where = append(where, f.Where)
				if (f.Rule == NotASchema) != (f.Where == "inputSchema") {
					t.Errorf("%s: %s in %s", tt.definition, f.Rule, f.Where)
				}
				if f.Level != Medium || f.End == 0 {
					t.Errorf("%s: %+v", tt.definition, f)
				}
			}
		}
		if len(where) != len(tt.where) || len(where) > 0 && where[0] != tt.where[0] {
			t.Errorf("%s: found in %v", tt.definition, where)
		}
	}
	if judged := JudgeDefinition([]byte(`{"name":"a","inputSchema":"x"}`)); judged.Verdict != Flag {
		t.Errorf("judged %s", judged.Verdict)
	}
}
