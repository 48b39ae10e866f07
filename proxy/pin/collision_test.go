package pin

import (
	"fmt"
	"slices"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/sallyport/sallyport/proxy/inspect"
)

func TestT25NamesThatCollideAreAllWithheld(t *testing.T) {
	own := []string{"approve_server_config", "quarantine_release"}
	tools := func(names ...string) (items []Item) {
		for _, name := range names {
			items = append(items, Item{Kind: Tool, Name: name})
		}
		return items
	}
	tests := []struct {
		name  string
		items []Item
		want  []int
	}{
		{"different names", tools("echo", "echo2", "e_cho", "list", "e-cho"), nil},
		{"one name twice", tools("echo", "other", "echo"), []int{0, 2}},
		{"one name three times", tools("echo", "echo", "echo"), []int{0, 1, 2}},
		{"upper and lower case", tools("echo", "Echo"), []int{0, 1}},
		{"a zero-width space", tools("echo", "ec\u200bho"), []int{0, 1}},
		{"tag characters", tools("echo", "echo\U000E0041"), []int{0, 1}},
		{"a direction override", tools("echo", "\u202eecho"), []int{0, 1}},
		{"a control character", tools("echo", "ec\x07ho"), []int{0, 1}},
		{"a line break within", tools("echo", "ec\nho"), []int{0, 1}},
		{"white space around", tools("echo", " echo\t\u00a0"), []int{0, 1}},
		{"fullwidth letters", tools("echo", "ｅｃｈｏ"), []int{0, 1}},
		{"a ligature", tools("file", "ﬁle"), []int{0, 1}},
		{"composed and decomposed", tools("é", "e\u0301"), []int{0, 1}},
		{"the Kelvin sign", tools("kilo", "\u212Ailo"), []int{0, 1}},
		{"the long s", tools("set", "ſet"), []int{0, 1}},
		{"sharp s", tools("straße", "STRASSE"), []int{0, 1}},
		{"Greek final sigma", tools("ΛΌΓΟΣ", "λόγος"), []int{0, 1}},
		{"all at once", tools("echo", " Ｅ\u200bCHO "), []int{0, 1}},
		{"two pairs", tools("a", "b", "A", "B", "c"), []int{0, 1, 2, 3}},
		{"a tool of ours", tools("echo", "approve_server_config"), []int{1}},
		{"a tool of ours in capitals", tools("Quarantine_Release"), []int{0}},
		{"a tool of ours with something invisible", tools("quarantine\u2060_release "), []int{0}},
		{"two tools of ours", tools("quarantine_release", "quarantine_release"), []int{0, 1}},
		{"a prompt may be called like a tool of ours", []Item{{Kind: Prompt, Name: "quarantine_release"}}, nil},
		{"one name in two kinds", []Item{{Kind: Prompt, Name: "echo"}, {Kind: Tool, Name: "echo"}, {Kind: Resource, Name: "echo"}}, nil},
		{"two resources", []Item{{Kind: Resource, Name: "file:///a"}, {Kind: Resource, Name: "file:///A"}}, []int{0, 1}},
		{"nothing", nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			withheld, findings := Collisions(test.items, own)
			var got []int
			for i := range withheld {
				got = append(got, i)
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("withheld %v, want %v", got, test.want)
			}
			named := map[string]bool{}
			for _, f := range findings {
				if f.Rule != NameCollision || f.Level != inspect.Critical || f.Category != "threat" || f.Title == "" {
					t.Errorf("finding %+v", f)
				}
				named[f.Where] = true
			}
			for _, i := range test.want {
				if !named[test.items[i].Key()] {
					t.Errorf("no finding for %s", test.items[i].Key())
				}
			}
			if len(test.want) == 0 && len(findings) != 0 {
				t.Errorf("findings %+v", findings)
			}
		})
	}
}

// Our folding equals the standard one under NFKC, which names are compared under.
func TestFoldingIsFullCaseFolding(t *testing.T) {
	standard := cases.Fold()
	classes := map[string]string{}
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			continue
		}
		full := norm.NFKC.String(standard.String(norm.NFKC.String(standard.String(norm.NFKD.String(string(r))))))
		ours := fold(string(r))
		if before, ok := classes[full]; ok && before != ours {
			t.Errorf("U+%04X folds to %q where the standard folds it to %q like what folds to %q", r, ours, full, before)
		}
		classes[full] = ours
	}
}

func BenchmarkCollisions(b *testing.B) {
	var items []Item
	for i := range 100 {
		items = append(items, Item{Kind: Tool, Name: fmt.Sprintf("tool_number_%d", i)})
	}
	for b.Loop() {
		Collisions(items, []string{"approve_server_config", "quarantine_release"})
	}
}
