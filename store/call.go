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
}

// AllowedCall is what a person allowed for good: the same call passes without a question, whichever client of the server makes it.
type AllowedCall struct {
	ID       string          `json:"id"`
	ServerID string          `json:"server_id"`
	Item     string          `json:"item"`  // pin key of the tool
	Rule     vocab.CallCheck `json:"rule"`  // what would ask
	Same     string          `json:"same"`  // as in Call
	Value    string          `json:"value"` // the arguments on one line, cut, with secrets masked
	Code     string          `json:"code"`  // of the item about the first such call
	Since    time.Time       `json:"since"`
	Uses     int             `json:"uses,omitempty"` // calls that passed because of it
	Used     time.Time       `json:"used,omitzero"`  // the last one
}

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
