package control

import (
	"context"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// PartInteraction is what the parts of an `interaction` item begin with; what follows is a vocab.Ask.
const PartInteraction = "interaction:"

// MaxInteraction is how large the parameters of a request may be that a person is asked about. A larger one is refused, and the
// timeline says so.
const MaxInteraction = 1 << 20

// Interaction is a request of a server to its client that was not let through. The hub has stored the inbox item, if a person
// may still decide on it, before the server hears that it was refused.
type Interaction struct {
	Method   string            `json:"method"`
	Params   []byte            `json:"params,omitempty"`
	Client   string            `json:"client,omitempty"`
	Findings []inspect.Finding `json:"findings,omitempty"` // what only the wrapper can know; the hub looks for itself
}

// Allowed is what a person has allowed a server to ask of one kind.
type Allowed struct {
	Kind     vocab.Ask    `json:"kind"`
	All      bool         `json:"all,omitempty"`      // its first use was approved (interaction.policy = ask)
	Requests []pin.Digest `json:"requests,omitempty"` // these, word for word (pin.RequestDigest)
}

// Interaction has a refused request of the server stored for a person's decision. It fails at once while the hub is away: the
// request is refused all the same, and a record says so.
func (l *Link) Interaction(ctx context.Context, i Interaction) (Kept, error) {
	return asked(ctx, l, askInteraction, i)
}
