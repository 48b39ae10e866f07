package declared

import (
	"bytes"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/sanitize"
)

// The values of inspect.descriptions under which definitions are looked at once more on their way to the client.
const (
	descriptionsReview = "review" // the approval decides
	descriptionsBlock  = "block"
)

// stands reports whether the person has such a rule.
func (v *View) stands() bool { return v.Policy.Descriptions != descriptionsReview }

// Turned looks again once the rule was switched on: only then are resources that are not pinned looked at.
func (c *Checker) Turned(before, after *View) {
	if after.stands() && !before.stands() && after.Seen != nil {
		c.lookFurther()
	}
}

// Stand applies the person's standing rule (inspect.descriptions) to a text of an item that the sanitizer has cleaned. It holds over an
// approval, and an exception for the item lifts it. Under review nothing is looked at.
func (v *View) Stand(rules *inspect.RuleFile, item string, clean []byte) inspect.Standing {
	if !v.stands() {
		return inspect.Standing{Definition: clean}
	}
	return rules.Stand(clean, v.Policy.Descriptions == descriptionsBlock, v.Silenced(item, time.Now()))
}

// Silenced are the rules that a person has excepted for an item, each up to a level; nil for none.
func (v *View) Silenced(item string, now time.Time) map[string]inspect.Level {
	var rules map[string]inspect.Level
	for _, e := range v.State.Exceptions {
		if e.Item == item && now.Before(e.Until) {
			if rules == nil {
				rules = map[string]inspect.Level{}
			}
			rules[e.Rule] = e.Level
		}
	}
	return rules
}

// standingRule judges the definitions of a snapshot, so that a call is refused for what its listing leaves out. A view is replaced often, and
// definitions rarely change, so verdicts are remembered.
type standingRule struct {
	rules *inspect.RuleFile
	known map[judgedBefore]inspect.Standing
}

type judgedBefore struct {
	item               string
	digest             pin.Digest
	setting, sanitizer string
}

// use takes the rules that hold now.
func (r *standingRule) use(rules *inspect.RuleFile) {
	if r.rules != rules || len(r.known) > maxSightings {
		r.rules, r.known = rules, nil
	}
}

// withholds judges an item of the snapshot and enters what was found into the view. Of two definitions of one resource the graver counts.
func (r *standingRule) withholds(v *View, key string, digest pin.Digest, raw []byte) bool {
	if r == nil || !v.stands() {
		return false
	}
	before := judgedBefore{key, digest, v.Policy.Descriptions, v.Policy.Sanitizer}
	excepted := v.Silenced(key, time.Now()) != nil
	s, known := r.known[before]
	if !known || excepted {
		if key == string(pin.Instructions) {
			raw = sanitize.Characters(raw, v.Policy.Sanitizer)
		} else {
			raw = sanitize.Definition(kindOf(key), raw, sanitize.Name(nameOf(key), v.Policy.Sanitizer), v.Policy.Sanitizer)
		}
		s = v.Stand(r.rules, key, raw)
		s.Definition = bytes.Clone(s.Definition)
	}
	if !known && !excepted {
		if r.known == nil {
			r.known = map[judgedBefore]inspect.Standing{}
		}
		r.known[before] = s
	}
	if s.Level != "" && !v.stood[key].Withheld {
		if v.stood == nil {
			v.stood = map[string]inspect.Standing{}
		}
		v.stood[key] = s
	}
	return s.Withheld
}

// sameStanding reports whether a client gets the same of an item.
func sameStanding(a, b inspect.Standing) bool {
	return a.Withheld == b.Withheld && bytes.Equal(a.Definition, b.Definition)
}
