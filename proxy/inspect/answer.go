package inspect

import (
	"fmt"
	"hash/fnv"
	"sync"
)

// Check is one thing that was looked for in a text, or the reason why it was not.
type Check struct {
	Check string `json:"check"`
	Ran   bool   `json:"ran"`
	Why   string `json:"why,omitempty"`
}

// Watch judges what one server answers over a session.
type Watch struct {
	mu sync.Mutex
}

// Terms are what an answer is judged under.
type Terms struct {
	MaxBytes int // larger ones are not looked at
	// Silenced are rules that a person has excepted for the tool, each up to a level: a match of such a rule at or below that
	// level weighs nothing. Never for a critical one.
	Silenced map[string]Level
}

// AnswerVerdict is what an answer is found to be.
type AnswerVerdict struct {
	Judged
	Score   float64
	Checks  []Check
	TooLong bool     // nothing was looked at: it is longer than MaxBytes
	Passed  []string // silenced rules without which the verdict would be graver
}

// Answer judges raw, the JSON value of a result, an error, or a notification's params: every string and every key in it.
// raw must have passed frame.Scan. It may be called by several goroutines at once.
func (w *Watch) Answer(raw []byte, terms Terms) AnswerVerdict {
	if terms.MaxBytes > 0 && len(raw) > terms.MaxBytes {
		return AnswerVerdict{Judged: Judged{Verdict: Clean}, TooLong: true, Checks: []Check{{Check: "threats", Why: fmt.Sprintf("longer than %d bytes", terms.MaxBytes)}}}
	}
	weighing := newWeigher(Answer)
	defer weighing.release()
	new(reading).strings(raw, weighing)
	found := weighing.done()
	return AnswerVerdict{
		Judged: Judged{Verdict: found.Verdict, Findings: found.Findings, Whole: found.Whole}, Score: found.Score,
		Checks: []Check{{Check: "threats", Ran: true}},
	}
}

// RuleSet names the rules of this program: a version and a fingerprint over all of them.
var RuleSet = sync.OnceValue(func() string {
	h := fnv.New64a()
	for _, r := range catalogue {
		fmt.Fprintf(h, "%s %s %g %g %d %q\n", r.name, r.level, r.metal, r.answer, r.group, r.patterns)
	}
	return fmt.Sprintf("1-%016x", h.Sum64())
})
