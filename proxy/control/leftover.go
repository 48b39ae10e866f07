package control

import (
	"context"
	"time"
)

const (
	// buryAfter is how long a guard that lost its wrapper may take to end the server: it asks, terminates and kills (transport).
	buryAfter = 8 * time.Second
	// buryRounds is how often what forks while it is killed is looked for again.
	buryRounds = 50
	// inheritEvery is how often what has a mark and no wrapper is looked for: a wrapper may be killed before it has registered, too.
	inheritEvery = time.Minute
)

// bury ends what is left of the server of a wrapper that ended, which is nothing unless something killed the guard as well. A wrapper
// that only lost its connection comes back.
func (s *server) bury(ctx context.Context, cred credentials, from Register) {
	defer cred.release()
	if !after(ctx, buryAfter) || cred.alive() {
		return
	}
	if killed := s.kill(from.Mark); killed > 0 {
		s.tell(from, killed)
	}
}

// inherit ends what is left of servers whose wrappers no hub of now has heard of: an earlier one had, and was killed with them. What had no
// wrapper twice, with the time between that a guard has to end its server, has none any more.
func (s *server) inherit(ctx context.Context) {
	told, unseen := map[uint64]bool{}, false
	for before := map[uint64]bool{}; ; {
		left, err := leftMarks()
		if err != nil && !unseen {
			unseen = true
			s.log.Warn("what servers left behind cannot be looked for", "error", err)
		}
		for mark := range left {
			if before[mark] {
				delete(left, mark)
				if killed := s.kill(mark); killed > 0 && !told[mark] { // one that does not die is tried again
					told[mark] = true
					s.tell(Register{Mark: mark}, killed)
				}
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

// kill kills what has the mark, and says how many processes that were.
func (s *server) kill(mark uint64) int {
	killed := map[int]bool{}
	for range buryRounds {
		before := len(killed)
		killMarked(mark, killed)
		if len(killed) == before {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return len(killed)
}

func (s *server) tell(from Register, killed int) {
	s.log.Warn("ended what was left of a server whose wrapper and guard were killed", "wrapper", from.PID, "processes", killed)
	s.handler.Ended(from, killed)
}

// after is false where ctx ends first.
func after(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
