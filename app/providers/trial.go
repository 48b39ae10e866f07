package providers

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// The texts of a trial. What a provider thinks of them is its own affair; that it answers is ours.
var trialTexts = []string{"The weather in Bern is fine: 18 degrees, no rain.", control.GuardTestText}

// Chosen refuses a value of a guardrail setting that can't work or that a person can't have meant: an unknown provider, a program that isn't
// there, a key where the name of one belongs. The error never repeats the value of a key. No lock is needed.
func (p *Providers) Chosen(key, value string) error {
	s, known := policy.Lookup(key)
	if !known || value == "" {
		return nil
	}
	canonical, err := s.Choose(value)
	if err != nil {
		return office.Answer(control.CodeBadRequest, "%v", err)
	}
	if found, whole := inspect.SecretsInText(canonical, secrets.Precise); len(found) > 0 || !whole {
		return office.Answer(control.CodeBadRequest, "%s: the value has a key or password in it, so it was not stored; put it into the keychain or a variable, and name that in guardrail.http.key", key)
	}
	program := ""
	rail := policy.ForGuardrail(policy.Values{key: canonical})
	switch {
	case len(rail.Argv) > 0:
		program = rail.Argv[0]
	case rail.Python != "":
		program = rail.Python
	}
	if program == "" {
		return nil
	}
	if _, err := exec.LookPath(program); err != nil {
		var why *exec.Error
		reason := "it can't be run"
		if errors.As(err, &why) {
			reason = why.Err.Error()
		}
		return office.Answer(control.CodeBadRequest, "%s: %s: %s", key, legible.Escape(program), office.OneLine(reason))
	}
	return nil
}

// Try asks every provider that a change of the settings switches on, or changes, about two texts. The error says which did not give a
// well-formed answer, and why. done must be called when the new settings are stored, or not. No lock may be held.
func (p *Providers) Try(before, after policy.Values) (done func(stored bool), err error) {
	was, is := policy.ForGuardrail(before), policy.ForGuardrail(after)
	on := map[spec]bool{}
	for _, name := range was.Providers {
		on[specOf(name, was)] = true
	}
	var fresh []*runner
	for _, name := range is.Providers {
		if what := specOf(name, is); !on[what] {
			fresh = append(fresh, p.made(what))
		}
	}
	failed := make([]string, len(fresh))
	var all sync.WaitGroup
	for i, r := range fresh {
		all.Go(func() {
			var v control.GuardVerdict
			defer func() { failed[i] = v.Failed }()
			defer caught(&v, r.what.name)
			v.Failed = r.trial()
		})
	}
	all.Wait()
	for i, r := range fresh {
		if failed[i] != "" {
			retireAll(fresh)
			return nil, office.Answer(control.CodeUnavailable, "guardrail provider %s was asked for a test and %s; nothing was changed", r.what.name, failed[i])
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range fresh {
		if old := p.tried[r.what]; old != nil {
			old.retire()
		}
		p.tried[r.what] = r
	}
	return func(stored bool) {
		if !stored {
			p.forget(fresh)
		}
	}, nil
}

func retireAll(all []*runner) {
	for _, r := range all {
		r.retire()
	}
}

// forget ends those of a trial whose settings were not stored after all.
func (p *Providers) forget(fresh []*runner) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range fresh {
		if p.tried[r.what] == r {
			delete(p.tried, r.what)
			r.retire()
		}
	}
}

// trial is why the provider gave no answer to one of the texts, "" if it answered both.
func (r *runner) trial() string {
	if why := r.what.lacks(); why != "" {
		return "can't be: " + why
	}
	ctx, cancel := context.WithTimeout(context.Background(), trialTime)
	defer cancel()
	for _, text := range trialTexts {
		if v := r.judge(ctx, r.provider, request(vocab.TextResponse, "sallyport", "test"), []string{text}); v.Failed != "" {
			return strings.TrimSuffix(v.Failed, ".")
		}
	}
	return ""
}
