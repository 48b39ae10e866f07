package proxy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// delivered records a delivered response, and the findings in it and in the request.
func (j *journal) delivered(r *request, bytes int, f found, profile string) {
	var asked []inspect.Finding
	if r.method == methodCall {
		asked = inspect.Arguments(r.params, profile)
	}
	if !f.worth() {
		if len(asked) == 0 {
			j.answeredAs(r, r.status(), bytes, f.guards.facts())
			return
		}
		f.Findings = asked
	}
	detail, mode := facts{"check": "inspect", "verdict": f.Verdict, "rule_set": f.RuleSet}, vocab.ModeAlways
	summary := "its response passed with a warning"
	if len(asked) > 0 {
		detail["arguments"] = asked[0].Match
		if !f.worth() {
			detail["check"], summary = "arguments", "it was asked for a file with credentials"
			if asked[0].Category == inspect.CategorySecret {
				summary = "it was given " + secrets.Words(asked[0].Rule)
			}
		}
	}
	if rules := rulesOf(f.Findings); len(rules) > 0 {
		detail["rules"] = rules
	}
	if votes := f.guards.votes(); len(votes) > 0 {
		detail["guardrails"] = votes
	}
	switch {
	case f.guards.failed:
		mode, summary = errorMode(false), "its response passed although a guardrail provider could not check it"
	case f.guards.beyond && !f.TooLong:
		mode, summary = limitMode(false), "its response passed without its guardrail providers: it has more text than they are given"
	}
	if f.TooLong {
		detail["verdict"], mode, summary = "none", limitMode(false), "its response passed unchecked: it is larger than inspect.max_bytes"
	}
	if len(f.exceptions) > 0 {
		detail["exceptions"], summary = f.exceptions, "its response passed because of an exception"
		detail["passed"] = f.Passed
	}
	j.about(r, mode, vocab.StatusWarned, control.Record{Tool: r.called(), Summary: summary, Detail: r.detail(r.withPayload(detail)), Bytes: int64(bytes)})
}

// limitMode is the value of inspect.on_limit.
func limitMode(holds bool) string {
	if holds {
		return "hold"
	}
	return "allow"
}

// errorMode is the value of guardrail.on_error.
func errorMode(holds bool) string {
	if holds {
		return "hold"
	}
	return "builtin"
}

func (j *journal) held(r *request, code string, held control.Held, bytes int) {
	rules := rulesOf(held.Findings)
	if r.imitates && !slices.Contains(rules, inspect.Impersonation) {
		rules = append(rules, inspect.Impersonation)
	}
	mode := vocab.ModeAlways
	switch held.Why {
	case vocab.HeldLimit:
		mode = limitMode(true)
	case vocab.HeldProvider:
		mode = errorMode(true)
	case vocab.HeldThreat:
	}
	detail := facts{"check": "inspect", "why": held.Why, "rules": rules}
	if votes := control.Votes(held.Guards); len(votes) > 0 {
		detail["guardrails"] = votes
	}
	j.about(r, mode, vocab.StatusHeld, control.Record{
		Tool: r.called(), Code: code, Summary: "its response was held", Detail: r.detail(r.withPayload(detail)), Bytes: int64(bytes),
	})
}

// maxViolation is how many characters a record keeps of each part of a violation.
const maxViolation = 500

// violated records, once per response, that it does not match its tool's output schema, and how.
func (j *journal) violated(e *examined) {
	if e.violation == nil {
		return
	}
	status, summary := vocab.StatusWarned, "its response doesn't match its output schema"
	if e.policy.Validation == modeStrict {
		status = vocab.StatusBlocked
	}
	where := e.violation.Keyword
	if place := e.violation.Place(); place != "" {
		where += " at " + place
	}
	violation := vocab.Violation{
		Keyword: e.violation.Keyword, Schema: shownIn(e.violation.Schema, maxViolation), Instance: shownIn(e.violation.Instance, maxViolation),
		Message: shownIn(e.violation.Message, maxViolation), More: e.violation.More,
	}
	j.decide(e.policy.Validation, status, control.Record{
		Tool: recorded(e.r.tool()), Request: j.requestID(e.r), Summary: summary + " (" + where + ")", Detail: e.r.detail(facts{"check": inspect.OutputSchema, "violation": violation}),
	})
}

// mismatched records a call whose response was blocked because of that. The result of a task has no record of its own.
func (j *journal) mismatched(r *request) {
	if r.counts() {
		j.about(r, modeStrict, vocab.StatusBlocked, control.Record{
			Tool: r.called(), Summary: "response dropped: it doesn't match its output schema", Detail: r.detail(facts{"check": inspect.OutputSchema}),
		})
	}
}

// releaseDelivered records a delivery for the hub.
func (j *journal) releaseDelivered(r *request, taken control.Taken, code string, bytes int) {
	j.record(vocab.RecordQuarantine, vocab.StatusOK, control.Record{
		Tool: recorded(taken.Tool), Code: code, Request: j.requestID(r), Summary: "a released response was delivered", Detail: facts{"check": "quarantine"}.detail(),
		DurationUS: time.Since(r.started).Microseconds(), Bytes: int64(bytes),
	})
}

