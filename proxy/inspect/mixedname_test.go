package inspect

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestANameThatMixesAlphabetsIsFound(t *testing.T) {
	for name, c := range map[string]struct{ member, text, said string }{
		"a Cyrillic letter in a Latin word":   {"name", "gеt", "U+0435 (Cyrillic) for e"},
		"a Greek letter in a Latin word":      {"name", "read_filε", "U+03B5 (Greek) for e"},
		"a Cyrillic word beside a Latin one":  {"name", "read_асе", "U+0430 (Cyrillic) for a, U+0441 (Cyrillic) for c, U+0435 (Cyrillic) for e"},
		"a Cyrillic letter for a word":        {"name", "а_tool", "U+0430 (Cyrillic) for a"},
		"many letters":                        {"name", "x_асероху", "U+0430 (Cyrillic) for a, U+0441 (Cyrillic) for c, U+0435 (Cyrillic) for e, and more"},
		"letters of an address":               {"uriTemplate", "filе:///{path}", "U+0435 (Cyrillic) for e"},
		"a word of two alphabets":             {"name", "отчетPDF", "U+043E (Cyrillic) for o"},
		"an Armenian letter in a Latin word":  {"name", "cօpy", "U+0585 (Armenian) for o"},
		"a Cherokee letter in a Latin word":   {"name", "Ꭺdd", "U+13AA (Cherokee) for a"},
		"the same letter twice is named once": {"name", "sееk", "U+0435 (Cyrillic) for e"},
	} {
		t.Run(name, func(t *testing.T) {
			raw, _ := json.Marshal(map[string]string{c.member: c.text, "description": "Reads."})
			got := Definition(raw)
			if len(got) != 1 || got[0].Rule != LookAlikeName || got[0].Level != Medium || got[0].Category != "threat" || got[0].Where != c.member || got[0].Match != c.text {
				t.Fatalf("%+v", got)
			}
			if !strings.Contains(got[0].Title, c.said) || strings.Count(got[0].Title, "(") > 3 {
				t.Errorf("%s", got[0].Title)
			}
			if v := JudgeDefinition(raw).Verdict; v != Flag {
				t.Errorf("%s", v)
			}
		})
	}
}

func TestANameOfOneAlphabetIsNoFinding(t *testing.T) {
	for _, raw := range []string{
		`{"name":"get_forecast"}`, `{"name":"поиск"}`, `{"name":"асе"}`, `{"name":"получить_отчёт"}`, `{"name":"αναζήτηση"}`, `{"name":"検索_search"}`, `{"name":"größe_höhe"}`,
		`{"name":"поиск_v2"}`, `{"name":"web_поиск"}`, `{"name":"yapı_ara"}`, `{"name":"Δt"}`, `{"name":"поиск_в_web"}`, `{"name":"β-carotene"}`, `{"name":"σ_filter"}`, `{"name":"χ2_test"}`, `{"name":"calc_α"}`, `{"name":"تقرير_pdf"}`,
		`{"name":"API место"}`, `{"uriTemplate":"weather://{место}/{город}"}`,
		`{"name":"get","description":"gеt"}`, `{"name":"get","inputSchema":{"properties":{"name":{"description":"gеt"}}}}`, `{"name":"get","_meta":{"name":"gеt"}}`,
	} {
		if got := Definition([]byte(raw)); len(got) > 0 {
			t.Errorf("%s: %+v", raw, got)
		}
	}
}
