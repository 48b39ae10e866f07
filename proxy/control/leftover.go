package control

import (
	"context"
	"time"

	"github.com/sallyport/sallyport/proxy/peer"
)

const (
	// killRounds is how often what forks while it is killed is looked for again.
	killRounds = 50
	// inheritEvery is how often what has a mark and no wrapper is looked for: a wrapper may be killed before it has registered, too.
	inheritEvery = time.Minute
)

// inherit ends what is left of servers whose wrappers no hub of now has heard of: an earlier one had, and was killed with them. What had no
// wrapper twice, with the time between that a guard has to end its server, has none any more.
func (s *server) inherit(ctx context.Context) {
	told, unseen := map[uint64]bool{}, false
	for before := map[uint64]bool{}; ; {
		left, err := peer.LeftMarks()
		if err != nil && !unseen {
			unseen = true
			s.log.Warn("what servers left behind cannot be looked for", "error", err)
		}
		lost := map[uint64]bool{}
		for mark := range left {
			if before[mark] {
				delete(left, mark)
				lost[mark] = true
			}
		}
		for mark, killed := range s.kill(lost) {
			if !told[mark] { // one that does not die is tried again
				told[mark] = true
				s.tell(Register{Mark: mark}, killed)
			}
		}
		before = left
		pause := inheritEvery
		if len(before) > 0 {
			pause = buryAfter
		}
		if !after(ctx, pause) {
			return
		}
	}
}

// kill kills what has one of the marks, and says how many processes that were of each that had any. All marks cost one look at the
// processes of the machine, and one more for as long as something new is found.
func (s *server) kill(marks map[uint64]bool) map[uint64]int {
	killed := map[int]uint64{} // marks by pid
	for range killRounds {
		before := len(killed)
		peer.KillMarked(marks, killed)
		if len(killed) == before {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	counts := map[uint64]int{}
	for _, mark := range killed {
		counts[mark]++
	}
	return counts
}

func (s *server) tell(from Register, killed int) {
	s.log.Warn("ended what was left of a server whose wrapper and guard were killed", "wrapper", from.PID, "processes", killed)
	s.handler.Ended(from, killed)
}
