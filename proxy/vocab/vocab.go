// Package vocab has the words that the store, the socket, the command line and the window share: the values of records, inbox items and
// decisions. They are in JSON and on disk, so none of them ever changes. It imports nothing of ours, and every package may import it.
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

// RecordKinds are all kinds, in the order of the help text.
var RecordKinds = []RecordKind{
	RecordServerStart, RecordServerStop, RecordCall, RecordRead, RecordPrompt, RecordSampling, RecordElicitation, RecordPolicyDecision,
	RecordDrift, RecordQuarantine, RecordRelease, RecordApproval, RecordRejection, RecordConfigChange, RecordProblem,
}

// IsTraffic reports whether each request makes a record of this kind: the client's (a call, a read, a prompt) or the server's (what it asks
// the client for). They are as many as there is traffic, so under pressure they are joined and dropped first.
func IsTraffic(kind RecordKind) bool {
	switch kind {
	case RecordCall, RecordRead, RecordPrompt, RecordSampling, RecordElicitation:
		return true
	default:
		return false
	}
}

// Status is the outcome of what a record is about.
type Status string

const (
	StatusOK      Status = "ok"
	StatusWarned  Status = "warned"
	StatusBlocked Status = "blocked"
	StatusHeld    Status = "held"
	StatusError   Status = "error"
)

var Statuses = []Status{StatusOK, StatusWarned, StatusBlocked, StatusHeld, StatusError}

// Outcome is what a client is told about its request.
type Outcome string

const (
	OutcomeBlocked  Outcome = "blocked"
	OutcomeHeld     Outcome = "held"
	OutcomeReleased Outcome = "released" // it gets the response that was held
)

// ItemKind is why an item is in the inbox.
type ItemKind string

const (
	ItemNewServer       ItemKind = "new_server"
	ItemChanged         ItemKind = "changed"
	ItemLaunch          ItemKind = "launch"
	ItemResponseHeld    ItemKind = "response_held"
	ItemInteraction     ItemKind = "interaction"      // a refused request of a server to its client
	ItemLogin           ItemKind = "login"            // a server wants a sign-in, or more than was allowed
	ItemCallWaiting     ItemKind = "call_waiting"     // a call that a person must allow
	ItemConfigChanged   ItemKind = "config_changed"   // entries of a client's file were added, removed or changed
	ItemUnguarded       ItemKind = "unguarded"        // a server that should be guarded is not, or only looks so
	ItemExtension       ItemKind = "extension"        // a desktop extension is new or changed
	ItemSettingsChanged ItemKind = "settings_changed" // a setting was loosened outside Sallyport
	ItemProblem         ItemKind = "guard_problem"

	// NoticeUnseen is only a notice: a client has not listed again what was allowed. There is nothing to decide.
	NoticeUnseen ItemKind = "unseen"
)

// PartState compares one part of an item, or one pinned item of a server, with what was approved.
type PartState string

const (
	PartApproved  PartState = "approved"
	PartNew       PartState = "new"
	PartChanged   PartState = "changed"
	PartRejected  PartState = "rejected"
	PartRemoved   PartState = "removed"
	PartUnwrapped PartState = "unwrapped" // the guard of an entry in a client's file was removed
	PartFake      PartState = "fake"      // such an entry only looks guarded
	PartLost      PartState = "lost"      // the one part of an item about a lost store
)

// Decision is how a pending item ended.
type Decision string

const (
	DecidedApproved   Decision = "approved"
	DecidedRejected   Decision = "rejected"
	DecidedWithdrawn  Decision = "withdrawn"  // its reason disappeared
	DecidedSuperseded Decision = "superseded" // its content is pending under another code
)

// Action is what was done about one pinned item, as its history keeps it.
type Action string

const (
	ActionApprove Action = "approve"
	ActionReplace Action = "replace" // approved in place of another definition
	ActionTrust   Action = "trust"   // when its server was first seen
	ActionReject  Action = "reject"
	ActionUndo    Action = "undo" // an approval was taken back together with the others of its item
	ActionBlock   Action = "block"
)

// Ask is a kind of request that a server makes of its client.
type Ask string

const (
	AskSampling    Ask = "sampling"    // let Claude write something
	AskElicitation Ask = "elicitation" // ask the person something
	AskRoots       Ask = "roots"       // list the folders the person works in
	AskOther       Ask = "other"
)

