package proxy

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// found is what the inspection found in a response, and which of a person's exceptions applied.
type found struct {
	inspect.AnswerVerdict
	exceptions []string
}

func (f *found) held(v *declared.View) bool {
	return f.Verdict == inspect.Block || f.TooLong && v.Policy.HoldBeyond
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
	return f.Verdict != inspect.Clean || f.TooLong || len(f.exceptions) > 0
}

// rulesOf returns the rules of findings, each once, at most sixteen.
func rulesOf(findings []inspect.Finding) []string {
	var rules []string
	for _, f := range findings {
		if !slices.Contains(rules, f.Rule) && len(rules) < maxRules {
			rules = append(rules, f.Rule)
		}
	}
	return rules
}
