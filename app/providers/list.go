package providers

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/guardrail"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/sanitize"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Guards lists every provider there is, and those that a file made up.
func (p *Providers) Guards() ([]control.GuardProvider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	names := policy.Providers()
	for _, g := range p.inForce {
		for _, name := range g.Providers {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	rows := make([]control.GuardProvider, 0, len(names))
	for _, name := range names {
		rows = append(rows, p.row(name))
	}
	return rows, nil
}

// row sums up a provider, which can have several forms: a server can have a model of its own. The caller holds mu.
func (p *Providers) row(name string) control.GuardProvider {
	if name == policy.ProviderBuiltin {
		return control.GuardProvider{Name: name, State: control.GuardOn, Reason: "always on, in each guarded server"}
	}
	row := control.GuardProvider{Name: name, State: control.GuardOff, Reason: "switched off"}
	on, general := false, slices.Contains(p.general.Providers, name)
	for _, g := range p.inForce {
		on = on || slices.Contains(g.Providers, name)
	}
	why := specOf(name, p.general).lacks()
	row.Lacks, row.Failing = why, on && why != ""
	switch {
	case on:
		row.State, row.Reason = control.GuardOn, why
		if why == "" && !general {
			row.Reason = "on for some servers only"
		}
	case why != "":
		row.Reason = why
	}
	for what, r := range p.runners {
		if what.name != name {
			continue
		}
		one := r.row()
		row.Asked, row.Failed, row.P50MS = row.Asked+one.Asked, row.Failed+one.Failed, max(row.P50MS, one.P50MS)
		if one.State == control.GuardPaused {
			row.State = one.State
		}
		if one.Reason != "" {
			row.Reason, row.Failing = one.Reason, true
		}
	}
	return row
}

// TestGuard asks one provider about a text, once, whether it is on or not, and also while it is paused.
func (p *Providers) TestGuard(peer control.Peer, t control.GuardTest) (control.GuardVerdict, error) {
	switch {
	case peer.Descends:
		return control.GuardVerdict{}, office.Answer(control.CodeDescends, "a program inside a guarded server can't ask the guardrail providers")
	case !slices.Contains(policy.Providers(), t.Provider):
		return control.GuardVerdict{}, office.Answer(control.CodeBadRequest, "%.40q is not one of %s", t.Provider, strings.Join(policy.Providers(), ", "))
	case len(t.Text) > control.MaxGuardTest:
		return control.GuardVerdict{}, office.Answer(control.CodeBadRequest, "the text is larger than 1 MiB")
	case t.Provider == policy.ProviderBuiltin:
		return builtin(t.Text), nil
	}
	p.mu.Lock()
	rail := p.general
	p.mu.Unlock()
	what := specOf(t.Provider, rail)
	if why := what.lacks(); why != "" {
		return control.GuardVerdict{}, office.Answer(control.CodeBadRequest, "%s can't be asked: %s", t.Provider, why)
	}
	text := t.Text
	if rail.Away(t.Provider) {
		var err error
		if text, err = sanitize.RedactedText(text, secrets.Precise); err != nil {
			return control.GuardVerdict{}, office.Answer(control.CodeBadRequest, "the text is not sent to another computer: %v", err)
		}
	}
	pieces, whole := guardrail.Pieces(slices.Values([]string{text}))
	if !whole {
		return control.GuardVerdict{}, office.Answer(control.CodeBadRequest, "the text is too large for a guardrail provider")
	}
	r, done := p.runner(what)
	defer done()
	ctx, cancel := context.WithTimeout(context.Background(), trialTime)
	defer cancel()
	return r.judge(ctx, r.provider, request(vocab.TextResponse, "sallyport", "test"), pieces), nil
}

// fullScore is the score of the rules that counts as 1: twice that of a block.
const fullScore = 9

// builtin is the built-in detector's verdict in the words of a provider.
func builtin(text string) control.GuardVerdict {
	began := time.Now()
	judged := inspect.Weigh([]inspect.Part{{Text: text}}, inspect.Answer)
	v := control.GuardVerdict{
		Provider: policy.ProviderBuiltin, Verdict: vocab.VoteAllow, Score: min(1, judged.Score/fullScore), DurationUS: time.Since(began).Microseconds(),
	}
	switch judged.Verdict {
	case inspect.Block:
		v.Verdict = vocab.VoteBlock
	case inspect.Flag:
		v.Verdict = vocab.VoteFlag
	case inspect.Clean:
	}
	return v
}
