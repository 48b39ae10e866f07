package rules

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// denial is what a negation before a match of a rule means.
type denial uint8

const (
	undeniable denial = iota // nothing
	deniedWith               // a "without …" is no match behind it
	deniedAll                // nothing that the rule is about is a match behind it
)

// protects reports whether a match is the opposite of what its rule is about: "never send it without the user's consent" asks for consent.
// text[start:end] is the match from its first phrase on.
//
// It is so where a "without …" is governed by a negation of the same clause, or lies inside the match, right before what is negated twice
// ("never act without telling the user"). A negation of waiting or asking governs nothing: "do not wait, send it without the user's consent".
func (d denial) protects(text string, start, end int) bool {
	if d == undeniable {
		return false
	}
	const without = "without "
	from := max(0, start-maxClause)
	match := strings.ToLower(text[start:end])
	before := strings.ToLower(text[from:start])
	if d == deniedAll || strings.HasPrefix(match, without) {
		return governed(before)
	}
	if at := strings.Index(match, " "+without); at > 0 && slices.Contains(behind, firstWord(match[at+1+len(without):])) {
		return governed(before + match[:at+1])
	}
	return false
}

// maxClause is how far before a "without" its negation may be, in bytes: a list of what may not be done takes some.
const maxClause = 160

// behind are words behind a "without" inside a match: what is to be done first, or whose consent is needed.
var behind = []string{"telling", "informing", "notifying", "alerting", "mentioning", "revealing", "prompting", "asking", "the", "user", "users", "human", "customer"}

// denials are words that negate a clause by themselves; "not" and "n't" do behind an auxiliary.
var denials = []string{"never", "cannot", "no", "nothing", "nobody", "none", "neither", "nor"}

// auxiliaries are those of "not"; behind a form of be or have only a participle is negated ("is not sent", but "is not a drill").
var (
	auxiliaries = []string{"do", "does", "did", "must", "should", "shall", "may", "might", "can", "could", "will", "would", "need"}
	beings      = []string{"is", "are", "was", "were", "be", "been", "being", "has", "have", "had"}
	endings     = []string{"ed", "en", "nt", "ne", "wn", "de", "id", "ut", "ft", "ld", "ad", "ng"}
)

// idle are verbs, and words for a need, of which the negation is an order to go ahead, where the clause goes on behind them: "do not wait, send
// it", "do not hesitate to send it".
var idle = []string{
	"wait", "hesitate", "stop", "pause", "ask", "bother", "worry", "fail", "forget", "refuse", "delay", "hold", "mind", "mention", "tell", "inform", "notify", "alert",
	"need", "require", "only", "seek", "request", "let", "be", "warn", "report", "reveal", "disclose", "show", "reason", "point", "problem", "confirm", "confirmation",
	"think", "question", "consult", "check", "verify",
}

// turns begin a clause of its own.
var (
	turns = []string{"but", "instead", "just", "then", "simply", "rather", "please", "so", "always", "immediately"}
	musts = []string{"must", "should", "shall", "will"} // behind a "you"
)

// skipped may be between a negation and its verb.
var skipped = []string{"ever", "under", "any", "circumstances", "in", "case", "the", "a", "an", "be", "should", "must", "may", "can", "shall", "will", "one"}

// governed reports whether a clause, up to its "without", is negated once.
func governed(clause string) bool {
	for i := len(clause) - 1; i >= 0; i-- { // an address has stops too, with no space behind them
		if clause[i] == '\n' || strings.IndexByte(".!?:;", clause[i]) >= 0 && (i+1 == len(clause) || clause[i+1] == ' ') {
			clause = clause[i+1:]
			break
		}
	}
	words := strings.FieldsFunc(clause, func(r rune) bool { return r == ' ' || r == '"' || r == '(' || r == ')' })
	denied, being := -1, false
	for i := range words {
		switch is, denies := denies(words, i); {
		case denies:
			if denied >= 0 && !again(words[denied+1:i]) {
				return false // two negations are none
			}
			denied, being = i, is
		case denied >= 0 && turnsAt(words, i):
			return false
		}
	}
	if denied < 0 {
		return false
	}
	after := words[denied+1:]
	for len(after) > 0 && slices.Contains(skipped, after[0]) {
		after = after[1:]
	}
	if len(after) > 0 {
		verb := strings.Trim(after[0], ",")
		goesOn := verb == "only" || slices.ContainsFunc(after, func(word string) bool { return word == "to" || strings.HasSuffix(word, ",") })
		if goesOn && slices.Contains(idle, verb) || being && !slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(verb, end) }) {
			return false
		}
	}
	// After a comma only a list goes on: "delete, move or rename".
	for i := len(after) - 1; i >= 0; i-- {
		if strings.HasSuffix(after[i], ",") {
			rest := after[i+1:]
			return slices.Contains(rest, "or") || slices.Contains(rest, "nor")
		}
	}
	return true
}

// turnsAt reports whether a clause of its own begins at a word.
func turnsAt(words []string, i int) bool {
	next := ""
	if i+1 < len(words) {
		next = words[i+1]
	}
	switch word := strings.Trim(words[i], ","); word {
	case "and":
		return slices.Contains(orders(), next)
	case "you":
		return slices.Contains(musts, next)
	default:
		return slices.Contains(turns, word)
	}
}

// again reports whether what is between two negations says one of them again: "did not and will never".
func again(between []string) bool {
	return len(between) > 0 && slices.Contains([]string{"and", "or"}, between[0]) &&
		!slices.ContainsFunc(between[1:], func(word string) bool { return !slices.Contains(auxiliaries, word) })
}

// contracted are the auxiliaries that n't shortens.
var contracted = map[string]string{"ca": "can", "wo": "will", "sha": "shall"}

// denies reports whether a word negates its clause; being says that it does so to a form of be or have.
func denies(words []string, i int) (being, denies bool) {
	word := strings.Trim(words[i], ",")
	if slices.Contains(denials, word) {
		return false, word != "no" || i+1 == len(words) || words[i+1] != "matter"
	}
	of := ""
	if word == "not" && i > 0 {
		of = words[i-1]
	} else if stem, ok := strings.CutSuffix(strings.ReplaceAll(word, "’", "'"), "n't"); ok {
		of = cmp.Or(contracted[stem], stem)
	}
	return slices.Contains(beings, of), slices.Contains(auxiliaries, of) || slices.Contains(beings, of)
}

// orders are verbs that begin an order of their own behind an "and".
var orders = sync.OnceValue(func() []string { return strings.Split(strings.ReplaceAll(doing+"|"+sending+"|"+taking, "*", ""), "|") })

// firstWord is the word at the beginning of a text.
func firstWord(text string) string {
	if at := strings.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }); at >= 0 {
		return text[:at]
	}
	return text
}
