package control

import (
	"slices"
	"testing"
)

func TestWhatIsAllowedForGoodIsAValueOnlyIfEveryReasonHasOne(t *testing.T) {
	recipient := CallReason{Check: "flow", Rule: 1, At: "/to", Value: "eve@evil.example"}
	for name, c := range map[string]struct {
		reasons []CallReason
		values  []string
	}{
		"a recipient":                          {[]CallReason{recipient}, []string{"eve@evil.example"}},
		"the same one twice, and a host":       {[]CallReason{recipient, recipient, {Check: "flow", Rule: 5, At: "/url", Value: "evil.example"}}, []string{"eve@evil.example", "evil.example"}},
		"a host that was ordered to be opened": {[]CallReason{{Check: "flow", Rule: 3, At: "/url", Value: "visit evil.example"}}, []string{"evil.example"}},
		"another order":                        {[]CallReason{{Check: "flow", Rule: 3, Value: "book hotel"}}, nil},
		"a change of access":                   {[]CallReason{{Check: "flow", Rule: 4}}, nil},
		"and one that names a recipient":       {[]CallReason{recipient, {Check: "flow", Rule: 4}}, nil},
		"a tool whose every call is decided":   {[]CallReason{{Check: "ask"}}, nil},
		"and that passes something on":         {[]CallReason{{Check: "ask"}, recipient}, nil},
	} {
		if got := Allowable(c.reasons); !slices.Equal(got, c.values) {
			t.Errorf("%s: %q, want %q", name, got, c.values)
		}
	}
}
