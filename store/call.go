package store

import (
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Call is the detail of an item about a call that a person must allow. Its arguments are the definition of the item's one part, with secrets
// masked; they are removed when the item ends.
type Call struct {
	Client  string          `json:"client,omitempty"`
	Item    string          `json:"item"`    // pin key of the tool
	Defined string          `json:"defined"` // digest of the tool's definition
	Same    string          `json:"same"`    // digest of tool and arguments under a key of this home, so that they cannot be guessed from it
	Check   vocab.CallCheck `json:"check"`
	Expires time.Time       `json:"expires"`          // when it ends without a decision
	Until   time.Time       `json:"until,omitzero"`   // how long a decision counts: a grant for one call, or a refusal
	Used    time.Time       `json:"used,omitzero"`    // when a call took the grant
	Always  bool            `json:"always,omitempty"` // allowed for good: there is an AllowedCall, and no grant
	More    int             `json:"more,omitempty"`   // calls refused because too many wait

	Reasons []CallReason      `json:"reasons,omitempty"` // of the check flow
	Classes []vocab.CallClass `json:"class,omitempty"`   // what calls of the tool do
	Grave   bool              `json:"grave,omitempty"`   // its severity is high
}

// CallReason is why a person is asked about a call, beside the mode of its tool.
type CallReason struct {
	Check      vocab.CallCheck `json:"check"`
	Rule       int             `json:"rule"`                 // 1 to 6 (docs/flow.md)
	At         string          `json:"at,omitempty"`         // JSON Pointer (RFC 6901) into the arguments
	Value      string          `json:"value,omitempty"`      // the call's own argument, folded, with secrets masked
	Same       string          `json:"same,omitempty"`       // the value under a key of this home: what an exception names
	Kind       string          `json:"kind,omitempty"`       // mail address, URL, host, ...
	Overflowed bool            `json:"overflowed,omitempty"` // it came from nowhere that is known, but not all is known any more
	From       []CallEnd       `json:"from,omitempty"`
}

// CallEnd is where a value came from.
type CallEnd struct {
	ServerID string    `json:"server_id"`
	Server   string    `json:"server,omitempty"` // its name then
	Item     string    `json:"item,omitempty"`   // pin key, or the method
	Request  string    `json:"request,omitempty"`
	Time     time.Time `json:"time"`
	As       string    `json:"as"`               // prose or field
	Member   string    `json:"member,omitempty"` // of the field, if it is one of the usual names
}

// AllowedCall is what a person allowed for good: the same call passes without a question, whichever client of the server makes it.
type AllowedCall struct {
	ID       string          `json:"id"`
	ServerID string          `json:"server_id"`
	Item     string          `json:"item"`                // pin key of the tool
	Rule     vocab.CallCheck `json:"rule"`                // what would ask
	FlowRule int             `json:"flow_rule,omitempty"` // of the check flow, 1 to 6: what is allowed is one value, with calls of the tool
	Same     string          `json:"same"`                // as in Call, or as in CallReason
	Value    string          `json:"value"`               // the arguments on one line, cut, with secrets masked
	Code     string          `json:"code"`                // of the item about the first such call
	Since    time.Time       `json:"since"`
	Uses     int             `json:"uses,omitempty"` // calls that passed because of it
	Used     time.Time       `json:"used,omitzero"`  // the last one
}

// Used is what the calls of one client brought before any server did, as hashes (app/flow).
type Used struct {
	Client string `json:"client"`
	Values []byte `json:"values"`
}

// Flow gives access to what is kept of where arguments came from. What servers said is not.
type Flow struct{ *sealed }

// Flow is that of this transaction's store.
func (tx *Tx) Flow() Flow { return Flow{&tx.sealed} }

// PutUsed replaces what is kept of a client.
func (f Flow) PutUsed(u Used) error { return f.put(bucketUsed, []byte("client "+u.Client), u) }

// Used is what is kept of each client, with a valid seal.
func (f Flow) Used() []Used { return list[Used](f.sealed, bucketUsed, []byte("client ")) }

// DeleteUsed forgets a client.
func (f Flow) DeleteUsed(client string) error { return f.delete(bucketUsed, []byte("client "+client)) }

// HeardAt keeps when a server was last heard.
func (f Flow) HeardAt(at time.Time) error { return f.put(bucketUsed, keyHeard, at) }

// LastHeard is when a server was last heard, the zero time if never.
func (f Flow) LastHeard() (at time.Time) {
	for _, one := range list[time.Time](f.sealed, bucketUsed, keyHeard) {
		at = one
	}
	return at
}

var keyHeard = []byte("heard")

// AllowedCalls gives access to the calls that are allowed for good.
type AllowedCalls struct{ *sealed }

// AllowedCalls are those of this transaction's store.
func (tx *Tx) AllowedCalls() AllowedCalls { return AllowedCalls{&tx.sealed} }

func (c AllowedCalls) Put(a AllowedCall) error {
	key, err := codeKey(a.ID)
	if err != nil {
		return err
	}
	return c.put(bucketAllowed, key, a)
}

// All are those with a valid seal, oldest first (their ids sort by time).
func (c AllowedCalls) All() []AllowedCall { return list[AllowedCall](c.sealed, bucketAllowed, nil) }

func (c AllowedCalls) Delete(id string) error { return c.delete(bucketAllowed, []byte(id)) }
