package review

import "github.com/sallyport/sallyport/proxy/pin"

// Kinds of inbox items.
const (
	KindNewServer   = "new_server"
	KindChanged     = "changed"
	KindLaunch      = "launch"
	KindInteraction = "interaction" // what a server asked its client for and was refused
	KindSettings    = "settings_changed"
	KindHeld        = "response_held"  // one for each server, tool and gravest rule
	KindConfig      = "config_changed" // entries of a client's file came, went or changed; what runs, runs guarded or was never asked about
	KindUnguarded   = "unguarded"      // a server that should be guarded is not, or only looks so
	KindProblem     = "guard_problem"

	// KindUnseen is the kind of a notice alone. There is nothing to decide, so it is no item of the inbox.
	KindUnseen = "unseen"
)

// FileItem says whether a kind of item is about a client's file.
func FileItem(kind string) bool { return kind == KindConfig || kind == KindUnguarded }

// KeyLaunch is the one item of a server that it does not declare: what its command runs (docs/launch.md).
const KeyLaunch = string(pin.Launch)

// EntryPrefix begins the key of a part that is an entry of a client's file.
const EntryPrefix = "entry:"

// States of an item. Only approved is served.
const (
	StateApproved = "approved"
	StateNew      = "new"
	StateChanged  = "changed"
	StateRejected = "rejected"
	StateRemoved  = "removed"
)

// States of an entry of a client's file, beside new, changed and removed.
const (
	StateUnwrapped = "unwrapped"
	StateFake      = "fake"
)

// StateNoVersion is how `servers` names a server that has no protocol version in common with its client.
const StateNoVersion = "no_common_version"

// What became of an item that no longer waits.
const (
	DecidedApproved   = "approved"
	DecidedRejected   = "rejected"
	DecidedWithdrawn  = "withdrawn"  // what it was about went away by itself
	DecidedSuperseded = "superseded" // its content waits under another code
)

// Severities of inbox items.
const (
	SeverityCritical = "critical"
	SeverityHigh     = "high"
	SeverityReview   = "review"
)

// Graver is the worse of two severities.
func Graver(a, b string) string {
	rank := map[string]int{SeverityReview: 0, SeverityHigh: 1, SeverityCritical: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
