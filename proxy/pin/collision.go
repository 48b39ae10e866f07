package pin

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// NameCollision is the rule of the finding that Collisions makes.
const NameCollision = "name_collision"

// Collisions finds items that must not be served because of their names: within one kind, every item whose name equals another's, becomes
// equal by cleaning, NFKC or case folding, or is one of ownNames (the wrapper's own tools; tools only). withheld holds the index of every
// item involved, not only the second, because the client would have to guess which is meant. There is one Critical finding per name, its
// Where the item's key.
func Collisions(items []Item, ownNames []string) (withheld map[int]bool, findings []inspect.Finding) {
	withheld = map[int]bool{}
	groups := map[string][]int{}
	for i, item := range items {
		for _, form := range forms(item.Name) {
			key := string(item.Kind) + "\x00" + form
			if held := groups[key]; len(held) == 0 || held[len(held)-1] != i {
				groups[key] = append(held, i)
			}
		}
	}
	ours := map[string]bool{}
	for _, name := range ownNames {
		for _, form := range forms(name) {
			ours[form] = true
		}
	}
	told := map[string]bool{}
	for i, item := range items {
		title, other := "", ""
		for _, form := range forms(item.Name) {
			if item.Kind == Tool && ours[form] {
				title = "A tool takes the name of one of Sallyport's own tools"
				break
			}
			if held := groups[string(item.Kind)+"\x00"+form]; len(held) > 1 && title == "" {
				other = items[held[0]].Name
				if held[0] == i {
					other = items[held[1]].Name
				}
				title = "Two items have one name, or names that become the same"
				if other == item.Name {
					title = "Two items have the same name"
				}
			}
		}
		if title == "" {
			continue
		}
		withheld[i] = true
		if key := item.Key(); !told[key] {
			told[key] = true
			findings = append(findings, inspect.Finding{
				Rule: NameCollision, Level: inspect.Critical, Category: "threat",
				Title: title, Where: key, End: len(item.Name), Match: cut.Runes(item.Name, maxMatch), Decoded: cut.Runes(other, maxMatch),
			})
		}
	}
	return withheld, findings
}

// forms are the forms by which a name is compared: as it is, under each transformation alone, and under all of them until nothing changes.
// Each alone as well, because one transformation may undo what another would have made equal.
func forms(name string) []string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return []string{name, strings.ToUpper(name)} // nothing else can change; fold's representative is the capital
	}
	all := name
	for range 4 {
		next := fold(norm.NFKC.String(cleaned(all)))
		if next == all {
			break
		}
		all = next
	}
	out := []string{name}
	for _, form := range []string{cleaned(name), norm.NFKC.String(name), fold(name), all} {
		if !slices.Contains(out, form) {
			out = append(out, form)
		}
	}
	return out
}

// cleaned is a name without invisible characters and surrounding white space.
func cleaned(name string) string {
	visible := strings.Map(func(r rune) rune {
		if legible.Hidden(r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
	return strings.TrimFunc(visible, unicode.IsSpace)
}

// fold is full case folding. It works on NFKD so that a letter and its marks fold one by one; beyond that, the only letter the standard
// folds to several is ß. (golang.org/x/text/cases has it too, at 0.1 ms of start-up and 600 KiB.)
func fold(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		if r == 'ß' || r == 'ẞ' {
			b.WriteString("ss")
			continue
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		b.WriteRune(least)
	}
	return norm.NFKC.String(b.String())
}
