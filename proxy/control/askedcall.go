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

// MaxFlowArguments is the largest size of a call's arguments, in bytes, in which values are looked for.
const MaxFlowArguments = 16 << 20

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
	Check     vocab.CallCheck `json:"check" ts_type:"'ask' | 'flow'"`
	// Flow is flow.policy for the tool: off, note or ask. The rest is what its definition says, and counts only if it is not off.
	Flow     string            `json:"flow,omitempty"`
	Classes  []vocab.CallClass `json:"classes,omitempty"`
	ReadOnly bool              `json:"read_only,omitempty"`
	Inside   bool              `json:"inside,omitempty"`
	Secret   bool              `json:"secret,omitempty"` // its arguments hold a secret
}

// CallAnswer says whether the call may go on: only if State is granted or free, and this answer alone.
type CallAnswer struct {
	State vocab.CallState `json:"state"`
	Code  string          `json:"code,omitempty"`  // of the item; of the newest one if State is full
	Rules []int           `json:"rules,omitempty"` // the rules of docs/flow.md that ask about it; of a free call, those that would have asked under ask
}

// Call asks the hub about a call. It fails at once while the hub is away.
func (l *Link) Call(ctx context.Context, c Call) (CallAnswer, error) {
	hub, err := l.hub()
	if err != nil {
		return CallAnswer{}, err
	}
	if err := l.values.flush(ctx, hub, l.values.all()); err != nil { // what the calls before brought
		return CallAnswer{}, l.explain(err)
	}
	answer, err := askCall(ctx, hub, c)
	return answer, l.explain(err)
}

// WaitingCall is what an item of kind call_waiting is about. Arguments are only in a whole item: secrets are masked.
type WaitingCall struct {
	Tool       string            `json:"tool"` // as the server calls it
	Arguments  json.RawMessage   `json:"arguments,omitempty"`
	Digest     pin.Digest        `json:"digest"`                                      // of client, server, tool and arguments, under a key of this home
	ToolDigest pin.Digest        `json:"tool_digest"`                                 // of the tool's definition
	More       int               `json:"more,omitempty"`                              // calls refused since, because as many wait as a person can be shown
	Until      time.Time         `json:"until,omitzero" ts_type:"string | undefined"` // once allowed: until when the same call passes, once
	Used       bool              `json:"used,omitempty"`                              // and it has
	Always     bool              `json:"always,omitempty"`                            // allowed for good (AllowedCall)
	TakenBack  bool              `json:"taken_back,omitempty"`                        // and that was taken back (only in a whole item)
	Classes    []vocab.CallClass `json:"class,omitempty"`                             // what calls of the tool do
}

// AllowedCall is what a person allowed for good: the same call passes without a question.
type AllowedCall struct {
	ID       string          `json:"id"`
	Server   string          `json:"server"`
	Shown    string          `json:"shown,omitempty"` // see Server
	Identity string          `json:"identity"`
	Tool     string          `json:"tool"` // as the server calls it
	Rule     vocab.CallCheck `json:"rule" ts_type:"'ask' | 'flow'"`
	FlowRule int             `json:"flow_rule,omitempty"` // of the check flow: 1 to 6; Value is then what may be passed on
	Value    string          `json:"value"`               // the arguments on one line, cut after 256 bytes, with secrets masked
	Code     string          `json:"code"`                // of the item that was decided
	Since    time.Time       `json:"since" ts_type:"string"`
	Uses     int             `json:"uses"`                                       // calls that passed because of it
	Used     time.Time       `json:"used,omitzero" ts_type:"string | undefined"` // the last of them
}
