package guardrail

import (
	"context"
	"crypto/rand"
	"strconv"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

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
	name := rand.Text()
	var gravest Answer
	for i, piece := range pieces {
		r.ID, r.Text = name+"-"+strconv.Itoa(i+1), piece
		answer, err := p.Ask(ctx, r)
		if err != nil {
			return gravest, err
		}
		if graver(answer, gravest) {
			gravest = answer
		}
		if gravest.Verdict == vocab.VoteBlock {
			break
		}
	}
	return gravest, nil
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
