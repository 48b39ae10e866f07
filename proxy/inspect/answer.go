package inspect

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// Check names one check of a text, or the reason why it did not run.
type Check struct {
	Check string `json:"check"`
	Ran   bool   `json:"ran"`
	Why   string `json:"why,omitempty"`
}

// The checks of a response, in order.
const (
	CheckThreats    = "threats"    // the rules, in every view
	CheckCharacters = "characters" // invisible characters
	CheckBlobs      = "blobs"      // files in base64
	CheckJoined     = "joined"     // threats cut into pieces
	CheckSecrets    = "secrets"
)

const (
	offSecrets = "redact.mode is off"
	fewSecrets = "not all places were checked: there are too many"
)

// ran are the checks of a fully inspected response. It is never written to.
var ran = []Check{
	{Check: CheckThreats, Ran: true}, {Check: CheckCharacters, Ran: true}, {Check: CheckBlobs, Ran: true}, {Check: CheckJoined, Ran: true},
	{Check: CheckNgram, Ran: true}, {Check: CheckSecrets, Ran: true},
}

// Watch judges the responses of one server over a session. It remembers how the last ones ended.
type Watch struct {
	mu      sync.Mutex
	rules   *RuleFile
	alone   bool      // without the second vote
	endings []*ending // the most recent comes last
}

// maxHeldUp is the longest response that is inspected under the lock: others wait for it, and need no copies of the endings.
const maxHeldUp = 64 << 10

// WatchAlone makes a Watch without the second vote, to measure the rules.
func WatchAlone() *Watch { return &Watch{alone: true} }

// Use applies the rules of a file from the next response on, in addition to the catalogue; nil means the catalogue alone.
func (w *Watch) Use(f *RuleFile) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f != w.rules {
		w.rules, w.endings = f, nil
	}
}

// Terms are the settings a response is judged under.
type Terms struct {
	MaxBytes int    // larger responses are not inspected
	Secrets  string // how to look for secrets: SecretsPrecise, SecretsStrict, SecretsOff
	// Silenced are rules that a person has excepted for the tool, each up to a level: a match at or below that level carries no weight.
	// Never for a Critical one.
	Silenced map[string]Level
	// Heard is given every string and number of the response, and each key longer than LongKey, as Fields passes them. It was given all if the verdict has
	// neither a Fault nor TooLong. nil for none.
	Heard func(f Field)
}

// AnswerVerdict is the judgement of a response. Its checks are shared with other verdicts: don't modify them.
type AnswerVerdict struct {
	Judged
	Secrets []Finding // its secrets; they change no verdict
	Checks  []Check
	RuleSet string   // the rules it was judged by
	TooLong bool     // not inspected: it is longer than MaxBytes
	Passed  []string // silenced rules without which the verdict would be more serious
	Fault   string   // a fault of this program prevented the inspection: the verdict is Block
}

// Answer judges raw, the JSON value of a result, an error, or a notification's params: every string and key in it, also joined with the
// responses before it. raw must have passed frame.Scan. Several goroutines may call it at once; simultaneous responses are not joined with
// each other. It never panics.
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
	weighing.except, weighing.votes = terms.Silenced, !w.alone
	weighing.secret.Begin(terms.Secrets)
	weighing.listen(terms.Heard)
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
	if weighing.Verdict != Block { // a held response did not reach the client
		if long {
			w.mu.Lock()
			w.keep(weighing, rules)
			w.mu.Unlock()
		} else {
			w.keep(weighing, rules)
		}
	}
	verdict = AnswerVerdict{Judged: weighing.Judged, Checks: weighing.checks(deep), RuleSet: rules.RuleSet(), Secrets: weighing.secrets}
	if verdict.Verdict != Clean {
		verdict.Findings = slices.Concat(weighing.hidden, weighing.Findings, weighing.voice.found)
	}
	if len(weighing.passed) > 0 && verdictOf(weighing.all) != verdict.Verdict {
		slices.Sort(weighing.passed)
		verdict.Passed = weighing.passed
	}
	weighing.release() // not after a panic: the weigher may be half changed
	return verdict
}

