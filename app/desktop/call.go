package desktop

import (
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
}

// askedCall is the call that an item is about, nil for any other item.
func askedCall(it control.ItemDetail) *AskedCall {
	if it.Kind != vocab.ItemCallWaiting || it.Call == nil {
		return nil
	}
	return &AskedCall{
		Tool: it.Call.Tool, Client: it.Client, Arguments: argumentsOf(it.Call.Arguments, ""), Kept: len(it.Call.Arguments) > 0, More: it.Call.More,
		Until: stamp(it.Call.Until), Used: it.Call.Used,
	}
}
