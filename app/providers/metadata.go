package providers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"slices"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/guardrail"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/sanitize"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Definition is what the providers of a server said about something that it declares.
type Definition struct {
	Findings []inspect.Finding
	Verdicts []control.GuardVerdict
	Whole    bool // every provider that counts for the server judged all of it
}

// Judges identifies the providers that Definition asks, with all that makes them other ones: with another model, key or Python they judge anew.
// Of a key it has where it is found, never the key, and that as a hash with the rest.
func Judges(rail policy.Guardrail) string {
	var all []string
	for _, provider := range rail.Providers {
		if rail.Away(provider) && !rail.Remote {
			continue
		}
		of := specOf(provider, rail)
		all = append(all, of.name, of.argv, of.url, of.format, of.model, of.key, of.python)
	}
	raw, _ := json.Marshal(all) // strings are always JSON
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Definition asks about one definition: a tool, a prompt, the instructions. No lock may be held. It returns when all providers have answered
// or run out of time.
func (p *Providers) Definition(ctx context.Context, serverName string, rail policy.Guardrail, name string, raw []byte) (out Definition) {
	ctx, cancel := context.WithTimeout(ctx, rail.Timeout)
	defer cancel()
	of := server{name: serverName, rail: rail}
	out.Whole = true
	for _, provider := range rail.Providers {
		if rail.Away(provider) && !rail.Remote {
			continue
		}
		v := p.define(ctx, provider, of, name, raw)
		out.Verdicts = append(out.Verdicts, v)
		out.Whole = out.Whole && v.Failed == ""
		if f, is := findingOf(v); is {
			out.Findings = append(out.Findings, f)
		}
	}
	return out
}

func (p *Providers) define(ctx context.Context, provider string, of server, name string, raw []byte) (v control.GuardVerdict) {
	defer caught(&v, provider)
	var texts iter.Seq[string] = inspect.Texts(raw)
	if of.rail.Away(provider) {
		redacted, err := sanitize.RedactedTexts(raw, secrets.Precise)
		if err != nil {
			return control.GuardVerdict{Provider: provider, Failed: err.Error()}
		}
		texts = slices.Values(redacted)
	}
	pieces, whole := guardrail.Pieces(texts)
	if !whole {
		return control.GuardVerdict{Provider: provider, Failed: "it has more text than a provider is given"}
	}
	return p.judge(ctx, provider, of, vocab.TextMetadata, cut.Bytes(name, office.MaxName), pieces)
}

// findingOf is the finding that a verdict on a definition adds. A failure adds none here: what it means depends on who waits for it.
func findingOf(v control.GuardVerdict) (inspect.Finding, bool) {
	f := inspect.Finding{Rule: inspect.GuardrailPrefix + v.Provider, Level: inspect.Medium, Category: "threat", Title: "The extra check " + v.Provider + " finds it suspicious"}
	switch v.Verdict {
	case "", vocab.VoteAllow:
		return f, false
	case vocab.VoteFlag:
	default:
		f.Level, f.Title = inspect.High, "The extra check "+v.Provider+" says it is an attack"
	}
	return f, true
}
