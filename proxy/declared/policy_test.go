package declared

import (
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

func TestAToolsOwnSettingsApplyToItAlone(t *testing.T) {
	state := &control.State{
		Revision: 1, Settings: map[string]string{"redact.mode": "redact", "inspect.on_limit": "allow"},
		Tools: map[string]map[string]string{"tool:read": {"redact.mode": "off"}},
	}
	v := newView(state, nil, true, false, nil)
	for item, want := range map[string]string{"tool:read": "off", "tool:write": "redact", "resource:read": "redact", "": "redact"} {
		if of := v.PolicyOf(item); of.Redact != want || of.HoldBeyond {
			t.Errorf("%q: %s, hold %v", item, of.Redact, of.HoldBeyond)
		}
	}
	if state.Settings["redact.mode"] != "redact" {
		t.Error("the state of the hub was changed")
	}
}
