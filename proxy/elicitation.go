package proxy

import (
	"bytes"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// maxElicitations limits the questions in one error: nobody answers more, and an error with more is refused.
const maxElicitations = 16

// refusesElicitation applies interaction.policy to an error that asks the user something, as to a request that asks the same, and reports
// whether the client got a refusal instead.
func (s *interactions) refusesElicitation(v *declared.View, r *request, line []byte, failure frame.Span) (refused bool) {
	const method, kind = "elicitation/create", vocab.AskElicitation
	n := 0
	elicits(line, failure, func(params []byte) bool {
		found := inspect.AnswerVerdict{Judged: inspect.Judged{Verdict: inspect.Block}}
		var digest pin.Digest
		if n++; n <= maxElicitations {
			found = s.watch.Answer(params, inspect.Terms{MaxBytes: v.Policy.MaxInspect})
			found.Findings = append(inspect.Asked(method, params), found.Findings...)
			if params[0] == '{' {
				digest, _ = askDigest(method, params)
			}
		}
		verdict := weighAsk(v, kind, found, digest)
		if verdict == askPass {
			s.journal.asked(kind, v.Policy.Interaction, found)
			return true
		}
		refused = true
		id, mode := bytes.Clone(r.id), v.Policy.Interaction
		s.askPerson(verdict == askHold && digest != "", control.Interaction{Method: method, Params: params, Client: s.clientName(), Findings: found.Findings}, func(code string) {
			text, d := s.askRefused(kind, code)
			s.client.Enqueue(refusalLine(id, r.method, text, d))
			s.journal.refusedInteraction(kind, mode, code, found)
		})
		s.journal.answered(r, vocab.StatusBlocked, len(line))
		return false
	})
	return refused
}

// elicits visits what an error wants the client to ask the user before it tries again: the parameters of elicitation/create, one by one,
// until visit returns false. A client looks for them in error -32042 (URLElicitationRequiredError, specification of 2025-11-25); we do so
// under any code.
func elicits(line []byte, failure frame.Span, visit func(params []byte) bool) {
	under(line, failure, "data", func(data frame.Span) bool {
		return under(line, data, "elicitations", func(list frame.Span) bool {
			goes := true
			frame.Elements(line, list, func(_ int, value frame.Span) bool {
				goes = visit(value.Of(line))
				return goes
			})
			return goes
		})
	})
}

// under visits the members that a parser may read under that key, also one that ignores case, and reports whether it reached the end.
func under(line []byte, object frame.Span, key string, visit func(value frame.Span) bool) bool {
	goes := true
	frame.Members(line, object, func(name string, m frame.Member) bool {
		if strings.EqualFold(name, key) {
			goes = visit(m.Value)
		}
		return goes
	})
	return goes
}

func elicitsNothing(line []byte, failure frame.Span) bool {
	nothing := true
	elicits(line, failure, func([]byte) bool {
		nothing = false
		return false
	})
	return nothing
}
