package legible

import (
	"strings"
	"testing"
)

func TestRightToLeftNamesStayInTheirPlace(t *testing.T) {
	const files, mark = "ملفات المشروع", " ·1a2b"
	for name, c := range map[string][2]string{
		"none":                         {"weather ·1a2b changed", "weather ·1a2b changed"},
		"alone":                        {files, "⟦" + files + "⟧"},
		"before our words":             {files + " changed", "⟦" + files + "⟧ changed"},
		"before a number of ours":      {files + ": 3 tools", "⟦" + files + "⟧: 3 tools"},
		"with its mark":                {"New server: " + files + mark, "New server: ⟦" + files + mark + "⟧"},
		"with its mark, before a dash": {files + mark + " — new server", "⟦" + files + mark + "⟧ — new server"},
		"a mark of digits alone":       {files + " ·1234: 2 tools", "⟦" + files + " ·1234⟧: 2 tools"},
		"two":                          {files + " and שלום", "⟦" + files + "⟧ and ⟦שלום⟧"},
		"points over the last letter":  {"שָׁלוֹ 5", "⟦שָׁלוֹ⟧ 5"},
		"cut in the middle":            {"ملفات…المشروع — x", "⟦ملفات…المشروع⟧ — x"},
	} {
		if got := strings.NewReplacer("\u2068", "⟦", "\u2069", "⟧").Replace(Isolated(c[0])); got != c[1] {
			t.Errorf("%s: %q, want %q", name, got, c[1])
		}
		if back := PersonName(Isolated(c[0])); back != PersonName(c[0]) {
			t.Errorf("%s: cleaned it is %q", name, back)
		}
	}
}
