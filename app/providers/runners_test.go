package providers

import (
	"context"
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
		"a hub that ends":  (*Providers).Close,
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
