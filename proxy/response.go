package proxy

import (
	"bytes"
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/refusal"
)

const (
	// asideFrom is the size from which a response is inspected beside the reading goroutine: for shorter ones switching
	// goroutines costs more than the inspection; longer ones would hold up every other response.
	asideFrom = 256 << 10
	// maxAside limits the bytes of responses inspected that way; beyond it the reading goroutine inspects them itself, and the server's
	// pipe fills.
	maxAside = 256 << 20
	// plainEnvelope is the most that a response's line holds besides id and body if there is nothing else:
	// `{"jsonrpc":"2.0","id":,"result":}` and some white space.
	plainEnvelope = 40
)

// responses inspects responses before they reach the client, and holds those with findings that say so.
type responses struct {
	*exchange
	quarantine   *quarantine
	interactions *interactions
	guards       *guards
	validation   *validation
}

// stillAllowed asks the gate again before a response is delivered: an approval may have been taken back while the call ran.
func stillAllowed(v *declared.View, r *request) refusal.Reason {
	why := judge(v, r)
	if why != refusal.Changed && why != refusal.New {
		return why
	}
	if r.readsPage() {
		return refusal.AnotherPage
	}
	return refusal.Dropped
}

// deliver passes a response to the client, if its item may still be called and the inspection finds nothing.
func (s *responses) deliver(r *request, line []byte) error {
	v := s.view()
	if why := stillAllowed(v, r); why != refusal.None {
		s.refuseResponse(r, why)
		return nil
	}
	if why := refusesFile(v, r, line); why != refusal.None {
		s.refuseResponse(r, why)
		return nil
	}
	validated := schemaOf(v, r) != nil
	if !validated && len(line) < asideFrom || !s.aside.take(len(line)) {
		return s.examine(v, r, line, false)
	}
	line = bytes.Clone(line)
	s.aside.run(func() {
		defer s.aside.give(len(line))
		leave := s.turn(r.item, validated, len(line))
		defer leave()
		_ = s.examine(v, r, line, true) // the client's own reader notices that it is gone
	})
	return nil
}

// turn waits until a response of n bytes may be examined beside the reading goroutine, and returns how to end that.
func (s *responses) turn(item string, validated bool, n int) (end func()) {
	if validated {
		return s.validation.of(n).enter(func() bool { return s.validation.tookLong(item) })
	}
	s.aside.turn <- struct{}{}
	return func() { <-s.aside.turn }
}

// schemaOf is the output schema that a response must match, nil for none. What is in the state of a task does not depend on the type that its
// server gives the state.
func schemaOf(v *declared.View, r *request) []byte {
	if r.failed || r.interim && !r.holdsState() || !r.returns() || v.PolicyOf(r.item).Validation == "off" {
		return nil
	}
	return v.OutputSchema(r.item)
}

// judgeResponse inspects the result or the error, and the whole line if the server put more into it.
func (s *responses) judgeResponse(e *examined, g *gatherer) found {
	v, r := e.v, e.r
	text := saidIn(e.line, e.body, r.id)
	terms := inspect.Terms{MaxBytes: e.policy.MaxInspect, Secrets: secretsUnder(e.policy)}
	if len(v.State.Exceptions) > 0 {
		terms.Silenced = v.Silenced(r.item, time.Now())
	}
	e.judged = reviewed(v, r, text)
	if g != nil && len(e.judged) == len(text) { // all of it is judged
		terms.Heard = g.heard
	}
	f := found{AnswerVerdict: s.watch.Answer(e.judged, terms)}
	if terms.Heard != nil && f.Fault == "" && !f.TooLong {
		t := s.came.heard(g)
		e.taken = &t
	} // else they are taken if it is delivered
	if f.Fault != "" {
		s.journal.fault("a response", f.Fault)
	}
	for _, e := range v.State.Exceptions {
		if e.Item == r.item && slices.Contains(f.Passed, e.Rule) {
			f.exceptions = append(f.exceptions, e.ID)
		}
	}
	return f
}

// saidIn is what a response's line says: its body, or all of it if there is more.
func saidIn(line []byte, body frame.Span, id []byte) []byte {
	if body.Empty() || body.End > len(line) {
		body, _ = bodyOf(line)
	}
	text := body.Of(line)
	if len(line)-len(text)-len(id) > plainEnvelope {
		return line
	}
	return text
}

// found is what the inspection found in a response, and which of a person's exceptions applied.
type found struct {
	inspect.AnswerVerdict
	exceptions []string
	guards     guarded
}

func (f *found) held(p *policy.Wrapper) bool {
	return f.Verdict == inspect.Block || (f.TooLong || f.guards.beyond) && p.HoldBeyond || f.guards.failed && p.GuardHold
}

// imitates adds the finding for a response that held members of ours. The response goes on without them, so the finding has no place.
func (f *found) imitates() {
	if f.Verdict == inspect.Clean {
		f.Verdict = inspect.Flag
	}
	f.Findings = append(f.Findings, inspect.Finding{
		Rule: inspect.Impersonation, Level: inspect.High, Category: "threat", Title: "It had members that only Sallyport writes; Sallyport removed them",
	})
}

// worth reports whether there is anything to record besides the call itself.
func (f *found) worth() bool {
	return f.Verdict != inspect.Clean || f.TooLong || f.guards.failed || f.guards.beyond || len(f.exceptions) > 0
}

// rulesOf returns the rules of findings, each once, at most sixteen. Weak signs stay out of records.
func rulesOf(findings []inspect.Finding) []string {
	var rules []string
	for _, f := range findings {
		if f.Level != inspect.Low && !slices.Contains(rules, f.Rule) && len(rules) < maxRules {
			rules = append(rules, f.Rule)
		}
	}
	return rules
}
