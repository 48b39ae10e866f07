package proxy

import (
	"context"

	"github.com/sallyport/sallyport/proxy/control"
)

// Gatekeeper is what a session needs from the hub. proxy/control's Link implements it; tests bring their own.
//
// Without a hub nothing more may pass: State keeps the last state that was pushed (before the first one: nothing is approved), Report
// fails, Record writes to the spool.
type Gatekeeper interface {
	// State is the last state the hub pushed. It is never nil, never modified, and cheap enough for every call.
	State() *control.State
	// Subscribe calls f, one call at a time, after State changed. connected means that the hub is back after an absence and must be told
	// again what the server declares. f must not block.
	Subscribe(f func(connected bool))
	// Report tells the hub what the server declares and waits until the hub has stored the consequences.
	Report(ctx context.Context, report control.Report) (*control.State, error)
	// Record takes one activity record. It never blocks and never touches a disk.
	Record(record control.Record)
	// Attention asks which items are pending for this client and moves them to the top of the inbox.
	Attention(ctx context.Context, client string) (control.Waiting, error)
	// Hold stores a held response, in the hub or, while it is away, on disk: then it has no code yet. An error means that it was not
	// stored.
	Hold(ctx context.Context, held control.Held) (control.Kept, error)
	// Take asks for a held response that a person released. Deliver a granted response once, and confirm it with a Record.
	Take(ctx context.Context, take control.Take) (control.Taken, error)
	// KeepTask stores a task that an approved call created, in the hub or, while it is away, on disk. An error means that it was not stored.
	KeepTask(ctx context.Context, task control.Task) error
	// KnownTasks asks for tasks of this server that an approved call created, whichever wrapper's, by their control.TaskID. It waits for a hub
	// that is away as long as ctx lasts.
	KnownTasks(ctx context.Context, ids []string) ([]control.Task, error)
	// Guard asks the guardrail providers about a part of a response. It may take as long as the question says, and fails at once while the
	// hub is away.
	Guard(ctx context.Context, question control.Guard) (control.Guarded, error)
	// Interaction stores a refused request of the server for a person's decision.
	Interaction(ctx context.Context, refused control.Interaction) (control.Kept, error)
	// Call asks whether a call that needs a person's decision may go on, and stores it for a person if not. It fails at once while the hub is
	// away.
	Call(ctx context.Context, call control.Call) (control.CallAnswer, error)
	// Came tells the hub of values that a response held, and returns once calls are compared with them. It fails at once while the hub is away, and
	// a hub that comes is told then. Said tells it of those that a call brought, before anything that is told later; it never blocks.
	Came(ctx context.Context, values ...control.Values) error
	Said(values control.Values)
	// Unseen reports what the client has not listed since it was told that listings changed. It never blocks.
	Unseen(unseen control.Unseen)
	// Eras reports in which era the server answered, or which it is known not to speak. It never blocks.
	Eras(eras control.Eras)
	// Shortened reports what the client did not get of the server's greeting. It never blocks.
	Shortened(shortened control.Shortened)
}
