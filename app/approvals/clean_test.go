package approvals

import (
	"fmt"
	"testing"
	"time"
)

func TestOnlyAMultitudeOfListsIsForgotten(t *testing.T) {
	var sets cleanSets
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var digests []string
	for i := range maxCleanSets + 5 {
		digests = append(digests, sets.keep([]cleanMember{{code: fmt.Sprint(i), digest: "d"}}, now))
	}
	if sets.keep([]cleanMember{{code: "7", digest: "d"}}, now); len(sets.shown) != maxCleanSets {
		t.Fatalf("%d sets are kept", len(sets.shown))
	}
	later := sets
	if later.keep([]cleanMember{{code: "later", digest: "d"}}, now.Add(cleanSetLife)); len(later.shown) != 1 {
		t.Errorf("%d sets are kept after their hour", len(later.shown))
	}
	sets = cleanSets{}
	for i := range digests {
		sets.keep([]cleanMember{{code: fmt.Sprint(i), digest: "d"}}, now)
	}
	for i, digest := range digests {
		if _, err := sets.find(digest, now); (err == nil) != (i >= 5) {
			t.Errorf("set %d of %d: %v", i, len(digests), err)
		}
	}
	a, b := cleanMember{code: "A", digest: "1"}, cleanMember{code: "B", digest: "2"}
	if digestOfSet([]cleanMember{a, b}) != digestOfSet([]cleanMember{b, a}) {
		t.Error("the order of the inbox counts")
	}
	if digestOfSet([]cleanMember{a}) == digestOfSet([]cleanMember{a, b}) || digestOfSet([]cleanMember{a}) == digestOfSet([]cleanMember{{code: "A", digest: "2"}}) {
		t.Error("two sets have one digest")
	}
}
