package providers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/guardrail"
	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// spec is one provider with all that makes it another one when it changes.
type spec struct{ name, argv, url, format, model, key, python string }

func specOf(name string, g policy.Guardrail) spec {
	what := spec{name: name}
	switch name {
	case policy.ProviderCommand:
		if len(g.Argv) > 0 {
			argv, _ := json.Marshal(g.Argv)
			what.argv = string(argv)
		}
	case policy.ProviderHTTP:
		what.url, what.format, what.model, what.key = g.URL, g.Format, g.Model, g.Key
	case policy.ProviderLlamaFirewall:
		what.python = g.Python
	}
	return what
}

// lacks is why a provider can't even be asked, "" if it can.
func (what spec) lacks() string {
	switch {
	case what.name == policy.ProviderCommand && what.argv == "":
		return "it has no program; set guardrail.command.argv"
	case what.name == policy.ProviderHTTP && what.url == "":
		return "it has no address; set guardrail.http.url"
	case what.name == policy.ProviderLlamaFirewall && what.python == "":
		return "it has no Python; set guardrail.llamafirewall.python"
	case !slices.Contains(policy.Providers(), what.name):
		return "no provider has that name; there are " + strings.Join(policy.Providers(), ", ")
	}
	return ""
}

// runner runs one provider and counts.
type runner struct {
	what     spec
	provider guardrail.Provider // asked by a test even while it is paused
	breaker  *guardrail.Breaker

	mu      sync.Mutex
	asked   int
	failed  int
	took    []time.Duration // the last ones, in a ring
	last    string          // why it failed last, "" since it worked
	users   int
	retired bool
}

// LogOf names the log of what a provider prints, among those of servers.
func LogOf(provider string) string { return "guardrail-" + provider }

// remembered is how many durations a runner keeps for its median.
const remembered = 101

// made is a runner for a provider, which is not started before it is asked.
func (p *Providers) made(what spec) *runner {
	r := &runner{what: what, provider: p.provider(what)}
	r.breaker = guardrail.NewBreaker(r.provider, func(s guardrail.State) {
		p.news.add(what.name, s.Paused, s.Reason)
	})
	return r
}

func (p *Providers) provider(what spec) guardrail.Provider {
	if why := what.lacks(); why != "" {
		return unable(why)
	}
	stderr := func(chunk []byte) {
		if p.hub.Stderr != nil {
			p.hub.Stderr(what.name, chunk)
		}
	}
	switch what.name {
	case policy.ProviderCommand:
		var argv []string
		if err := json.Unmarshal([]byte(what.argv), &argv); err != nil {
			return unable("its command can't be read")
		}
		return guardrail.NewCommand(guardrail.CommandConfig{Argv: argv, Stderr: stderr})
	case policy.ProviderHTTP:
		config := guardrail.HTTPConfig{URL: what.url, Format: what.format}
		if what.model != "" {
			config.Model = what.model
		}
		if what.key != "" {
			config.Key = func(ctx context.Context) (string, error) { return p.key(ctx, what.key) }
		}
		served, err := guardrail.NewHTTP(config)
		if err != nil {
			return unable(err.Error())
		}
		return served
	}
	return guardrail.NewLlamaFirewall(what.python, stderr)
}

// key reads the key that a setting says where to find. The error never holds any of it.
func (p *Providers) key(ctx context.Context, where string) (string, error) {
	ref, err := keychain.ParseRef(where)
	if err != nil {
		return "", err
	}
	return ref.Resolve(ctx, keychain.Secrets(p.hub.Home.Dir), os.Getenv)
}

// unable is a provider that always fails, for a reason of ours.
type unable string

func (u unable) Ask(context.Context, guardrail.Request) (guardrail.Answer, error) {
	return guardrail.Answer{}, &guardrail.Failure{Reason: string(u)}
}

func (unable) Close() {}

func (r *runner) enter() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users++
}

func (r *runner) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.users--; r.users == 0 && r.retired {
		go r.provider.Close()
	}
}

// retire ends the provider once nobody waits for it.
func (r *runner) retire() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.retired = true; r.users == 0 {
		go r.provider.Close()
	}
}

// judge asks the provider, or the breaker in front of it.
func (r *runner) judge(ctx context.Context, of guardrail.Provider, request guardrail.Request, text []string) control.GuardVerdict {
	began := time.Now()
	answer, err := guardrail.Judge(ctx, of, request, text)
	took := time.Since(began)
	v := control.GuardVerdict{
		Provider: r.what.name, Verdict: answer.Verdict, Score: answer.Score, Reason: answer.Reason, DurationUS: took.Microseconds(),
		Ran: answer.Ran, NotRun: answer.NotRun,
	}
	if err != nil {
		v.Failed = short(err.Error())
	}
	if ctx.Err() == context.Canceled && err != nil {
		return v // the one who asked is gone
	}
	r.count(took, v.Failed, errors.Is(err, guardrail.ErrPaused))
	return v
}

// maxFailed is how many bytes of a failure are kept: it can name a program, whose path has up to four thousand.
const maxFailed = 500

// short leaves out the middle of what is too long.
func short(why string) string {
	if len(why) <= maxFailed {
		return why
	}
	return cut.Bytes(why, maxFailed/2-10) + " … " + cut.Tail(why, maxFailed/2-10)
}

func (r *runner) count(took time.Duration, failed string, paused bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if paused {
		return // it was not asked
	}
	if r.asked++; failed != "" {
		r.failed++
		r.last = failed
		return
	}
	r.last = ""
	if len(r.took) < remembered {
		r.took = append(r.took, took)
	} else {
		r.took[r.asked%remembered] = took
	}
}

// row is what `guardrail list` says about it.
func (r *runner) row() control.GuardProvider {
	state := r.breaker.State()
	r.mu.Lock()
	defer r.mu.Unlock()
	row := control.GuardProvider{Name: r.what.name, State: control.GuardOn, Asked: r.asked, Failed: r.failed, Reason: cmp.Or(r.what.lacks(), r.last)}
	if state.Paused {
		row.State, row.Reason = control.GuardPaused, state.Reason
	}
	if took := slices.Sorted(slices.Values(r.took)); len(took) > 0 {
		row.P50MS = float64(took[len(took)/2].Microseconds()) / 1000
	}
	return row
}

// request is one for a response or a definition.
func request(kind vocab.TextKind, server, tool string) guardrail.Request {
	return guardrail.Request{Kind: kind, Server: server, Tool: tool}
}
