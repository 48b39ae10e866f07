package proxy

import (
	"context"

	"github.com/sallyport/sallyport/proxy/control"
)

// Gatekeeper is what a session needs from the hub. proxy/control's Link implements it; tests bring their own.
//
// A hub that is away is no reason to let anything through: State keeps the last state that was pushed (before the first
// one: nothing is approved), Report fails, Record keeps its records in the spool.
type Gatekeeper interface {
	// State is the last state the hub pushed. Never nil, never changed after it was handed out; cheap enough for every call.
	State() *control.State
	// Subscribe has f called, one call at a time, after State changed; connected says that the hub was away and is back, so
	// that it must be told again what the server declares. f must not block.
	Subscribe(f func(connected bool))
	// Report tells the hub what the server declares and waits until the hub has stored what follows from it.
	Report(ctx context.Context, report control.Report) (*control.State, error)
	// Record takes one activity record. It never blocks and never touches a disk.
	Record(record control.Record)
	// Attention asks what waits for this client and puts it on top of the inbox.
	Attention(ctx context.Context, client string) (control.Waiting, error)
	// Hold has a held answer stored, by the hub or, while it is away, on the disk: then there is no code yet. An error means
	// that it is kept nowhere.
	Hold(ctx context.Context, held control.Held) (control.Kept, error)
	// Take asks for a held answer that a person released. What it grants is handed over once, and said so by a Record.
	Take(ctx context.Context, take control.Take) (control.Taken, error)
	// Interaction has a request of the server that was not let through stored for a person's decision.
	Interaction(ctx context.Context, refused control.Interaction) (control.Kept, error)
	// Unseen tells what the client has not listed since it was told that listings changed. It never blocks.
	Unseen(unseen control.Unseen)
}