// keep remembers how a response ended, and reuses the memory of the one it forgets. An empty ending is remembered too: it counts as one of
// the last responses.
func (w *Watch) keep(weighing *weigher, under *RuleFile) {
	if under != w.rules || weighing.end.empty() && len(w.endings) == 0 {
		return // an ending refers to the rules that it was found by
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
	why := fmt.Sprintf("the response is longer than %d bytes", most)
	v := AnswerVerdict{Judged: Judged{Verdict: Clean}, RuleSet: rules.RuleSet(), TooLong: true}
	for _, c := range ran {
		if c.Ran {
			c.Ran, c.Why = false, why
		}
		v.Checks = append(v.Checks, c)
	}
	return v
}

// checks lists which checks ran and which did not.
func (w *weigher) checks(deep bool) []Check {
	if w.Whole && len(w.blobs.named) == 0 && !w.joint.short && w.secret.On && !w.secret.Short {
		return ran
	}
	checks := slices.Clone(ran)
	switch {
	case deep:
		checks[0] = Check{CheckThreats, false, fmt.Sprintf("it nests deeper than %d levels", maxDepth)}
		checks[4] = Check{CheckNgram, false, checks[0].Why}
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
		checks[3].Why = "not all pieces were read together: there are too many"
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

const manyViews = "not all ways to read it were checked: there are too many"

// DefinitionChecks lists the checks of a definition that was searched for secrets too, as whole says.
func (j Judged) DefinitionChecks(whole bool) []Check {
	return slices.Insert(j.TextChecks(whole), 1, Check{Check: "bounds", Ran: true})
}

// TextChecks lists the checks of one text that was searched for secrets too, as whole says.
func (j Judged) TextChecks(whole bool) []Check {
	threats, ngram, secrets := Check{Check: CheckThreats, Ran: true}, Check{Check: CheckNgram, Ran: true}, Check{Check: CheckSecrets, Ran: true}
	if !j.Whole {
		threats.Why = manyViews
	}
	if !whole {
		secrets.Why = fewSecrets
	}
	return []Check{{Check: CheckCharacters, Ran: true}, threats, ngram, secrets}
}

// RuleSet names the rules of this program: a version and a fingerprint over all of them and the model of the second vote.
var RuleSet = sync.OnceValue(func() string {
	h := fnv.New64a()
	rules.WriteAll(h)
	h.Write([]byte(ngramModel))
	fmt.Fprintf(h, "%x", secrets.Fingerprint())
	return fmt.Sprintf("1-%016x", h.Sum64())
})

// NotLookedAt is the rule for text that could not be inspected because of a fault of this program. It counts as dangerous: text that breaks
// a check must not get past it.
const NotLookedAt = "not_looked_at"

// Fault describes a panic and its origin in one line. Deferred functions call it with the value from recover.
func Fault(p any) string {
	var calls [64]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(2, calls[:])])
	where, thrown := "", false
	for {
		f, more := frames.Next()
		if thrown && !strings.HasPrefix(f.Function, "runtime.") {
			where = fmt.Sprintf(" (%s, %s:%d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:], filepath.Base(f.File), f.Line)
			break
		}
		if thrown = thrown || f.Function == "runtime.gopanic"; !more {
			break
		}
	}
	return cut.Runes(legible.Escape(fmt.Sprint(p)), 400) + where
}

// notLookedAt is the verdict on a response that could not be inspected.
func notLookedAt(fault string) AnswerVerdict {
	return AnswerVerdict{
		Fault: fault,
		Judged: Judged{Verdict: Block, Findings: []Finding{{
			Rule: NotLookedAt, Level: High, Category: "threat", Title: "Sallyport couldn't check it because of a bug in Sallyport",
		}}},
		Checks: []Check{{Check: CheckThreats, Why: "a bug in Sallyport: " + fault}},
	}
}
