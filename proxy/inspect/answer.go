package inspect

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// Check is one thing that was looked for in a text, or the reason why it was not.
type Check struct {
	Check string `json:"check"`
	Ran   bool   `json:"ran"`
	Why   string `json:"why,omitempty"`
}

// The checks of an answer, in their order.
const (
	CheckThreats    = "threats"    // the rules, in every view
	CheckCharacters = "characters" // what nobody sees
	CheckBlobs      = "blobs"      // files in base64
	CheckJoined     = "joined"     // what is cut in pieces
	CheckSecrets    = "secrets"
)

const (
	noDoubt    = "it is asked where the rules nearly say block"
	noSecrets  = "secrets are looked for in answers and in what is asked, and by scan"
	offSecrets = "redact.mode is off"
	fewSecrets = "not every place was looked at: there are too many"
)

// ran are the checks of an answer in which all was looked at. It is not written to.
var ran = []Check{
	{Check: CheckThreats, Ran: true}, {Check: CheckCharacters, Ran: true}, {Check: CheckBlobs, Ran: true}, {Check: CheckJoined, Ran: true},
	{Check: CheckNgram, Why: noDoubt}, {Check: CheckSecrets, Ran: true},
}

// Watch judges what one server answers over a session. It remembers how the last answers ended.
type Watch struct {
	mu      sync.Mutex
	rules   *RuleFile
	endings []*ending // the last one last
}

// maxHeldUp is how long an answer may be that others wait for while it is looked at: they are looked at one after the other anyway, and
// need no endings of their own.
const maxHeldUp = 64 << 10

// Use makes the rules of a file count from the next answer on, beside the catalogue; nil: the catalogue alone.
func (w *Watch) Use(f *RuleFile) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f != w.rules {
		w.rules, w.endings = f, nil
	}
}

// Terms are what an answer is judged under.
type Terms struct {
	MaxBytes int    // larger ones are not looked at
	Secrets  string // how secrets are looked for: SecretsPrecise, SecretsStrict, SecretsOff
	// Silenced are rules that a person has excepted for the tool, each up to a level: a match of such a rule at or below that
	// level weighs nothing. Never for a critical one.
	Silenced map[string]Level
}

// AnswerVerdict is what an answer is found to be. Its checks are shared with other verdicts: they are not to be changed.
type AnswerVerdict struct {
	Judged
	Score   float64
	Secrets []Finding // what is secret in it: they change no verdict
	Checks  []Check
	RuleSet string   // what it was judged by
	TooLong bool     // nothing was looked at: it is longer than MaxBytes
	Passed  []string // silenced rules without which the verdict would be graver
	Fault   string   // a fault of this program for which it could not be looked at: its verdict is Block
}

// Answer judges raw, the JSON value of a result, an error, or a notification's params: every string and every key in it, and
// what is made of it and the answers before it. raw must have passed frame.Scan. It may be called by several goroutines at once;
// answers that come at the same time are not joined with each other. It never panics.
func (w *Watch) Answer(raw []byte, terms Terms) (verdict AnswerVerdict) {
	defer func() {
		if p := recover(); p != nil {
			verdict = notLookedAt(Fault(p))
		}
	}()
	w.mu.Lock()
	rules, before, long := w.rules, w.endings, len(raw) > maxHeldUp
	if long {
		before = cloned(before)
		w.mu.Unlock()
	} else {
		defer w.mu.Unlock()
	}
	if terms.MaxBytes > 0 && len(raw) > terms.MaxBytes {
		return tooLong(terms.MaxBytes, rules)
	}
	weighing := newWeigher(rules.compiled(), Answer)
	weighing.except = terms.Silenced
	weighing.secret.Begin(terms.Secrets)
	weighing.resume(before)
	deep := !weighing.value.strings(raw, weighing)
	if deep {
		weighing.Whole = false
	}
	weighing.ending()
	weighing.done()
	if len(weighing.voice.found) > 0 {
		weighing.Verdict = Block
	}
	if weighing.Verdict != Block { // what is held was not said
		if long {
			w.mu.Lock()
			w.keep(weighing, rules)
			w.mu.Unlock()
		} else {
			w.keep(weighing, rules)
		}
	}
	verdict = AnswerVerdict{
		Judged: Judged{Verdict: weighing.Verdict, Whole: weighing.Whole, Asked: weighing.Asked}, Score: weighing.Score,
		Checks: weighing.checks(deep), RuleSet: rules.RuleSet(), Secrets: weighing.secrets,
	}
	if verdict.Verdict != Clean {
		verdict.Findings = append(weighing.hidden, weighing.Findings...)
		verdict.Findings = append(verdict.Findings, weighing.voice.found...)
	}
	if len(weighing.passed) > 0 && verdictOf(weighing.all, Answer) != verdict.Verdict {
		slices.Sort(weighing.passed)
		verdict.Passed = weighing.passed
	}
	weighing.release() // not where it panics: it may be half of what it should be
	return verdict
}

