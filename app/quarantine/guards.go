package quarantine

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

const (
	maxGuards   = 16
	maxReason   = 300 // characters
	maxGuardWhy = 1000
)

// guardsOf are the verdicts of guardrail providers as they are stored: beside the text, and no longer than it. nil if there are none.
func guardsOf(verdicts []control.GuardVerdict) (json.RawMessage, error) {
	if len(verdicts) == 0 {
		return nil, nil
	}
	if len(verdicts) > maxGuards {
		return nil, errors.New("more guardrail providers than there can be")
	}
	for _, v := range verdicts {
		long := utf8.RuneCountInString(v.Reason) > maxReason || len(v.Failed) > maxGuardWhy || len(v.Unasked) > maxGuardWhy
		if v.Provider == "" || len(v.Provider) > office.MaxName || long || len(v.Ran)+len(v.NotRun) > maxGuards {
			return nil, errors.New("what a guardrail provider said")
		}
	}
	return json.Marshal(verdicts)
}