func (j *journal) taskUnkept(err error) {
	j.record(vocab.RecordProblem, vocab.StatusWarned, control.Record{Summary: "a task could not be stored; it is known only until this session ends", Detail: facts{"check": "tasks", "error": legible.Escape(err.Error())}.detail()})
}

func (j *journal) unkept(err error) {
	j.record(vocab.RecordProblem, vocab.StatusBlocked, control.Record{Summary: "a held response could not be stored; none of it was delivered", Detail: facts{"check": "quarantine", "error": legible.Escape(err.Error())}.detail()})
}

// cameFrom is what a response is recorded for: its tool, and the code under which it was held, "" if it was not.
type cameFrom struct{ tool, code string }

// secrets records, once per response, that it holds secrets, but none of them.
func (j *journal) secrets(r *request, of cameFrom, done redaction) {
	if done.places == 0 {
		return
	}
	summary, mode := "its response contains "+secretWords(done.rules), "detect"
	if done.marked {
		summary, mode = "its response contained "+secretWords(done.rules)+"; Sallyport replaced them with marks", "redact"
	}
	detail := r.detail(facts{"check": "redact", "mode": mode, "rules": done.rules[:min(len(done.rules), maxRules)], "places": done.places})
	j.decide(mode, vocab.StatusWarned, control.Record{Tool: of.tool, Code: of.code, Request: j.requestID(r), Summary: summary, Detail: detail})
}

// hygiene records now and then, for each tool, that a terminal would have obeyed its response: a program that writes in colours does so in
// every one.
func (j *journal) hygiene(r *request, of cameFrom, mode string) {
	record := control.Record{Tool: of.tool, Code: of.code, Request: j.requestID(r), Summary: obeyed(mode)}
	j.often(mode+" "+record.Summary+"\n"+of.tool, func(n uint64) {
		record.Detail = facts{"check": "ansi", "count": n}.detail() // without r, which would be kept with its texts
		j.decide(mode, vocab.StatusWarned, record)
	})
}

// changed records, once per response, what was found or replaced in it: never the secrets, and no boundaries, which each response has.
func (j *journal) changed(r *request, of cameFrom, done changes) {
	j.secrets(r, of, done.secrets)
	if done.hygiene != "" {
		j.hygiene(r, of, done.hygiene)
	}
	if !done.replaced.Any() {
		return
	}
	var words []string
	marks := "it with a mark"
	if done.replaced.Triggers+done.replaced.Tags > 1 {
		marks = "them with marks"
	}
	for _, n := range []struct {
		count     int
		one, many string
	}{{done.replaced.Triggers, "a trigger word", "%d trigger words"}, {done.replaced.Tags, "a boundary tag", "%d boundary tags"}} {
		switch {
		case n.count == 1:
			words = append(words, n.one)
		case n.count > 1:
			words = append(words, fmt.Sprintf(n.many, n.count))
		}
	}
	j.decide(done.light.mode, vocab.StatusWarned, control.Record{
		Tool: of.tool, Code: of.code, Request: j.requestID(r), Summary: "its response contained " + strings.Join(words, " and ") + "; Sallyport replaced " + marks,
		Detail: r.detail(facts{"check": "spotlight", "triggers": done.replaced.Triggers, "tags": done.replaced.Tags}),
	})
}

// asked records a request that passed although it has findings.
func (j *journal) asked(kind vocab.Ask, mode string, found inspect.AnswerVerdict) {
	worst := inspect.Worst(found.Findings)
	if worst.Rank() < inspect.Medium.Rank() && !found.TooLong {
		return
	}
	j.interaction("asked "+string(worst), vocab.StatusWarned, "a request from the server to the client passed with a warning", kind, mode, "", found)
}

// refusedInteraction records a refused request. One that a person can decide on is always recorded, so that its code is in the timeline;
// others are sampled.
// askedBack records a request whose response wanted something asked that was blocked. code is of the item, "" for none.
func (j *journal) askedBack(r *request, code string, bytes int) {
	if !r.counts() {
		return
	}
	j.about(r, vocab.ModeAlways, vocab.StatusBlocked, control.Record{
		Tool: r.called(), Code: code, Summary: "a question in its response was blocked", Detail: r.detail(r.withPayload(facts{"check": "interaction"})), Bytes: int64(bytes),
	})
}

func (j *journal) refusedInteraction(kind vocab.Ask, mode, code string, found inspect.AnswerVerdict) {
	j.interaction("refused "+code, vocab.StatusBlocked, "blocked a request from the server to the client (interaction.policy)", kind, mode, code, found)
}

func (j *journal) interaction(sort string, status vocab.Status, summary string, kind vocab.Ask, mode, code string, found inspect.AnswerVerdict) {
	rules, set := rulesOf(found.Findings), found.RuleSet
	j.often(sort+" "+string(kind), func(n uint64) {
		detail := facts{"check": "interaction", "count": n, "kind": kind, "mode": mode, "rules": rules, "rule_set": set}.detail()
		j.decide(mode, status, control.Record{Code: code, Summary: summary, Detail: detail})
	})
}

// fault records a bug of ours. Its text is all ours, except for numbers.
func (j *journal) fault(what, fault string) {
	j.record(vocab.RecordProblem, vocab.StatusBlocked, control.Record{Summary: what + " was blocked because of a bug in Sallyport", Detail: facts{"check": "fault", "error": fault}.detail()})
}
