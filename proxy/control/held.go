package control

import (
	"encoding/json"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Held is an answer that was held back, whole: what was asked, what came, and why it does not go on. The hub stores
// it before the client hears anything; one that arrives twice is stored once.
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
	Same     pin.Digest        `json:"same"`   // of method and params, equal for the same request (pin.RequestDigest)
	Answer   []byte            `json:"answer"` // the server's own bytes: a result, or an error where Error is true
	Bytes    int64             `json:"bytes"`  // its length; Answer is empty where that is more than MaxHeldAnswer
	Error    bool              `json:"error,omitempty"`
	Why      vocab.HeldWhy     `json:"why"`
	Score    float64           `json:"score,omitempty"`
	Findings []inspect.Finding `json:"findings"`
	Checks   []inspect.Check   `json:"checks"`
	RuleSet  string            `json:"rule_set"`
}

// MaxHeldAnswer is the largest answer that is kept, in bytes: the default cap of a message. A larger one is held all the same,
// and the person hears that its text could not be kept.
const MaxHeldAnswer = 64 << 20

// Kept says that the answer is stored, and under which code a person decides on it.
type Kept struct {
	Code string `json:"code"`
}

// Take asks for an answer that a person has released, to hand it over once. A wrapper that asks again for what it was granted
// has not handed it over.
type Take struct {
	Code   string `json:"code"`
	Client string `json:"client,omitempty"`
	// Same: the same request was made again, so whatever came can be handed over. Otherwise only the result of a tools/call
	// can be, and anything else is not granted: State says released.
	Same bool `json:"same,omitempty"`
}

// Taken answers Take. Only where State is taken there is something to hand over; else State says why not, "" where
// nothing of that code was ever held for this client.
type Taken struct {
	State    vocab.HeldState   `json:"state"`
	Method   string            `json:"method,omitempty"`
	Server   string            `json:"server,omitempty"` // display name
	Tool     string            `json:"tool,omitempty"`
	Answer   []byte            `json:"answer,omitempty"` // without the marked parts already, where it was released so
	Error    bool              `json:"error,omitempty"`
	Settings map[string]string `json:"settings,omitempty"` // in force for the server it came from: hygiene still applies
}

// Released is an answer that the same request gets instead of being run again.
type Released struct {
	Code  string     `json:"code"`
	Same  pin.Digest `json:"same"` // under State.SameKey
	Until time.Time  `json:"until"`
}

// Exception lets one rule pass for the answers of one tool, up to a level, until a time.
type Exception struct {
	ID      string        `json:"id"`
	Rule    string        `json:"rule"`
	Server  string        `json:"server"` // display name
	Item    string        `json:"item"`   // pin key, "" for responses that belong to no item
	Level   inspect.Level `json:"level"`  // the gravest it lets pass; never critical
	Created time.Time     `json:"created" ts_type:"string"`
	Until   time.Time     `json:"until" ts_type:"string"`
	Code    string        `json:"code"`  // the held answer it was made for
	Used    int           `json:"used"`  // answers that it let pass
	Ended   bool          `json:"ended"` // by a person, before its time
}

// Release is a person's decision to let a held answer through once, or to discard it. It binds to Digest.
type Release struct {
	Code          string `json:"code"`
	Digest        string `json:"digest"`
	WithoutMarked bool   `json:"without_marked,omitempty"`
	Discard       bool   `json:"discard,omitempty"`
	Reason        string `json:"reason,omitempty"`
}

// ReleaseAnswer says how the item stands now. Already: it stood so before, or was handed over.
type ReleaseAnswer struct {
	Code    string          `json:"code"`
	Server  string          `json:"server"`
	Tool    string          `json:"tool,omitempty"`
	State   vocab.HeldState `json:"state"`
	Until   time.Time       `json:"until,omitzero" ts_type:"string | undefined"`
	Already bool            `json:"already,omitempty"`
}

// Except makes an exception for every rule that matched in a held answer, or for the ones named.
type Except struct {
	Code   string        `json:"code"`
	Digest string        `json:"digest"`
	Rules  []string      `json:"rules,omitempty"`
	For    time.Duration `json:"for"` // at most seven days
}

// HeldDetail is a held answer as a person is shown it. Texts of the client and the server are as they are: whoever shows
// them escapes them.
type HeldDetail struct {
	State     vocab.HeldState `json:"state" ts_type:"'waiting' | 'released' | 'taken' | 'delivered' | 'expired' | 'discarded' | 'gone'"`
	Time      time.Time       `json:"time" ts_type:"string"`
	Client    string          `json:"client,omitempty"`
	Method    string          `json:"method"`
	Item      string          `json:"item,omitempty"`
	Name      string          `json:"name,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"` // secrets masked
	Answer    json.RawMessage `json:"answer,omitempty"` // absent where it is not kept any more
	Error     bool            `json:"error,omitempty"`
	Bytes     int64           `json:"bytes"`
	Why       vocab.HeldWhy   `json:"why" ts_type:"'threat' | 'limit' | 'provider'"`
	Score     float64         `json:"score,omitempty"`
	Checks    []inspect.Check `json:"checks"`
	RuleSet   string          `json:"rule_set"`
	Expires   time.Time       `json:"expires,omitzero" ts_type:"string | undefined"`   // when the text is deleted if nothing is decided; absent where it is gone
	Until     time.Time       `json:"until,omitzero" ts_type:"string | undefined"`     // of a released one
	Delivered time.Time       `json:"delivered,omitzero" ts_type:"string | undefined"` //
	Without   bool            `json:"without_marked,omitempty"`                        // released without the marked parts
	Unsure    bool            `json:"unsure,omitempty"`                                // a wrapper died while it handed it over: it may have arrived
	Excepts   []string        `json:"exceptable,omitempty"`                            // rules an exception could be made for; none if one is critical
	// Of the responses in its item: its place, the newest being 1, and the codes of the ones beside it, "" where there are none.
	Place int    `json:"place,omitempty"`
	Newer string `json:"newer,omitempty"`
	Older string `json:"older,omitempty"`
}

// HeldQuery asks which held responses wait: of one server, of one tool, or all.
type HeldQuery struct {
	Server string `json:"server,omitempty"` // name, identity or id
	Tool   string `json:"tool,omitempty"`
}

// HeldSet is those that wait at one moment: the items they are in, and the code of each.
type HeldSet struct {
	Items []InboxItem `json:"items"`
	Codes []string    `json:"codes"`
}

// DiscardHeld discards the responses of a set, those and no others. Server and Tool are what the set was asked for.
type DiscardHeld struct {
	Codes  []string `json:"codes"`
	Server string   `json:"server,omitempty"`
	Tool   string   `json:"tool,omitempty"`
	Group  string   `json:"-"` // of the window, which discards one item
	Reason string   `json:"reason,omitempty"`
}

// DiscardedHeld says what became of a set: how many were discarded, how many of it were decided or gone meanwhile, and how many
// responses came since it was shown, which still wait.
type DiscardedHeld struct {
	Discarded int `json:"discarded"`
	Meanwhile int `json:"meanwhile"`
	Came      int `json:"came"`
}
