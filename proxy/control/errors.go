package control

// Error is an answer of the hub that says no. Message is ours, one line, and says what to do.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	See     string `json:"see,omitempty"` // the code that replaced a stale one
}

func (e *Error) Error() string { return e.Message }

// Codes of Error. JSON-RPC's own (-32600…) keep their meaning.
const (
	CodeNotFound    = 4004 // no such item, server, record or setting
	CodeStale       = 4009 // the item or its digest changed since
	CodeNotHere     = 4003 // decisions are not made over this socket: "decide in the window"
	CodeDescends    = 4013 // the asker descends from a wrapped server
	CodeLoosens     = 4014 // the setting would make things less safe: ask the person first
	CodeUnavailable = 4050 // store unreadable, hub stepping down
	CodeBadRequest  = 4000
	CodeProtocol    = 4026 // another version of this protocol: restart Claude
	CodeInternal    = -32603
)