// keep remembers how an answer ended, and has the weigher take the room of one that is forgotten. An ending of nothing is remembered
// too: it is one of the last answers.
func (w *Watch) keep(weighing *weigher, under *RuleFile) {
	if under != w.rules || weighing.end.empty() && len(w.endings) == 0 {
		return // an ending is in terms of the rules it was found by
	}
	var forgotten *ending
	if len(w.endings) == maxEndings {
		forgotten = w.endings[0]
		w.endings = append(w.endings[:0], w.endings[1:]...)
	}
	w.endings = append(w.endings, weighing.end)
	weighing.end = forgotten
	if !slices.ContainsFunc(w.endings, func(e *ending) bool { return !e.empty() }) {
		w.endings = w.endings[:0]
	}
}

func tooLong(most int, rules *RuleFile) AnswerVerdict {
	why := fmt.Sprintf("the answer is longer than %d bytes", most)
	v := AnswerVerdict{Judged: Judged{Verdict: Clean}, RuleSet: rules.RuleSet(), TooLong: true}
	for _, c := range ran {
		if c.Ran {
			c.Ran, c.Why = false, why
		}
		v.Checks = append(v.Checks, c)
	}
	return v
}

// checks says what was looked for, and what was not looked at.
func (w *weigher) checks(deep bool) []Check {
	if w.Whole && len(w.blobs.named) == 0 && !w.Asked && !w.joint.short && w.secret.On && !w.secret.Short {
		return ran
	}
	checks := slices.Clone(ran)
	switch {
	case deep:
		checks[0] = Check{CheckThreats, false, fmt.Sprintf("it nests deeper than %d levels", maxDepth)}
	case !w.Whole:
		checks[0].Why = manyViews
	}
	if len(w.blobs.named) > 0 {
		why := strings.Join(w.blobs.named, "; ")
		if w.blobs.more > 0 {
			why += fmt.Sprintf("; and %d more", w.blobs.more)
		}
		checks[2] = Check{CheckBlobs, false, why}
	}
	if w.joint.short {
		checks[3].Why = "not every two pieces were read as one word: there are too many"
	}
	if w.Asked {
		checks[4] = Check{Check: CheckNgram, Ran: true}
	}
	switch {
	case !w.secret.On:
		checks[5] = Check{Check: CheckSecrets, Why: offSecrets}
	case deep:
		checks[5] = Check{Check: CheckSecrets, Why: checks[0].Why}
	case w.secret.Short:
		checks[5].Why = fewSecrets
	}
	return checks
}

const manyViews = "not every way to read it was looked at: there are too many"

// DefinitionChecks says what was looked for in a definition.
func (j Judged) DefinitionChecks() []Check {
	return []Check{{Check: CheckCharacters, Ran: true}, {Check: "bounds", Ran: true}, j.threats(), j.ngram(), {Check: CheckSecrets, Why: noSecrets}}
}

// TextChecks says what was looked for in one text.
func (j Judged) TextChecks() []Check {
	return []Check{{Check: CheckCharacters, Ran: true}, j.threats(), j.ngram(), {Check: CheckSecrets, Why: noSecrets}}
}

func (j Judged) threats() Check {
	c := Check{Check: CheckThreats, Ran: true}
	if !j.Whole {
		c.Why = manyViews
	}
	return c
}

func (j Judged) ngram() Check {
	if j.Asked {
		return Check{Check: CheckNgram, Ran: true}
	}
	return Check{Check: CheckNgram, Why: noDoubt}
}

// RuleSet names the rules of this program: a version and a fingerprint over all of them and the model of the second vote.
var RuleSet = sync.OnceValue(func() string {
	h := fnv.New64a()
	rules.WriteAll(h)
	h.Write([]byte(ngramModel))
	fmt.Fprintf(h, "%x", secrets.Fingerprint())
	return fmt.Sprintf("1-%016x", h.Sum64())
})