// Asks are all kinds.
var Asks = []Ask{AskSampling, AskElicitation, AskRoots, AskOther}

// AskOf is the kind of a request by its method.
func AskOf(method string) Ask {
	switch method {
	case "sampling/createMessage":
		return AskSampling
	case "elicitation/create":
		return AskElicitation
	case "roots/list":
		return AskRoots
	default:
		return AskOther
	}
}

// By is who approved, rejected or blocked.
type By string

const (
	ByPerson     By = "person"
	ByTrustClean By = "trust-clean" // pins.first_use; people read "trusted on first use, never read"
	BySeal       By = "seal"        // what was approved did not fit its seal
)

// Sandbox is what a server's program is kept from, "" if that isn't known or it has none here.
type Sandbox string

const (
	SandboxOff    Sandbox = "off"
	SandboxShield Sandbox = "shield"
	SandboxStrict Sandbox = "strict"
	SandboxRemote Sandbox = "none: remote" // a remote server has no program here
)

// Severity is how serious an item is.
type Severity string

const (
	SeverityCritical Severity = "critical"
	SeverityHigh     Severity = "high"
	SeverityReview   Severity = "review"
)

// ServerState is the state of a server as a whole.
type ServerState string

const (
	ServerNew             ServerState = "new"
	ServerOpen            ServerState = "open" // at least one item is approved
	ServerBlocked         ServerState = "blocked"
	ServerNoCommonVersion ServerState = "no_common_version" // its last start found no common protocol version
	ServerNotStarted      ServerState = "not_started"       // guarded in a client's file, but neither started nor looked at
)

// HeldState is the stage of a held response.
type HeldState string

const (
	HeldWaiting   HeldState = "waiting"
	HeldReleased  HeldState = "released"  // to be delivered until its time
	HeldTaken     HeldState = "taken"     // granted to a wrapper that has not confirmed the delivery
	HeldDelivered HeldState = "delivered" // delivered, once
	HeldExpired   HeldState = "expired"   // the release ran out: held again
	HeldDiscarded HeldState = "discarded"
	HeldGone      HeldState = "gone" // no longer kept (quarantine.retention, or the limit of its server)
)

// CallState is where a call that a person must allow stands.
type CallState string

const (
	CallWaiting CallState = "waiting"
	CallRefused CallState = "refused" // by the person, a short while ago
	CallFull    CallState = "full"    // as many calls of this server and client wait as a person can be shown
	CallGranted CallState = "granted" // to one call, which this answer is for
	CallLarge   CallState = "large"   // no person could read it
	CallFree    CallState = "free"    // nothing asks a person about it
)

// CallCheck is what asks a person about a call.
type CallCheck string

const (
	CheckAsk  CallCheck = "ask"  // the mode of its tool (tools.mode)
	CheckFlow CallCheck = "flow" // where an argument came from (flow.policy)
)

// CallClass is a class of tools whose calls are compared with what came out of servers (tools.class).
type CallClass string

const (
	ClassGives         CallClass = "gives"
	ClassTakes         CallClass = "takes"
	ClassCommits       CallClass = "commits"
	ClassChangesAccess CallClass = "changes access"
	ClassReaches       CallClass = "reaches"
)

// HeldWhy is why a response was held.
type HeldWhy string

const (
	HeldThreat   HeldWhy = "threat"   // its verdict is block
	HeldLimit    HeldWhy = "limit"    // it is too large to inspect (inspect.on_limit = hold)
	HeldProvider HeldWhy = "provider" // a required check could not run
)

// Vote is what a guardrail provider says about a text.
type Vote string

const (
	VoteAllow Vote = "allow"
	VoteFlag  Vote = "flag"  // suspicious: a warning
	VoteBlock Vote = "block" // an attack: the response is held
)

// TextKind is what a text that a guardrail provider is asked about belongs to.
type TextKind string

const (
	TextResponse TextKind = "response"
	TextMetadata TextKind = "metadata" // what a server declares: descriptions, schemas, instructions
)

// Colour means the same wherever a person sees it: in the tray, in the window's footer, in the list and on the page of a server.
type Colour string

const (
	Grey  Colour = "grey"  // not yet: no client has started a guarded server, or we can't tell
	Green Colour = "green" // a client has started it through its wrapper, and nothing needs a person
	Amber Colour = "amber" // a person is needed
	Red   Colour = "red"   // a person is needed at once: a Critical item is pending
)
