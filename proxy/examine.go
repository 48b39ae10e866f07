package proxy

import (
	"bytes"

	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// examined is a response between its arrival and its end: delivered, held or refused.
type examined struct {
	v      *declared.View
	policy *policy.Wrapper // the settings for its item
	r      *request
	line   []byte     // as it will be delivered
	body   frame.Span // the result or the error in it; absent once the line was changed
	failed bool       // the body is an error
	found  found
	said   bool // the client has the response, or a refusal, or something else will send it one
}

// examine takes a response through its stages. Their order is part of what Sallyport promises: the server's own bytes are judged first and
// as a whole, and only what may be delivered is changed.
func (s *responses) examine(v *declared.View, r *request, line []byte) (err error) {
	e := &examined{v: v, policy: v.PolicyOf(r.item), r: r, line: line, body: r.body}
	defer func() {
		if p := recover(); p != nil {
			s.journal.fault("a response", inspect.Fault(p))
			if !e.said {
				err = s.client.Write(faultLine(r.id))
			}
		}
	}()
	if e.body.Empty() {
		e.body, e.failed = bodyOf(line)
	}
	s.inspect(e)
	if s.held(e) || s.elicits(e) || s.overtaken(e) {
		return nil
	}
	return s.send(e)
}

// inspect judges the server's own bytes.
func (s *responses) inspect(e *examined) {
	e.found = s.judgeResponse(e)
}

// held holds a response whose verdict says so.
func (s *responses) held(e *examined) bool {
	if !e.found.held(e.policy) {
		return false
	}
	e.said = true
	s.quarantine.holdBack(e.r, bytes.Clone(e.body.Of(e.line)), e.failed, e.found)
	return true
}

// elicits refuses an error that asks the user something, if the policy for requests says so.
func (s *responses) elicits(e *examined) bool {
	e.said = e.failed && s.interactions.refusesElicitation(e.v, e.r, e.line, e.body)
	return e.said
}

// overtaken refuses a response whose item was blocked while the response was judged.
func (s *responses) overtaken(e *examined) bool {
	now := s.view()
	if now == e.v {
		return false
	}
	why := stillAllowed(now, e.r)
	if why == refusal.None {
		return false
	}
	s.refuseResponse(e.r, why)
	return true
}

// send delivers a response. What it changes in it, it changes in this order: secrets, then what a terminal would obey.
func (s *responses) send(e *examined) error {
	if e.r.imitates {
		e.found.imitates()
	}
	sent, done, err := redact(e.policy, e.line, e.found.Secrets)
	if err != nil {
		return s.unclean(e.line, whySecrets)
	}
	delivered, err := s.toClientWhole(e.policy.ANSI, sent)
	e.said = true
	if e.r.keeps {
		body, _ := bodyOf(sent)
		e.r.response = body.Of(sent)
	}
	s.journal.delivered(e.r, delivered, e.found, secretsUnder(e.policy))
	s.journal.secrets(e.r, done)
	return err
}
