package control

import (
	"context"
	"encoding/json"
	"time"

	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// MaxCallArguments is the largest size of a call's arguments, in bytes, that are put before a person. A larger call is refused.
const MaxCallArguments = 1 << 20

// MostCalls is how many calls of one server and client wait for a person at once: nobody reads more.
const MostCalls = 20

// Call is a call that only a person's decision lets through: it was not sent to the server. The hub answers once an item about it is durable,
// or once it is durable that a grant was used up.
type Call struct {
	Client    string          `json:"client,omitempty"` // value of --client, else the client's own name
	Item      string          `json:"item"`             // pin key of the tool
	Defined   pin.Digest      `json:"defined"`          // digest of the tool's definition, as the wrapper serves it
	Same      pin.Digest      `json:"same"`             // digest of tool and arguments, equal for the same call (pin.RequestDigest)
	Arguments json.RawMessage `json:"arguments"`
	Check     vocab.CallCheck `json:"check" ts_type:"'ask'"`
}

// CallAnswer says whether the call may go on: only if State is granted, and this answer alone.
type CallAnswer struct {
	State vocab.CallState `json:"state"`
	Code  string          `json:"code,omitempty"` // of the item; of the newest one if State is full
}

// Call asks the hub about a call. It fails at once while the hub is away.
func (l *Link) Call(ctx context.Context, c Call) (CallAnswer, error) {
	return asked(ctx, l, askCall, c)
}

// WaitingCall is what an item of kind call_waiting is about. Arguments are only in a whole item: secrets are masked.
type WaitingCall struct {
	Tool       string          `json:"tool"` // as the server calls it
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Digest     pin.Digest      `json:"digest"`                                      // of client, server, tool and arguments, under a key of this home
	ToolDigest pin.Digest      `json:"tool_digest"`                                 // of the tool's definition
	More       int             `json:"more,omitempty"`                              // calls refused since, because as many wait as a person can be shown
	Until      time.Time       `json:"until,omitzero" ts_type:"string | undefined"` // once allowed: until when the same call passes, once
	Used       bool            `json:"used,omitempty"`                              // and it has
	Always     bool            `json:"always,omitempty"`                            // allowed for good (AllowedCall)
}

// CallReason is why a person is asked about a call.
type CallReason struct {
	Check vocab.CallCheck `json:"check" ts_type:"'ask'"`
}

// AllowedCall is what a person allowed for good: the same call passes without a question.
type AllowedCall struct {
	ID       string          `json:"id"`
	Server   string          `json:"server"`
	Identity string          `json:"identity"`
	Tool     string          `json:"tool"` // as the server calls it
	Rule     vocab.CallCheck `json:"rule" ts_type:"'ask'"`
	Value    string          `json:"value"` // the arguments on one line, cut after 256 bytes, with secrets masked
	Code     string          `json:"code"`  // of the item that was decided
	Since    time.Time       `json:"since" ts_type:"string"`
	Uses     int             `json:"uses"`                                       // calls that passed because of it
	Used     time.Time       `json:"used,omitzero" ts_type:"string | undefined"` // the last of them
}
