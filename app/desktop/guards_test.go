package desktop

import (
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestThePageListsTheProvidersAndTriesOne(t *testing.T) {
	d := newDesk(t)
	rows, err := d.Guards()
	names := each(rows, func(g control.GuardProvider) string { return g.Name })
	if err != nil || !slices.Equal(names, policy.Providers()) {
		t.Fatalf("%+v, %v", rows, err)
	}
	if v, err := d.TestGuard(policy.ProviderBuiltin); err != nil || v.Verdict == vocab.VoteAllow || v.Verdict == "" {
		t.Errorf("our own rules: %+v, %v", v, err)
	}
	if _, err := d.TestGuard(policy.ProviderHTTP); codeOf(err) != control.CodeBadRequest || !strings.Contains(err.Error(), "guardrail.http.url") {
		t.Errorf("one without an address: %v", err)
	}
	if _, err := d.TestGuard("acme"); codeOf(err) != control.CodeBadRequest {
		t.Errorf("one that isn't there: %v", err)
	}
}
