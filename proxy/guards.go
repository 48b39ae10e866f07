package proxy

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/guardrail"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/sanitize"
)

const (
	// maxAwaiting limits the responses of a session that wait for guardrail providers. One more counts as a failure.
	maxAwaiting = 1024
	// maxAsking limits the questions that a session has open with the hub, which keeps their texts.
	maxAsking = 4
	// guardGrace is how much later than guardrail.timeout the hub's response may come.
	guardGrace = 500 * time.Millisecond
)

// guards asks the guardrail providers about responses, through the hub.
type guards struct {
	gate    Gatekeeper
	turns   chan struct{} // one token for each open question
	waiting atomic.Int32  // responses
}

func newGuards(gate Gatekeeper) *guards {
	return &guards{gate: gate, turns: make(chan struct{}, maxAsking)}
}

// enter counts a response that waits, if it may. leave must follow.
func (g *guards) enter() bool {
	if g.waiting.Add(1) > maxAwaiting {
		g.leave()
		return false
	}
	return true
}

func (g *guards) leave() { g.waiting.Add(-1) }

// guarded is what the guardrail providers said about a response.
type guarded struct {
	verdicts []control.GuardVerdict
	failed   bool // a provider could not judge all of it
	beyond   bool // it has more text than providers are given
}

// ask asks all providers of a server about a response: judged is what the detector read of it.
func (g *guards) ask(p *policy.Wrapper, tool string, judged []byte) guarded {
	ctx, cancel := context.WithTimeout(context.Background(), p.GuardTimeout)
	defer cancel()
	var here, away guarded
	if p.GuardsAway == "" {
		here = g.judged(ctx, tool, inspect.Texts(judged), p.Guards, false)
	} else {
		var both sync.WaitGroup
		var fault any
		both.Go(func() {
			defer func() { fault = recover() }()
			away = g.judgedAway(ctx, tool, judged, p)
		})
		if p.Guards != "" {
			here = g.judged(ctx, tool, inspect.Texts(judged), p.Guards, false)
		}
		if both.Wait(); fault != nil {
			panic(fault) // where it is handled
		}
	}
	all := guarded{verdicts: append(here.verdicts, away.verdicts...), failed: here.failed || away.failed, beyond: here.beyond || away.beyond}
	all.verdicts = append(all.verdicts, unaskedAll(p)...)
	return all
}

// judgedAway asks the providers on other computers, which get no secrets.
func (g *guards) judgedAway(ctx context.Context, tool string, judged []byte, p *policy.Wrapper) guarded {
	profile := secrets.Precise
	if p.RedactStrict {
		profile = secrets.Strict
	}
	texts, err := sanitize.RedactedTexts(judged, profile)
	if err != nil {
		return guarded{verdicts: failures(p.GuardsAway, "its secrets could not be replaced: there are too many places to look at"), failed: true}
	}
	return g.judged(ctx, tool, slices.Values(texts), p.GuardsAway, true)
}

// judged asks the providers on this computer, or those on others. A text goes to the hub in parts, so that neither end keeps all of it twice.
func (g *guards) judged(ctx context.Context, tool string, texts iter.Seq[string], names string, away bool) guarded {
	pieces, whole := guardrail.Pieces(texts)
	if !whole {
		return guarded{verdicts: failures(names, "the response has more text than a provider is given"), beyond: true}
	}
	var all guarded
	for part := range slices.Chunk(pieces, control.MaxGuardPieces) {
		verdicts, err := g.question(ctx, control.Guard{Tool: tool, Text: part, Away: away})
		if err != nil {
			all.merge(failures(names, err.Error()))
			break
		}
		all.merge(verdicts)
		if all.merge(unheard(names, verdicts)); all.failed || all.blocks() {
			break
		}
	}
	return all
}

var (
	errNoTurn  = errors.New("too many responses are waiting for it")
	errSilent  = errors.New("the hub did not respond in time")
	errHubAway = errors.New("the hub is not running")
)

// question asks the hub. Its providers have what is left of the time; the hub itself has a little more.
func (g *guards) question(ctx context.Context, q control.Guard) ([]control.GuardVerdict, error) {
	select {
	case g.turns <- struct{}{}:
		defer func() { <-g.turns }()
	case <-ctx.Done():
		return nil, errNoTurn
	}
	deadline, _ := ctx.Deadline()
	if q.Within = time.Until(deadline); q.Within <= 0 {
		return nil, errNoTurn
	}
	ctx, cancel := context.WithDeadline(context.Background(), deadline.Add(guardGrace))
	defer cancel()
	answer, err := g.gate.Guard(ctx, q)
	switch {
	case err == nil:
		return answer.Verdicts, nil
	case ctx.Err() != nil:
		return nil, errSilent
	}
	return nil, errHubAway
}
