package proxy

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// It drives crowd with its own clock.
func TestACrowdIsManyCallsAtATimeAndSoonOver(t *testing.T) {
	const many, few = crowdSize, crowdSize - 1
	type calls struct {
		lasting, apart time.Duration
		inFlight       int
	}
	const fast, slow = 100 * time.Microsecond, 5 * time.Millisecond
	for _, c := range []struct {
		name  string
		calls []calls
		told  []bool
	}{
		{"many and fast", []calls{{time.Second, fast, many}}, []bool{true}},
		{"fast, few at a time", []calls{{time.Second, fast, few}}, nil},
		{"many at a time, slow", []calls{{time.Second, slow, many}}, nil},
		{"many and fast, then few", []calls{{time.Second, fast, many}, {time.Second, fast, few}}, []bool{true, false}},
		{"many and fast, then slow", []calls{{time.Second, fast, many}, {time.Second, slow, many}}, []bool{true, false}},
		{"many and fast, then one after a minute", []calls{{time.Second, fast, many}, {0, time.Minute, 1}}, []bool{true, false}},
		{"many and fast for less than a window, then one after a minute", []calls{{crowdWindow / 2, fast, many}, {0, time.Minute, 1}}, nil},
		{"twice", []calls{{time.Second, fast, many}, {time.Second, fast, few}, {time.Second, fast, many}}, []bool{true, false, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told []bool
			crowd := crowd{giveWay: func(yes bool) bool { told = append(told, yes); return true }}
			now := time.Now()
			crowd.see(1, now)
			for _, calls := range c.calls {
				for end := now.Add(calls.lasting); ; {
					now = now.Add(calls.apart)
					crowd.see(calls.inFlight, now)
					if !now.Before(end) {
						break
					}
				}
			}
			if !slices.Equal(told, c.told) {
				t.Errorf("told %v, want %v", told, c.told)
			}
		})
	}
}

// Two goroutines forward calls: the one that reads the client, and the one that empties the entrance.
func TestACrowdIsToldOfCallsByMoreThanOne(t *testing.T) {
	asked := 0
	crowd := crowd{giveWay: func(bool) bool { asked++; return false }}
	begin := time.Now()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 2000 {
				crowd.see(crowdSize, begin.Add(time.Duration(i)*100*time.Microsecond))
			}
		})
	}
	all.Wait()
	if asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}
}

func TestWhoMayNotGiveWayIsAskedOnce(t *testing.T) {
	asked := 0
	crowd := crowd{giveWay: func(bool) bool { asked++; return false }}
	now := time.Now()
	for range 100_000 {
		now = now.Add(100 * time.Microsecond)
		crowd.see(crowdSize, now)
	}
	if asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}
}
