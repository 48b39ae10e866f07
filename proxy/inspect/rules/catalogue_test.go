package rules

import (
	"fmt"
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
