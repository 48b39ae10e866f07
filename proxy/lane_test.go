package proxy

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
)

// entering starts responses that want to enter a lane, in this order. The function tells which are in it, and lets one leave.
func entering(l *lane, long func(who string) bool, all ...string) (in func() []string, leave func(who string)) {
	entered, leaving := make(chan string, len(all)), map[string]chan struct{}{}
	for _, who := range all {
		end := make(chan struct{})
		leaving[who] = end
		go func() {
			leave := l.enter(func() bool { return long(who) })
			entered <- who
			<-end
			leave()
		}()
		synctest.Wait()
	}
	var inside []string
	in = func() []string {
		synctest.Wait()
		for range len(entered) {
			inside = append(inside, <-entered)
		}
		return slices.Clone(inside)
	}
	leave = func(who string) {
		in()
		inside = slices.DeleteFunc(inside, func(one string) bool { return one == who })
		close(leaving[who])
	}
	return in, leave
}

func TestOfToolsThatTakeLongOneResponseAtATimeIsInFrontOfOthers(t *testing.T) {
	for _, c := range []struct {
		name   string
		atOnce int
		known  bool       // that they take long, before they come
		in     [][]string // who is in, at first and each time that all which take long have left
	}{
		{"known before, two at once", 2, true, [][]string{{"a long", "honest"}, {"b long", "honest"}, {"c long", "honest"}}},
		{"known before, one at once", 1, true, [][]string{{"a long"}, {"honest"}}},
		{"known once the first were done, two at once", 2, false, [][]string{{"a long", "b long"}, {"c long", "honest"}}},
		{"known once the first were done, one at once", 1, false, [][]string{{"a long"}, {"honest"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				known := c.known
				in, leave := entering(newLane(c.atOnce), func(who string) bool { return known && who != "honest" }, "a long", "b long", "c long", "honest")
				var got [][]string
				for {
					now := in()
					slices.Sort(now)
					if len(now) == 0 {
						break
					}
					got = append(got, now)
					known = true
					left := 0
					for _, who := range now {
						if who != "honest" {
							leave(who)
							left++
						}
					}
					if left == 0 {
						leave("honest")
					}
				}
				if fmt.Sprint(got[:len(c.in)]) != fmt.Sprint(c.in) {
					t.Errorf("%q, not %q", got, c.in)
				}
			})
		})
	}
}

func TestAToolThatTookLongOnceIsRemembered(t *testing.T) {
	c := newValidation()
	c.took("tool:quick", longerThan-1)
	c.took("tool:slow", longerThan)
	c.took("tool:slow", 0)
	if c.tookLong("tool:quick") || !c.tookLong("tool:slow") {
		t.Error("it is not, or another is")
	}
}
