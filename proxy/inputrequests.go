package proxy

import (
	"cmp"
	"crypto/sha256"
	"strings"
	"sync"
	"sync/atomic"
	"time"

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
	waited, question, started := len(r.id) > 0, askedOf([]byte(q.method), q.text), time.Now()
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
		if waited {
			s.journal.asks.note(&s.journal, question, outcome{status: vocab.StatusBlocked, code: code}, started)
		}
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

// maxQuestions limits how many questions in responses wait for their answer at once. Beyond it the oldest counts as unanswered.
const maxQuestions = 256

// questionLog remembers, for the timeline, the questions in responses ("input_required", MCP 2026-07-28) that reached the client, because their
// answers come with another request. It keeps nothing that was said.
type questionLog struct {
	some atomic.Bool // there are any, so that other requests cost nothing

	mu sync.Mutex
	by map[questionKey]openQuestion
}

type openQuestion struct {
	asked
	at time.Time
}

// questionKey is a hash of what ties an answer to its question: the item, the request state, and the question's own key.
type questionKey [sha256.Size]byte

// questionsOf are the members of a question's or an answer's object, by their keys. holder is the object beside whose requestState it is.
func questionsOf(r *request, line []byte, holder frame.Span, member string, visit func(key questionKey, value frame.Span)) {
	object, ok := frame.Find(line, holder, member)
	if !ok || frame.Type(line, object) != '{' {
		return
	}
	state := ""
	if span, ok := frame.Find(line, holder, "requestState"); ok && frame.Type(line, span) == '"' {
		state, _ = frame.String(line, span)
	}
	frame.Members(line, object, func(name string, m frame.Member) bool {
		text := []byte(nil)
		for _, part := range []string{r.item, r.name, state, name} {
			text = frame.AppendString(text, part)
		}
		visit(sha256.Sum256(text), m.Value)
		return true
	})
}

// passedOn notes the questions in a response that goes to the client. Those of a task are in each of its states, and are not noted.
func (s *interactions) passedOn(r *request, line []byte, result frame.Span) {
	now := time.Now()
	s.questions.mu.Lock()
	defer s.questions.mu.Unlock()
	questionsOf(r, line, result, "inputRequests", func(key questionKey, value frame.Span) {
		q := askedOf([]byte(inputIn(line, value).method), value.Of(line))
		if q.kind == "" {
			return
		}
		if s.questions.by == nil {
			s.questions.by = map[questionKey]openQuestion{}
		}
		if len(s.questions.by) >= maxQuestions {
			s.dropOldestLocked()
		}
		s.questions.by[key] = openQuestion{q, now}
		s.questions.some.Store(true)
	})
}

func (s *interactions) dropOldestLocked() {
	var oldest questionKey
	var at time.Time
	for key, q := range s.questions.by {
		if at.IsZero() || q.at.Before(at) {
			oldest, at = key, q.at
		}
	}
	s.journal.asks.note(&s.journal, s.questions.by[oldest].asked, outcome{status: vocab.StatusError, action: askUnanswered}, at)
	delete(s.questions.by, oldest)
}

// answered records the questions that a request of the client answers.
func (s *interactions) answered(r *request, line []byte) {
	if !r.modern || !s.questions.some.Load() {
		return
	}
	params, ok := frame.Find(line, frame.Root(line), "params")
	if !ok {
		return
	}
	s.questions.mu.Lock()
	defer s.questions.mu.Unlock()
	questionsOf(r, line, params, "inputResponses", func(key questionKey, value frame.Span) {
		if q, known := s.questions.by[key]; known {
			delete(s.questions.by, key)
			s.journal.asks.note(&s.journal, q.asked, answerOutcome(q.kind, line, value), q.at)
		}
	})
	s.questions.some.Store(len(s.questions.by) > 0)
}

// unanswered records the questions that nobody answered before the session ended.
func (s *interactions) unanswered() {
	s.questions.mu.Lock()
	defer s.questions.mu.Unlock()
	for _, q := range s.questions.by {
		s.journal.asks.note(&s.journal, q.asked, outcome{status: vocab.StatusError, action: askUnanswered}, q.at)
	}
	clear(s.questions.by)
}
