package inspect

import "testing"

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
			if f.Rule == OddSchema {
				where = append(where, f.Where)
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
