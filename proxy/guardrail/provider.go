package guardrail

import (
	"context"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Request asks about one text.
type Request struct {
	ID     string         `json:"id"` // unguessable, and the answer must have the same: a text can't answer for its provider
	Kind   vocab.TextKind `json:"kind"`
	Server string         `json:"server"`
	Tool   string         `json:"tool"`
	Text   string         `json:"text"`

	// Patience is how long a provider may take for this request alone, however long it waited behind others. 0 means until the context ends.
	Patience time.Duration `json:"-"`
}

// Answer is what a provider says about one text.
type Answer struct {
	ID      string     `json:"id"`
	Verdict vocab.Vote `json:"verdict"`
	Score   float64    `json:"score"`  // 0 to 1
	Reason  string     `json:"reason"` // the provider's text, at most MaxReason characters: escape it, and show it to the person alone

	// Ran and NotRun are the scanners that LlamaFirewall has, and why one did not run. Other providers can't set them.
	Ran    []string          `json:"ran,omitempty"`
	NotRun map[string]string `json:"not_run,omitempty"`
}

// A Provider judges texts. It can be asked concurrently. Every error is a *Failure, and Ask returns when the context ends.
type Provider interface {
	Ask(context.Context, Request) (Answer, error)
	// Close ends what the provider runs. Requests fail from then on.
	Close()
}

// Failure says in one line of our words why a provider gave no answer that counts. It never has the provider's text.
type Failure struct{ Reason string }

func (f *Failure) Error() string { return f.Reason }

// ErrPaused: a Breaker did not ask the provider.
var ErrPaused = &Failure{"failed three times in a row and is not asked for 30 seconds"}

var (
	errClosed  = &Failure{"was switched off"}
	errTime    = &Failure{"gave no verdict in time"}
	errBusy    = &Failure{"was busy with other requests until the time was up"}
	errGivenUp = &Failure{"the request was given up"}
)

// ended says why ctx did: its time is up (late), or nobody waits for the answer any more.
func ended(ctx context.Context, late *Failure) error {
	if ctx.Err() == context.Canceled {
		return errGivenUp
	}
	return late
}

// patience is how long one request may take its provider.
func (r *Request) patience(ctx context.Context) time.Duration {
	if r.Patience > 0 {
		return r.Patience
	}
	if deadline, is := ctx.Deadline(); is {
		return time.Until(deadline)
	}
	return firstAnswer
}
