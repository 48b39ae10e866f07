package inspect

import (
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

func TestEveryRuleFindsItsExampleAndLeavesItsCounterExample(t *testing.T) {
	c := standard().matcher()
	names := map[string]bool{}
	for i, r := range c.rules {
		if names[r.name] {
			t.Errorf("%s stands twice", r.name)
		}
		names[r.name] = true
		has := func(text string) bool {
			c.begin()
			c.match(decode.Fold(&decode.View{Text: text}).Text, 0)
			for _, h := range c.hits {
				if int(h.rule) == i {
					return true
				}
			}
			return false
		}
		if r.example == "" || r.counter == "" || r.source == "" || r.title == "" {
			t.Errorf("%s has no example, counter-example, source or title", r.name)
		}
		if !has(r.example) {
			t.Errorf("%s does not find its example %q", r.name, r.example)
		}
		if has(r.counter) {
			t.Errorf("%s finds its counter-example %q", r.name, r.counter)
		}
	}
}
