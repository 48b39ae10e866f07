package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

func TestEveryRuleFindsItsExampleAndLeavesItsCounterExample(t *testing.T) {
	c := Standard().Matcher()
	names := map[string]bool{}
	for i, r := range c.Rules {
		if r.Name == EncodedText { // it has no words of its own
			continue
		}
		key := fmt.Sprint(r.Name, r.Floor)
		if names[key] {
			t.Errorf("%s stands twice", r.Name)
		}
		names[key] = true
		has := func(text string) bool {
			c.Begin()
			c.Match(decode.Fold(&decode.View{Text: text}).Text, 0)
			for _, h := range c.Hits {
				if int(h.Rule) == i {
					return true
				}
			}
			return false
		}
		if r.example == "" || r.counter == "" || r.source == "" || r.Title == "" {
			t.Errorf("%s has no example, counter-example, source or title", r.Name)
		}
		if !has(r.example) {
			t.Errorf("%s does not find its example %q", r.Name, r.example)
		}
		if has(r.counter) {
			t.Errorf("%s finds its counter-example %q", r.Name, r.counter)
		}
	}
}

// Texts are matched without marks over letters, and words whose letters all look like Latin ones as if they were Latin. In a longer word than the
// phrase there may be a letter that is unlike any, so such a phrase stands in both forms; one that no text is folded to would never match. They
// are written out, because compiling is part of a wrapper's first response.
func TestEveryPhraseStandsAsTextsAreFolded(t *testing.T) {
	fold := func(text string) string { return decode.Fold(&decode.View{Text: text}).Text }
	for _, r := range Standard().Rules {
		for _, pattern := range r.patterns {
			for k, part := range strings.Split(pattern, " ~") {
				if k > 0 {
					_, part, _ = strings.Cut(part, " ")
				}
				forms := map[string]bool{}
				for word := range strings.SplitSeq(part, "|") {
					forms[unescaped(strings.Trim(word, "*"))] = true
				}
				for word := range forms {
					switch folded := fold(word); {
					case folded == word:
					case !forms[folded]:
						t.Errorf("%s: %q has no %q beside it", r.Name, word, folded)
					case !strings.HasPrefix(fold(word+"щ"), word):
						t.Errorf("%s: no text is folded to %q", r.Name, word)
					}
				}
			}
		}
	}
}
