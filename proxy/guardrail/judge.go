package guardrail

import (
	"context"
	"crypto/rand"
	"strconv"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// A wide Provider can judge several pieces of a text at once. Others get one after the other.
type wide interface{ width() int }

// Judge asks a provider about a text in pieces. The gravest piece counts; after one that is blocked, the rest is not asked about. The
// context's end is that of all pieces together. If a piece fails, so does the text, but the answer has the gravest verdict until then ("" if
// there was none): what was found is not lost with what could not be looked at. A text without pieces has nothing to judge and passes.
func Judge(ctx context.Context, p Provider, r Request, pieces []string) (Answer, error) {
	if len(pieces) == 0 {
		return Answer{Verdict: vocab.VoteAllow}, nil
	}
	if deadline, is := ctx.Deadline(); is && r.Patience == 0 {
		r.Patience = time.Until(deadline)
	}
	width := 1
	if w, is := p.(wide); is {
		width = min(w.width(), len(pieces))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j := judging{provider: p, request: r, name: rand.Text(), pieces: pieces}
	var others sync.WaitGroup
	for range width - 1 {
		others.Go(func() { j.pass(ctx, cancel) })
	}
	j.pass(ctx, cancel)
	others.Wait()
	return j.gravest, j.failed
}

// judging is one text while it is judged.
type judging struct {
	provider Provider
	request  Request
	name     string // of the text, in the ids of its pieces
	pieces   []string

	mu      sync.Mutex
	begun   int // pieces that were asked about
	gravest Answer
	failed  error
}

// pass asks about one piece after another until none is left, or one is enough. A failure lets the pieces that are under way end, which may
// find more; a block calls them off.
func (j *judging) pass(ctx context.Context, callOff func()) {
	for {
		r, is := j.next()
		if !is {
			return
		}
		answer, err := j.provider.Ask(ctx, r)
		if j.add(answer, err) {
			callOff()
		}
	}
}

func (j *judging) next() (r Request, is bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.begun == len(j.pieces) || j.failed != nil || j.gravest.Verdict == vocab.VoteBlock {
		return Request{}, false
	}
	r, j.begun = j.request, j.begun+1
	r.ID, r.Text = j.name+"-"+strconv.Itoa(j.begun), j.pieces[j.begun-1]
	return r, true
}

// add reports whether the text is blocked. Then a failure of another piece changes nothing.
func (j *judging) add(answer Answer, err error) (blocked bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case err == nil && graver(answer, j.gravest):
		j.gravest = answer
	case err != nil && j.failed == nil:
		j.failed = err
	}
	if blocked = j.gravest.Verdict == vocab.VoteBlock; blocked {
		j.failed = nil
	}
	return blocked
}

func graver(a, b Answer) bool {
	if rank(a.Verdict) != rank(b.Verdict) {
		return rank(a.Verdict) > rank(b.Verdict)
	}
	return a.Score > b.Score
}

func rank(v vocab.Vote) int {
	switch v {
	case vocab.VoteAllow:
		return 1
	case vocab.VoteFlag:
		return 2
	case vocab.VoteBlock:
		return 3
	}
	return 0
}
