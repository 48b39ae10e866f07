package desktop

import (
	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// AskedCall is a call that a person decides on, as a person is shown it.
type AskedCall struct {
	Tool      string         `json:"tool"`      // server text
	Client    string         `json:"client"`    // as it calls itself
	Arguments []HeldArgument `json:"arguments"` // text of Claude's request; secrets masked
	Kept      bool           `json:"kept"`      // they are still there
	More      int            `json:"more"`      // calls refused since, because as many are pending as a person can be shown
	Until     string         `json:"until"`     // once allowed: until when the same call passes; else ""
	Used      bool           `json:"used"`      // and it has
	Always    bool           `json:"always"`    // allowed for good
	TakenBack bool           `json:"takenBack"` // and that was taken back
	Flow      []CallFlow     `json:"flow"`      // what in it came out of a response
	Allowable []string       `json:"allowable"` // what calls of the tool may carry once this one is allowed for good; none if only this call passes then
}

// CallFlow is one value of a call that came out of a response: both ends.
type CallFlow struct {
	Rule       int               `json:"rule"`       // docs/flow.md
	At         string            `json:"at"`         // JSON Pointer into the arguments; "" for the call as a whole
	Value      string            `json:"value"`      // text of Claude's request; secrets masked
	Kind       string            `json:"kind"`       // mail address, URL, host, ...
	Overflowed bool              `json:"overflowed"` // not all is known any more of what servers said
	From       []control.CallEnd `json:"from"`
}

func flowsOf(reasons []control.CallReason) []CallFlow {
	flows := []CallFlow{}
	for _, r := range reasons {
		if r.Check == vocab.CheckFlow {
			from := r.From
			if from == nil {
				from = []control.CallEnd{}
			}
			flows = append(flows, CallFlow{Rule: r.Rule, At: r.At, Value: r.Value, Kind: r.Kind, Overflowed: r.Overflowed, From: from})
		}
	}
	return flows
}

// askedCall is the call that an item is about, nil for any other item.
func askedCall(it control.ItemDetail) *AskedCall {
	if it.Kind != vocab.ItemCallWaiting || it.Call == nil {
		return nil
	}
	return &AskedCall{
		Tool: it.Call.Tool, Client: it.Client, Arguments: argumentsOf(it.Call.Arguments, ""), Kept: len(it.Call.Arguments) > 0, More: it.Call.More,
		Until: stamp(it.Call.Until), Used: it.Call.Used, Always: it.Call.Always, TakenBack: it.Call.TakenBack, Flow: flowsOf(it.Reasons),
		Allowable: append([]string{}, control.Allowable(it.Reasons)...),
	}
}

// AllowedCalls are the calls that are allowed for good, oldest first.
func (p *Page) AllowedCalls() ([]control.AllowedCall, error) {
	return told(p.hubLink, (*app.Hub).AllowedCalls, func(all []control.AllowedCall) []control.AllowedCall { return all })
}

// ForgetCall takes one back. It only tightens, so it needs no nonce.
func (p *Page) ForgetCall(id string) (control.AllowedCall, error) {
	return told(p.hubLink, func(h *app.Hub) (control.AllowedCall, error) { return h.ForgetCall(control.Peer{}, id) }, func(a control.AllowedCall) control.AllowedCall { return a })
}
