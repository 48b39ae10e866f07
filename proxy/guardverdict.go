package proxy

import (
	"maps"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// unsentWhy is why a provider on another computer does not count for a server.
const unsentWhy = "guardrail.remote is off for this server, so its text isn't sent to another computer"

// failures are verdicts of providers that could not judge a text, for one reason.
func failures(names, why string) (all []control.GuardVerdict) {
	for name := range strings.SplitSeq(names, ",") {
		if name != "" {
			all = append(all, control.GuardVerdict{Provider: name, Failed: why})
		}
	}
	return all
}

// unheard are failures of the providers that have no verdict: the hub may have other settings by now, and no verdict lets nothing pass.
func unheard(names string, verdicts []control.GuardVerdict) []control.GuardVerdict {
	return slices.DeleteFunc(failures(names, "the hub did not ask it"), func(one control.GuardVerdict) bool {
		return slices.ContainsFunc(verdicts, func(v control.GuardVerdict) bool { return v.Provider == one.Provider })
	})
}

func failedAll(p *policy.Wrapper, why string) []control.GuardVerdict {
	return append(append(failures(p.Guards, why), failures(p.GuardsAway, why)...), unaskedAll(p)...)
}

// unaskedAll are the providers that a server's text isn't sent to.
func unaskedAll(p *policy.Wrapper) (all []control.GuardVerdict) {
	for _, v := range failures(p.GuardsUnsent, "") {
		all = append(all, control.GuardVerdict{Provider: v.Provider, Unasked: unsentWhy})
	}
	return all
}

// merge adds what providers said about the next part of a text: the gravest part counts.
func (g *guarded) merge(next []control.GuardVerdict) {
	for _, v := range next {
		g.failed = g.failed || v.Failed != ""
		i := slices.IndexFunc(g.verdicts, func(o control.GuardVerdict) bool { return o.Provider == v.Provider })
		if i < 0 {
			g.verdicts = append(g.verdicts, v)
			continue
		}
		last := &g.verdicts[i]
		took, failed := last.DurationUS+v.DurationUS, last.Failed
		if weight(v.Verdict) > weight(last.Verdict) || v.Verdict == last.Verdict && v.Score > last.Score {
			*last = v
		}
		if last.DurationUS = took; last.Failed == "" {
			last.Failed = failed + v.Failed // one of them at most
		}
	}
}

// weight orders votes; no vote is the lightest, and an unknown one the gravest.
func weight(v vocab.Vote) int {
	switch v {
	case "":
		return 0
	case vocab.VoteAllow:
		return 1
	case vocab.VoteFlag:
		return 2
	case vocab.VoteBlock:
	}
	return 3
}

func (g *guarded) blocks() bool {
	return slices.ContainsFunc(g.verdicts, func(v control.GuardVerdict) bool { return weight(v.Verdict) == 3 })
}

// guardRule is the rule of a finding of a guardrail provider.
func guardRule(provider string) string { return inspect.GuardrailPrefix + provider }

// guard adds the verdicts of guardrail providers to the detector's own: the gravest counts, and none lowers another. What a person has
// excepted for a provider doesn't count.
func (f *found) guard(g guarded, excepted []control.Exception) {
	f.guards = g
	f.Checks = slices.Clone(f.Checks) // shared with other verdicts
	for _, v := range g.verdicts {
		check := inspect.Check{Check: guardRule(v.Provider), Ran: v.Failed == "" && v.Unasked == "", Why: v.Failed + v.Unasked}
		f.Checks = append(f.Checks, check)
		f.scanners(v)
		one := inspect.Finding{Rule: check.Check, Category: "threat"}
		switch weight(v.Verdict) {
		case 0, 1:
			continue
		case 2:
			one.Level, one.Title = inspect.Medium, "The extra check "+v.Provider+" finds it suspicious"
		default:
			one.Level, one.Title = inspect.High, "The extra check "+v.Provider+" says it is an attack"
		}
		f.add(one, excepted)
	}
}

// add adds a finding that the detector did not make, and what follows from it: one that is High holds the response. One that a person has
// excepted doesn't count.
func (f *found) add(one inspect.Finding, excepted []control.Exception) {
	if id := exceptionOf(excepted, one); id != "" {
		f.Passed, f.exceptions = append(f.Passed, one.Rule), append(f.exceptions, id)
		return
	}
	f.Findings = append(f.Findings, one)
	switch {
	case one.Level == inspect.High:
		f.Verdict = inspect.Block
	case f.Verdict == inspect.Clean:
		f.Verdict = inspect.Flag
	}
}

// scanners lists the scanners of a provider that has several.
func (f *found) scanners(v control.GuardVerdict) {
	for _, name := range v.Ran {
		f.Checks = append(f.Checks, inspect.Check{Check: guardRule(v.Provider) + ":" + name, Ran: true})
	}
	for _, name := range slices.Sorted(maps.Keys(v.NotRun)) {
		f.Checks = append(f.Checks, inspect.Check{Check: guardRule(v.Provider) + ":" + name, Why: v.NotRun[name]})
	}
}

// exceptionOf is the exception under which a finding passes, "" if there is none.
func exceptionOf(excepted []control.Exception, f inspect.Finding) string {
	for _, e := range excepted {
		if e.Rule == f.Rule && e.Level.Rank() >= f.Level.Rank() {
			return e.ID
		}
	}
	return ""
}

// unasked lists the providers that were not asked although the settings name them.
func (f *found) unasked(p *policy.Wrapper) {
	switch {
	case p.Guards == "" && p.GuardsAway == "" && p.GuardsUnsent == "":
	case f.TooLong:
		f.guard(guarded{verdicts: failedAll(p, "the response is larger than inspect.max_bytes"), beyond: true}, nil)
	default:
		f.guard(guarded{verdicts: unaskedAll(p)}, nil)
	}
}

// unguarded is the finding about a response that is held because a provider could not judge it.
func unguarded(g guarded) inspect.Finding {
	var names []string
	for _, v := range g.verdicts {
		if v.Failed != "" {
			names = append(names, ""+v.Provider+"")
		}
	}
	return inspect.Finding{
		Rule: inspect.GuardrailFailed, Level: inspect.Medium, Category: "threat", Title: "The extra check " + strings.Join(names, " and ") + " could not judge it",
	}
}

// facts are what a record says about a response that all providers let pass, nil if there are none.
func (g *guarded) facts() facts {
	votes := g.votes()
	if len(votes) == 0 {
		return nil
	}
	return facts{"check": "guardrail", "guardrails": votes}
}

func (g *guarded) votes() []map[string]any { return control.Votes(g.verdicts) }
