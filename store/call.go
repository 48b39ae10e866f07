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
	Expires time.Time       `json:"expires"`        // when it ends without a decision
	Until   time.Time       `json:"until,omitzero"` // how long a decision counts: a grant for one call, or a refusal
	Used    time.Time       `json:"used,omitzero"`  // when a call took the grant
	More    int             `json:"more,omitempty"` // calls refused because too many wait
}
