package providers

import (
	"context"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// inForce are providers under these settings.
func inForce(t *testing.T, values policy.Values) *Providers {
	t.Helper()
	p := New(&office.Office{}, Hub{InForce: func() []policy.Values { return []policy.Values{values} }})
	t.Cleanup(p.Close)
	p.Reset(false)
	return p
}

// Whoever read the settings before a change may ask after it. That must not leave a process of a provider that is off.
func TestAProviderThatIsOffIsNotKeptForOneWhoStillAsksIt(t *testing.T) {
	on := policy.ForGuardrail(policy.Values{"guardrail.provider": "builtin,acme"})
	for name, off := range map[string]func(*Providers){
		"another setting": func(p *Providers) {},
		"a hub that ends": (*Providers).Close,
	} {
		p := inForce(t, policy.Values{})
		off(p)
		if v := p.judge(context.Background(), "acme", server{name: "weather", rail: on}, vocab.TextMetadata, "read", []string{"sunny"}); v.Failed == "" {
			t.Errorf("%s: %+v", name, v)
		}
		if n := len(p.runners); n != 0 {
			t.Errorf("%s: %d providers are kept", name, n)
		}
	}
}

// A verdict travels with a held response, and the hub stores none with a text as long as a path can be.
func TestAFailureIsShortHoweverLongTheProgramsPath(t *testing.T) {
	values := policy.Values{"guardrail.provider": "builtin,command", "guardrail.command.argv": `["/` + strings.Repeat("folder/", 500) + `check"]`}
	p := inForce(t, values)
	v := p.judge(t.Context(), "command", server{name: "weather", rail: policy.ForGuardrail(values)}, vocab.TextResponse, "read", []string{"sunny"})
	if len(v.Failed) > maxFailed || !strings.Contains(v.Failed, "no such file") {
		t.Errorf("%d bytes: %.40q", len(v.Failed), v.Failed)
	}
}
