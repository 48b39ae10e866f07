package inspect

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

const maxAlike = 3 // letters of a name that are spelled out

// mixedName finds letters of another alphabet in a name that look Latin: of two tools that both read "get", one may have a Cyrillic letter,
// and nobody can see it. A name in one alphabet is fine: people write in their own language. So is a name whose words are each in one
// alphabet, unless a whole word looks Latin and the name is not prose, not an address, and has no letter that reveals its alphabet. A
// single Greek letter is a formula.
func mixedName(name string) (f Finding, mixed bool) {
	if !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return f, false
	}
	latin, passes, shows := false, false, false // in the name: a Latin letter, a word that looks Latin, a letter that reveals its alphabet
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		own, others, alikes := 0, 0, 0
		for _, r := range word {
			switch {
			case unicode.Is(unicode.Latin, r):
				own++
			case passesForLatin(r):
				alikes++
			case unicode.IsLetter(r):
				others++
			}
		}
		mixed = mixed || own > 0 && alikes > 0
		latin = latin || own > 0
		shows = shows || others > 0
		passes = passes || own+others == 0 && alikes > 0 && !(alikes == 1 && strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Greek, r) }))
	}
	if !mixed && !(latin && passes && !shows && !strings.ContainsAny(name, " :/{")) {
		return f, false
	}
	return Finding{
		Rule: LookAlikeName, Level: Medium, Category: "threat", Title: "Its name has letters that look like Latin ones and are not: " + alikesOf(name),
		End: len(name), Match: cut.Runes(name, maxMatch),
	}, true
}

// passesForLatin reports whether a letter of another script looks like a Latin one.
func passesForLatin(r rune) bool {
	_, looks := legible.Lookalikes()[r]
	return looks && !unicode.Is(unicode.Latin, r)
}

// alikesOf spells out the letters of a name that look Latin.
func alikesOf(name string) string {
	var said []string
	seen := map[rune]bool{}
	for _, r := range name {
		if seen[r] || !passesForLatin(r) {
			continue
		}
		if seen[r] = true; len(said) == maxAlike {
			said = append(said, "and more")
			break
		}
		said = append(said, fmt.Sprintf("U+%04X (%s) for %c", r, alphabetOf(r), legible.Lookalikes()[r]))
	}
	return strings.Join(said, ", ")
}

// alphabetOf names the scripts that have look-alikes.
func alphabetOf(r rune) string {
	switch {
	case unicode.Is(unicode.Cyrillic, r):
		return "Cyrillic"
	case unicode.Is(unicode.Greek, r):
		return "Greek"
	case unicode.Is(unicode.Armenian, r):
		return "Armenian"
	case unicode.Is(unicode.Cherokee, r):
		return "Cherokee"
	}
	return "another script"
}
