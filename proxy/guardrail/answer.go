package guardrail

import (
	"slices"
	"strconv"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/vocab"
)

const (
	// MaxAnswer is how many bytes an answer may have.
	MaxAnswer = 64 << 10
	// MaxReason is how many characters of a reason are kept.
	MaxReason = 300
)

// readAnswer reads the answer to the request with this id. The object may have more members than the four, which are ignored: a provider
// may have more to say to others. A key that is there twice is refused, also in another case, because two readers could differ about it.
func readAnswer(raw []byte, id string) (Answer, error) {
	if len(raw) > MaxAnswer {
		return Answer{}, tooLong
	}
	root := frame.Root(raw)
	if frame.Validate(raw) != nil || frame.Type(raw, root) != '{' {
		return Answer{}, &Failure{"answered with something that is not one JSON object"}
	}
	var a Answer
	for _, member := range []struct {
		name string
		to   *string
	}{{"id", &a.ID}, {"verdict", (*string)(&a.Verdict)}, {"reason", &a.Reason}} {
		at, found := frame.Find(raw, root, member.name)
		if !found || frame.Type(raw, at) != '"' {
			return Answer{}, &Failure{"answered without " + member.name + ", or with one that is not a string"}
		}
		text, wellFormed := frame.String(raw, at)
		if !wellFormed {
			return Answer{}, &Failure{"answered with half a character in " + member.name}
		}
		*member.to = text
	}
	if a.ID != id {
		return Answer{}, &Failure{"answered another request than the one it was asked"}
	}
	if !slices.Contains([]vocab.Vote{vocab.VoteAllow, vocab.VoteFlag, vocab.VoteBlock}, a.Verdict) {
		return Answer{}, &Failure{"answered with a verdict other than allow, flag and block"}
	}
	var err error
	if a.Score, err = readScore(raw, root); err != nil {
		return Answer{}, err
	}
	a.Reason = cut.Runes(a.Reason, MaxReason)
	return a, nil
}

var tooLong = &Failure{"answered with more than 64 KiB"}

func readScore(raw []byte, root frame.Span) (float64, error) {
	at, found := frame.Find(raw, root, "score")
	if !found {
		return 0, &Failure{"answered without score"}
	}
	score, err := strconv.ParseFloat(string(at.Of(raw)), 64) // a word or a string is no float either
	if err != nil || !(score >= 0 && score <= 1) {
		return 0, &Failure{"answered with a score that is not a number from 0 to 1"}
	}
	return score, nil
}
