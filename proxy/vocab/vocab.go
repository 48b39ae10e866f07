// Package vocab has the words that the store, the socket, the command line and the window share: what a record, an inbox item
// or a decision can be. The values are what stands in JSON and on disk, so none of them ever changes. It imports nothing of
// ours, and every room may import it.
package vocab

// RecordKind is what a record of the activity timeline is about.
type RecordKind string

const (
	RecordServerStart    RecordKind = "server_start"
	RecordServerStop     RecordKind = "server_stop"
	RecordCall           RecordKind = "tool_call"
	RecordRead           RecordKind = "resource_read"
	RecordPrompt         RecordKind = "prompt_get"
	RecordSampling       RecordKind = "sampling"
	RecordElicitation    RecordKind = "elicitation"
	RecordPolicyDecision RecordKind = "policy_decision"
	RecordDrift          RecordKind = "drift"
	RecordQuarantine     RecordKind = "quarantine"
	RecordRelease        RecordKind = "release"
	RecordApproval       RecordKind = "approval"
	RecordRejection      RecordKind = "rejection"
	RecordConfigChange   RecordKind = "config_change"
	RecordProblem        RecordKind = "guard_problem"
)

// RecordKinds are all of them, in the order in which help lists them.
var RecordKinds = []RecordKind{
	RecordServerStart, RecordServerStop, RecordCall, RecordRead, RecordPrompt, RecordSampling, RecordElicitation, RecordPolicyDecision,
	RecordDrift, RecordQuarantine, RecordRelease, RecordApproval, RecordRejection, RecordConfigChange, RecordProblem,
}

// IsTraffic says that there is one record of a kind for each request: of the client (a call, a read, a prompt) or of the server
// (what it asks the client for). There are as many as there is traffic, so they join under pressure and go first where there is no room.
func IsTraffic(kind RecordKind) bool {
	switch kind {
	case RecordCall, RecordRead, RecordPrompt, RecordSampling, RecordElicitation:
		return true
	}
	return false
}

// Status is how what a record is about ended.
type Status string

const (
	StatusOK      Status = "ok"
	StatusWarned  Status = "warned"
	StatusBlocked Status = "blocked"
	StatusHeld    Status = "held"
	StatusError   Status = "error"
)

// Statuses are all of them.
var Statuses = []Status{StatusOK, StatusWarned, StatusBlocked, StatusHeld, StatusError}

// Outcome is what became of a request, as its client is told.
type Outcome string

const (
	OutcomeBlocked  Outcome = "blocked"
	OutcomeHeld     Outcome = "held"
	OutcomeReleased Outcome = "released" // it has the response that was held
)

// ItemKind is why an item is in the inbox.
type ItemKind = string

const (
	ItemNewServer       ItemKind = "new_server"
	ItemChanged         ItemKind = "changed"
	ItemLaunch          ItemKind = "launch"
	ItemResponseHeld    ItemKind = "response_held"
	ItemInteraction     ItemKind = "interaction"      // a request of a server to its client that was refused
	ItemConfigChanged   ItemKind = "config_changed"   // entries of a client's file came, went or changed
	ItemUnguarded       ItemKind = "unguarded"        // a server that should be guarded is not, or only looks so
	ItemSettingsChanged ItemKind = "settings_changed" // a setting was made less safe outside of Sallyport
	ItemProblem         ItemKind = "guard_problem"

	// NoticeUnseen is the kind of a notice alone: a client that has not listed again what was allowed. There is nothing to decide.
	NoticeUnseen ItemKind = "unseen"
)

// PartState is how one part of an item, or one pinned thing of a server, compares with what was approved.
type PartState = string

const (
	PartApproved  PartState = "approved"
	PartNew       PartState = "new"
	PartChanged   PartState = "changed"
	PartRejected  PartState = "rejected"
	PartRemoved   PartState = "removed"
	PartUnwrapped PartState = "unwrapped" // of an entry of a client's file: its guard was taken out
	PartFake      PartState = "fake"      // of such an entry: it only looks guarded
	PartLost      PartState = "lost"      // of the one part of an item that tells of a lost store
)

// Decision is what became of an item that no longer waits.
type Decision = string

const (
	DecidedApproved   Decision = "approved"
	DecidedRejected   Decision = "rejected"
	DecidedWithdrawn  Decision = "withdrawn"  // what it was about went away by itself
	DecidedSuperseded Decision = "superseded" // its content waits under another code
)

// Severity is how grave an item is.
type Severity = string

const (
	SeverityCritical Severity = "critical"
	SeverityHigh     Severity = "high"
	SeverityReview   Severity = "review"
)

// ServerState is how a server is, as a whole.
type ServerState = string

const (
	ServerNew             ServerState = "new"
	ServerOpen            ServerState = "open" // something of it is approved
	ServerBlocked         ServerState = "blocked"
	ServerNoCommonVersion ServerState = "no_common_version" // its last start found no protocol version in common
	ServerNotStarted      ServerState = "not_started"       // guarded in a client's file, and has neither run nor been looked at
)

// HeldState is where a held response is on its way to a person and back.
type HeldState = string

const (
	HeldWaiting   HeldState = "waiting"
	HeldReleased  HeldState = "released"  // to be handed over until its time
	HeldTaken     HeldState = "taken"     // granted to a wrapper that has not said that it arrived
	HeldDelivered HeldState = "delivered" // handed over, once
	HeldExpired   HeldState = "expired"   // the release ran out: it waits again
	HeldDiscarded HeldState = "discarded"
	HeldGone      HeldState = "gone" // no longer kept (quarantine.retention, or the cap of its server)
)

// HeldWhy is why a response was held.
type HeldWhy = string

const (
	HeldThreat   HeldWhy = "threat"   // its verdict is block
	HeldLimit    HeldWhy = "limit"    // it is larger than what is looked at (inspect.on_limit = hold)
	HeldProvider HeldWhy = "provider" // a check that had to be run could not be
)
