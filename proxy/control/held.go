package control

import (
	"encoding/json"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Held is a complete held response: what was asked, what came, and why it is held. The hub stores it before the client hears of it;
// a response that arrives twice is stored once.
type Held struct {
	ID       string            `json:"id"` // unique, sortable; made by the wrapper
	Time     time.Time         `json:"time"`
	Client   string            `json:"client,omitempty"` // --client, else the client's own name
	Session  string            `json:"session"`
	Era      string            `json:"era"`
	Method   string            `json:"method"`
	Item     string            `json:"item,omitempty"` // pin key, "" for a method that names no item
	Name     string            `json:"name,omitempty"` // tool, prompt or URI as the client named it
	Params   []byte            `json:"params,omitempty"`
	Same     pin.Digest        `json:"same"`   // digest of method and params, equal for the same request (pin.RequestDigest)
	Answer   []byte            `json:"answer"` // the server's own bytes: a result, or an error if Error is true
	Bytes    int64             `json:"bytes"`  // its length; Answer is empty if that exceeds MaxHeldAnswer
	Error    bool              `json:"error,omitempty"`
	Why      vocab.HeldWhy     `json:"why"`
	Score    float64           `json:"score,omitempty"`
	Findings []inspect.Finding `json:"findings"`
	Checks   []inspect.Check   `json:"checks"`
	RuleSet  string            `json:"rule_set"`
	Guards   []GuardVerdict    `json:"guards,omitempty"` // of the guardrail providers
}

// MaxHeldAnswer is the largest response that is kept, in bytes: the default limit of a message. A larger one is held too, and its
// item says that its text could not be kept.
const MaxHeldAnswer = 64 << 20

// Kept means that the response is stored, under this code for a decision.
type Kept struct {
	Code string `json:"code"`
}

// Take asks for a released response in order to deliver it once. A wrapper that asks again for what it was granted has not delivered
// it.
type Take struct {
	Code   string `json:"code"`
	Client string `json:"client,omitempty"`
	// Same means that the same request was made again, so any response can be delivered. Otherwise only the result of a tools/call
	// can be; anything else is not granted, and State stays released.
	Same bool `json:"same,omitempty"`
}

// Taken answers Take. There is a response to deliver only if State is taken. Otherwise State says why not, and is "" if no response with
// that code was ever held for this client.
type Taken struct {
	State    vocab.HeldState   `json:"state"`
	Method   string            `json:"method,omitempty"`
	Server   string            `json:"server,omitempty"` // display name
	Tool     string            `json:"tool,omitempty"`   // as the server names it
	Answer   []byte            `json:"answer,omitempty"` // already without the marked parts, if it was released without them
	Error    bool              `json:"error,omitempty"`
	Settings map[string]string `json:"settings,omitempty"` // of the tool, or the server, it came from: redaction and hygiene still apply
}

// Released is a response that the same request gets instead of being run again.
type Released struct {
	Code  string     `json:"code"`
	Same  pin.Digest `json:"same"` // under State.SameKey
	Until time.Time  `json:"until"`
}

// Exception lets one rule pass for the responses of one tool, up to a level, until a time.
type Exception struct {
	ID      string        `json:"id"`
	Rule    string        `json:"rule"`
	Server  string        `json:"server"`          // display name
	Shown   string        `json:"shown,omitempty"` // see Server
	Item    string        `json:"item"`            // pin key, "" for responses that belong to no item
	Level   inspect.Level `json:"level"`           // the highest level it lets pass; never critical
	Created time.Time     `json:"created" ts_type:"string"`
	Until   time.Time     `json:"until" ts_type:"string"`
	Code    string        `json:"code"`  // of the held response it was made for
	Used    int           `json:"used"`  // responses that it let pass
	Ended   bool          `json:"ended"` // ended by a person before its time
}

// Release is a person's decision to release a held response once, or to discard it. It binds to Digest.
type Release struct {
	Code          string `json:"code"`
	Digest        string `json:"digest"`
	WithoutMarked bool   `json:"without_marked,omitempty"`
	Discard       bool   `json:"discard,omitempty"`
	Reason        string `json:"reason,omitempty"`
}

// ReleaseAnswer is the state of the item now. Already means that it was in this state before, or was delivered.
type ReleaseAnswer struct {
	Code    string          `json:"code"`
	Server  string          `json:"server"`
	Tool    string          `json:"tool,omitempty"`
	State   vocab.HeldState `json:"state"`
	Until   time.Time       `json:"until,omitzero" ts_type:"string | undefined"`
	Already bool            `json:"already,omitempty"`
}

// Except makes an exception for every rule that matched in a held response, or for the named ones.
type Except struct {
	Code   string        `json:"code"`
	Digest string        `json:"digest"`
	Rules  []string      `json:"rules,omitempty"`
	For    time.Duration `json:"for"` // at most seven days
}

// HeldDetail is a held response for a person to read. Texts of client and server are not escaped here: what shows them must do that.
type HeldDetail struct {
	State     vocab.HeldState `json:"state" ts_type:"'waiting' | 'released' | 'taken' | 'delivered' | 'expired' | 'discarded' | 'gone'"`
	Time      time.Time       `json:"time" ts_type:"string"`
	Client    string          `json:"client,omitempty"`
	Method    string          `json:"method"`
	Item      string          `json:"item,omitempty"`
	Name      string          `json:"name,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"` // secrets masked
	Answer    json.RawMessage `json:"answer,omitempty"` // absent if it is no longer kept
	Error     bool            `json:"error,omitempty"`
	Bytes     int64           `json:"bytes"`
	Why       vocab.HeldWhy   `json:"why" ts_type:"'threat' | 'limit' | 'provider'"`
	Score     float64         `json:"score,omitempty"`
	Checks    []inspect.Check `json:"checks"`
	RuleSet   string          `json:"rule_set"`
	Expires   time.Time       `json:"expires,omitzero" ts_type:"string | undefined"` // when the text is deleted without a decision; absent if it is gone
	Until     time.Time       `json:"until,omitzero" ts_type:"string | undefined"`   // of a released response
	Delivered time.Time       `json:"delivered,omitzero" ts_type:"string | undefined"`
	Without   bool            `json:"without_marked,omitempty"` // released without the marked parts
	Unsure    bool            `json:"unsure,omitempty"`         // a wrapper died while delivering it: it may have arrived
	Excepts   []string        `json:"exceptable,omitempty"`     // rules an exception could be made for; none if one is critical
	// Its place among the responses of its item (1 is the newest), and the codes of its neighbours, "" if there are none.
	Place int    `json:"place,omitempty"`
	Newer string `json:"newer,omitempty"`
	Older string `json:"older,omitempty"`
	// Guards are the verdicts of guardrail providers. Reason is the provider's own text: escape it like the server's.
	Guards []GuardVerdict `json:"guards,omitempty"`
}

// HeldQuery asks for the pending held responses: of one server, of one tool, or all.
type HeldQuery struct {
	Server string `json:"server,omitempty"` // name, identity or id
	Tool   string `json:"tool,omitempty"`
}

// HeldSet is the held responses pending at one moment: their items and codes.
type HeldSet struct {
	Items []InboxItem `json:"items"`
	Codes []string    `json:"codes"`
}

// DiscardHeld discards exactly the responses of a set. Server and Tool repeat the query of the set.
type DiscardHeld struct {
	Codes  []string `json:"codes"`
	Server string   `json:"server,omitempty"`
	Tool   string   `json:"tool,omitempty"`
	Group  string   `json:"-"` // set by the window, which discards one item
	Reason string   `json:"reason,omitempty"`
}

// DiscardedHeld is the result of DiscardHeld: how many were discarded, how many had been decided or deleted in the meantime, and how
// many responses arrived since the set was shown and are still pending.
type DiscardedHeld struct {
	Discarded int `json:"discarded"`
	Meanwhile int `json:"meanwhile"`
	Came      int `json:"came"`
}
