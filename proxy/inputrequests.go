package proxy

import (
	"cmp"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Questions in responses: a server can ask the client or the user in a response instead of by a request. Such a question is judged like the
// request that asks the same, and the response passes whole or not at all: a client that got half of the questions would answer half.

// maxInputs limits the questions in one response: nobody answers more, and a response with more is refused.
const maxInputs = 16

// question is what a response wants the client to ask.
type question struct {
	method string
	params []byte // as the server wrote them, empty for none
	text   []byte // all of its text
	// unclear: it can't be read in one way only, or there are too many beside it. A person can't decide on it.
	unclear bool
	// more: its text holds more than method and params, and an approval binds to all of it.
	more bool
}

// refusesInput applies interaction.policy to the requests in a response that needs input from the client ("inputRequests", MCP 2026-07-28
// and its tasks), and reports whether the client got a refusal instead. requests is the value of that member.
func (s *interactions) refusesInput(v *declared.View, r *request, line []byte, requests frame.Span) (refused bool) {
	switch frame.Type(line, requests) {
	case '{':
	case 'n':
		return false
	default:
		return s.refusesQuestion(v, r, len(line), question{text: requests.Of(line), unclear: true})
	}
	n := 0
	frame.Members(line, requests, func(_ string, m frame.Member) bool {
		q := inputIn(line, m.Value)
		n++
		q.unclear = q.unclear || n > maxInputs
		refused = s.refusesQuestion(v, r, len(line), q)
		return !refused
	})
	return refused
}

// refusesInputs is refusesInput for each member of a result that a client may read as its requests.
func (s *interactions) refusesInputs(v *declared.View, r *request, line []byte, result frame.Span) bool {
	return !under(line, result, "inputRequests", func(requests frame.Span) bool { return !s.refusesInput(v, r, line, requests) })
}

// refusesTask is refusesInput for what a task asks: beside its status, and in the result or the error that it ended with.
func (s *interactions) refusesTask(v *declared.View, r *request, line []byte, state frame.Span) bool {
	passes := func(part frame.Span) bool { return !s.refusesInputs(v, r, line, part) }
	return !passes(state) || !under(line, state, "result", passes) ||
		!under(line, state, "error", func(failure frame.Span) bool { return !s.refusesElicitation(v, r, line, failure) })
}

// refusesElicitation applies interaction.policy to an error that asks the user something, as to a request that asks the same, and reports
// whether the client got a refusal instead.
func (s *interactions) refusesElicitation(v *declared.View, r *request, line []byte, failure frame.Span) (refused bool) {
	n := 0
	elicits(line, failure, func(params []byte) bool {
		n++
		refused = s.refusesQuestion(v, r, len(line), question{method: "elicitation/create", params: params, text: params, unclear: n > maxInputs || params[0] != '{'})
		return !refused
	})
	return refused
}

// inputIn reads one of the requests: {"method":…,"params":…}.
func inputIn(line []byte, value frame.Span) question {
	q := question{text: value.Of(line)}
	if q.unclear = frame.Type(line, value) != '{'; q.unclear {
		return q
	}
	frame.Members(line, value, func(key string, m frame.Member) bool {
		switch {
		case key == "method":
			method, wellFormed := frame.String(line, m.Value)
			q.method, q.unclear = strings.Clone(method), q.unclear || !wellFormed
		case key == "params":
			q.params = m.Value.Of(line)
			q.unclear = q.unclear || q.params[0] != '{'
		case strings.EqualFold(key, "method"), strings.EqualFold(key, "params"): // to a parser that ignores case it is the member
			q.unclear = true
		default:
			q.more = true
		}
		return true
	})
	q.unclear = q.unclear || q.method == "" || !plainMethod([]byte(q.method))
	return q
}

// refusesQuestion applies interaction.policy to a question in the response to r, a line of that many bytes, and reports whether the client
// got a refusal instead. A notification, which has no id, is only recorded: nobody waits for it, and a person is asked once somebody does.
func (s *interactions) refusesQuestion(v *declared.View, r *request, size int, q question) bool {
	kind := vocab.AskOf(q.method)
	found := inspect.AnswerVerdict{Judged: inspect.Judged{Verdict: inspect.Block}}
	var digest pin.Digest
	if !q.unclear {
		found = s.watch.Answer(q.text, inspect.Terms{MaxBytes: v.Policy.MaxInspect})
		if found.Fault != "" {
			s.journal.fault("a question of the server", found.Fault)
		}
		found.Findings = append(inspect.Asked(q.method, q.params), found.Findings...)
		digest = q.digest()
	}
	verdict := weighAsk(v, kind, found, digest)
	page, shown := s.unapprovedPage(v, q.text)
	if shown {
		verdict, found.Findings = askRefuse, append(found.Findings, page.finding)
	}
	if verdict == askPass {
		s.journal.asked(kind, v.Policy.Interaction, found)
		return false
	}
	mode := v.Policy.Interaction
	refused := control.Interaction{Method: q.method, Params: q.params, Client: s.clientName(), Findings: found.Findings}
	waited := len(r.id) > 0
	s.askPerson(waited && verdict == askHold && digest != "", refused, func(code string) {
		code = cmp.Or(code, page.code)
		if waited {
			text, d := s.askRefused(kind, code, page)
			if r.method == methodCall {
				_, d.Tool = refusal.Spoken(s.subjectIn(v, r), d.Server)
			}
			s.client.Enqueue(refusalLine(r, text, d))
		}
		s.journal.refusedInteraction(kind, mode, code, found)
		s.journal.askedBack(r, code, size)
	})
	return true
}

// digest is what an approval of the question binds to, "" if nothing can.
func (q *question) digest() pin.Digest {
	digest, err := askDigest(q.method, q.params)
	if err == nil && q.more {
		digest, err = pin.DigestOf("request", q.method, q.text)
	}
	if err != nil {
		return ""
	}
	return digest
}
