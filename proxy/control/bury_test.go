package control

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sallyport/sallyport/proxy/peer"
)

// grave is a burials whose looks at the processes are counted, and wrappers that let go of their handles.
type grave struct {
	burials
	began    time.Time
	looks    [][]uint64      // marks, a line for each look
	at       []time.Duration // of each look, since it began
	told     map[uint64]int
	left     map[uint64]int // processes that outlived their wrappers, by mark
	released int
	running  sync.WaitGroup
}

func newGrave() *grave {
	g := &grave{began: time.Now(), told: map[uint64]int{}, left: map[uint64]int{}}
	g.burials = burials{
		kill: func(marks map[uint64]bool) map[uint64]int {
			g.looks = append(g.looks, slices.Sorted(maps.Keys(marks)))
			g.at = append(g.at, time.Since(g.began))
			killed := map[uint64]int{}
			for mark := range marks {
				if n := g.left[mark]; n > 0 {
					killed[mark] = n
				}
			}
			return killed
		},
		tell: func(from Register, killed int) { g.told[from.Mark] = killed },
	}
	return g
}

// ends is a wrapper that ended, or that only lost its connection.
func (g *grave) ends(ctx context.Context, mark uint64, alive bool) {
	cred := peer.Credentials{Alive: func() bool { return alive }, Release: func() { g.released++ }}
	g.add(ctx, cred, Register{Mark: mark}, g.running.Go)
}

func TestSixtyWrappersThatEndTogetherCostOneLookAtTheProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrave()
		g.left = map[uint64]int{7: 2, 59: 1, 30: 4}
		for mark := range uint64(60) {
			g.ends(t.Context(), mark, mark == 30) // which comes back
			time.Sleep(15 * time.Millisecond)
		}
		g.running.Wait()
		if len(g.looks) != 1 || len(g.looks[0]) != 59 || slices.Contains(g.looks[0], 30) {
			t.Errorf("looked for %v", g.looks)
		}
		if !maps.Equal(g.told, map[uint64]int{7: 2, 59: 1}) {
			t.Errorf("told of %v", g.told)
		}
		if g.released != 60 {
			t.Errorf("%d handles were closed", g.released)
		}
	})
}

func TestEveryGuardHasItsTimeToEndItsServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrave()
		ended := []time.Duration{0, 900 * time.Millisecond, 1100 * time.Millisecond, 5 * time.Second, 30 * time.Second}
		for mark, when := range ended {
			time.Sleep(when - time.Since(g.began))
			g.ends(t.Context(), uint64(mark), false)
		}
		g.running.Wait()
		want := [][]uint64{{0, 1}, {2}, {3}, {4}}
		if !slices.EqualFunc(g.looks, want, slices.Equal) {
			t.Fatalf("looked for %v, not %v", g.looks, want)
		}
		for i, marks := range g.looks {
			for _, mark := range marks {
				if waited := g.at[i] - ended[mark]; waited < buryAfter || waited > buryAfter+2*buryTogether {
					t.Errorf("%d was looked for %s after it ended", mark, waited)
				}
			}
		}
	})
}

func TestAHubThatEndsKillsNothingAndLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrave()
		ctx, end := context.WithCancel(t.Context())
		g.ends(ctx, 1, false)
		time.Sleep(3 * time.Second)
		g.ends(ctx, 2, false)
		end()
		g.ends(ctx, 3, false)
		synctest.Wait()
		g.ends(ctx, 4, false) // its connection ended with the hub
		g.running.Wait()
		if len(g.looks) != 0 || g.released != 4 {
			t.Errorf("looked for %v, %d of 4 handles were closed", g.looks, g.released)
		}
		if took := time.Since(g.began); took > 3*time.Second {
			t.Errorf("it took %s to end", took)
		}
	})
}
