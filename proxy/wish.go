package proxy

import "github.com/sallyport/sallyport/proxy/policy"

// Spotlighting (docs/relay.md): whether a response's texts are marked as foreign is the setting's word, and within its limits the call's.

// wish is what a call's own argument says.
type wish uint8

const (
	wishNone wish = iota
	wishOn
	wishOff
)

// byCall is the mode in the record of a response that was spotlighted only because its call asked for that.
const byCall = "call"

// spotlight is how one response is spotlighted. Its zero value leaves the response alone.
type spotlight struct {
	mode   string // what decided: the setting's value or byCall; "" for a response that is left alone
	source string // for the boundaries
	task   bool   // a task yielded it, so it may be a state with a response inside
}

func (l spotlight) on() bool { return l.mode != "" }

// spotlightUnder decides. A call can always turn spotlighting on; off only where the setting is ask.
func spotlightUnder(of *policy.Wrapper, said wish) spotlight {
	switch {
	case of.Spotlight == "off" && said == wishOn:
		return spotlight{mode: byCall}
	case of.Spotlight == "off", of.Spotlight == "ask" && said == wishOff:
		return spotlight{}
	}
	return spotlight{mode: of.Spotlight}
}
