package app

import "github.com/sallyport/sallyport/proxy/pin"

func graver(a, b string) string {
	rank := map[string]int{severityReview: 0, severityHigh: 1, severityCritical: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// Kinds of inbox items over a client's file.
const (
	kindConfig    = "config_changed" // entries came, went or changed; what runs, runs guarded or was never asked about
	kindUnguarded = "unguarded"      // a server that should be guarded is not, or only looks so
)

// States of a part of such an item, beside new, changed and removed.
const (
	stateUnwrapped = "unwrapped"
	stateFake      = "fake"
)

const entryPrefix = "entry:"

// fileItem says whether a kind of item is about a client's file.
func fileItem(kind string) bool { return kind == kindConfig || kind == kindUnguarded }

// What became of an item that no longer waits.
const (
	decidedApproved   = "approved"
	decidedRejected   = "rejected"
	decidedWithdrawn  = "withdrawn"  // what it was about went away by itself
	decidedSuperseded = "superseded" // its content waits under another code
)

// kindInteraction is the item of what a server asked its client for and was refused.
const kindInteraction = "interaction"

// keyLaunch is the one item of a server that it does not declare: what its command runs (docs/launch.md).
const keyLaunch = string(pin.Launch)

// kindHeld is the inbox item of held responses: one for each server, tool and gravest rule (heldindex.go).
const kindHeld = "response_held"

// States of an item. Only approved is served.
const (
	stateApproved = "approved"
	stateNew      = "new"
	stateChanged  = "changed"
	stateRejected = "rejected"
	stateRemoved  = "removed"
)

// Kinds of inbox items that a headless hub of today makes.
const (
	kindNewServer = "new_server"
	kindChanged   = "changed"
	kindLaunch    = "launch"
	kindSettings  = "settings_changed"
	kindProblem   = "guard_problem"
)

// Severities of inbox items.
const (
	severityCritical = "critical"
	severityHigh     = "high"
	severityReview   = "review"
)

// kindUnseen is the kind of its notice. There is nothing to decide, so it is no item of the inbox.
const kindUnseen = "unseen"

// stateNoVersion is how `servers` names such a server.
const stateNoVersion = "no_common_version"
