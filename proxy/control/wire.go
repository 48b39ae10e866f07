// Package control is hub.sock: JSON-RPC 2.0, one message per line, over a Unix socket on which both ends prove who they are. The wire types and both ends
// live here so that they can't drift apart: the hub implements Handler; wrappers and the command line call it with AskX over a Client. The package
// knows neither store nor session.
package control

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/powers"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Protocol is the version of the socket's protocol. Two ends with different versions don't talk: they fail closed and say "restart
// Claude".
const Protocol = 2

// Role is the purpose of a connection.
type Role string

const (
	RoleWrapper Role = "wrapper"
	RoleProbe   Role = "probe"
	RoleCLI     Role = "cli"
	RoleHub     Role = "hub" // another hub, come to take over
)

// Hello is the first call on a connection. Its answer is a Challenge, which is also the second call ("enter"), answered by Welcome. A message
// written before the other end was proved can't contain the Challenge, and the id of a Hello can't be guessed, so an answer to it can't have
// been written in advance either.
type Hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	Role     Role   `json:"role"`
}

// Challenge is a random number.
type Challenge struct {
	Challenge string `json:"challenge"`
}

type Welcome struct {
	Protocol    int    `json:"protocol"`
	Version     string `json:"version"`
	PID         int    `json:"pid"`
	Window      bool   `json:"window"`       // decisions belong to the window
	CLIApproval bool   `json:"cli_approval"` // decisions may come over this socket
	StartedBy   string `json:"started_by"`   // "person", "wrapper" or "desktop"
}

// ServerRef is a server as a wrapper knows it. Argv is the exact argument vector for stdio, URL the URL as written. A server at which an account
// of its own is used has a blank and account:LABEL after the URL.
// Name is the display name, from the client's entry or derived from the command.
type ServerRef struct {
	Transport string   `json:"transport"` // "stdio" or "url"
	Argv      []string `json:"argv,omitempty"`
	URL       string   `json:"url,omitempty"`
	Name      string   `json:"name"`
}

// Register makes a connection that of a wrapper. The answer is a State; later ones are pushed ("state").
type Register struct {
	Server  ServerRef `json:"server"`
	Client  string    `json:"client,omitempty"` // value of --client, "" if unknown
	Session string    `json:"session"`          // one per wrapper process
	PID     int       `json:"pid"`
	// Mark identifies the server's processes after wrapper and guard are gone (transport.Mark); 0 for none.
	Mark uint64 `json:"mark,omitempty"`
	// Parent is the process that started the wrapper: the client. Lists means that this wrapper lists our own tools because an earlier hub
	// chose it.
	Parent Parent `json:"parent,omitzero"`
	Lists  bool   `json:"lists,omitempty"`
	// ServerID replaces the command in Server if a spool file's command could not be unsealed.
	ServerID string `json:"server_id,omitempty"`
	// Secrets are values of the server's environment that logs must not show. They are never written to disk.
	Secrets []string `json:"secrets,omitempty"`
	// Surroundings are what the client gave the wrapper, for looks at other servers that this client will start.
	Surroundings *Surroundings `json:"surroundings,omitempty"`
}

// State is everything a wrapper needs to decide by itself: what is approved, what is pending, and the settings in force.
type State struct {
	Revision uint64               `json:"revision"`            // grows with every change
	Name     string               `json:"name"`                // display name, cleaned
	Open     bool                 `json:"open"`                // at least one item is approved and the server is not blocked as a whole
	Blocked  bool                 `json:"blocked"`             // blocked as a whole: a Critical change, or `block SERVER`
	Code     string               `json:"code"`                // pending inbox item of this server (new_server or changed), "" if none
	Kind     vocab.ItemKind       `json:"kind"`                // kind of that item
	Items    map[string]ItemState `json:"items"`               // by pin key
	Settings map[string]string    `json:"settings"`            // effective for this server, by policy key
	Waiting  int                  `json:"waiting"`             // pending items of all servers of this client (own_tools = waiting)
	OwnTools string               `json:"own_tools,omitempty"` // where our own two tools are listed: OwnToolsHere and the others
	Launch   *LaunchState         `json:"launch,omitempty"`
	SignIn   SignInState          `json:"sign_in,omitzero"`
	// Strange is set by a link that has met only a hub of another version or a foreign program. It is never sent.
	Strange bool `json:"-"`
	// Released are the released responses that this wrapper's client gets for the same request; Exceptions are those in force for its server.
	Released   []Released  `json:"released,omitempty"`
	Exceptions []Exception `json:"exceptions,omitempty"`
	SameKey    []byte      `json:"same_key,omitempty"` // key of Released.Same
	Spool      *SpoolKey   `json:"spool,omitempty"`    // key for sealing the wrapper's spool
	Asks       []Allowed   `json:"asks,omitempty"`     // requests to the client that are allowed although they would otherwise be refused
	Rules      []byte      `json:"rules,omitempty"`    // the rule file in force (inspect.rules), byte for byte; nil for none. The hub has loaded it
	Hide       []string    `json:"hide,omitempty"`     // absolute paths of clients' configuration files known to the hub; hidden from a sandboxed server
	// Tools are the settings of single tools where they differ from Settings, by pin key and policy key.
	Tools map[string]map[string]string `json:"tools,omitempty"`
	Eras  Eras                         `json:"eras,omitzero"` // in which its process is known to answer
	Flow  FlowKeys                     `json:"flow,omitzero"`
}

// whole gives a state its maps, so that readers need no nil checks.
func whole(s State) State {
	if s.Items == nil {
		s.Items = map[string]ItemState{}
	}
	if s.Settings == nil {
		s.Settings = map[string]string{}
	}
	return s
}

// ItemState is the state of one item of a server: approved, new, changed, rejected or removed. Approved holds the
// digests that are served (at most one per era), none if the item is blocked.
type ItemState struct {
	State    vocab.PartState `json:"state"`
	Approved []pin.Digest    `json:"approved,omitempty"`
	Code     string          `json:"code,omitempty"` // inbox item to name in a refusal
	// Schemas are the output schemas of a tool's approved definitions, by digest. One larger than MaxSchema is left out.
	Schemas map[pin.Digest]json.RawMessage `json:"output_schemas,omitempty"`
}

// MaxSchema is the largest output schema that is sent to wrappers, in bytes. A larger one does not compile.
const MaxSchema = 128 << 10

// Report is one complete snapshot of what a server declares. The answer is the State after the hub has stored the inbox
// item, if there is one.
type Report struct {
	Era        string            `json:"era"` // "legacy" or "modern"
	Client     string            `json:"client,omitempty"`
	Protocol   string            `json:"protocol,omitempty"` // negotiated MCP version
	ServerInfo json.RawMessage   `json:"server_info,omitempty"`
	Items      []pin.Item        `json:"items"`
	Findings   []inspect.Finding `json:"findings,omitempty"` // about the whole server: collision, equivocation, beyond bounds
	Sandbox    vocab.Sandbox     `json:"sandbox,omitempty"`  // what the server's program runs under
	// Apart means that the client has no version in common with the server, which was asked for a review alone.
	Apart bool `json:"apart,omitempty"`
}

// CheckListings is the check named in a record's detail if a wrapper could not read what its server declares; "error" beside it says why.
const CheckListings = "recheck"

// Unlisted returns why a wrapper could not read what its server declares, if that is what the record says. Server text in it is escaped.
func Unlisted(r *Record) (why string, ok bool) {
	return errorOf(r, vocab.RecordProblem, CheckListings)
}

// errorOf is the error in the detail of a record, if it is of this kind and about this check.
func errorOf(r *Record, kind vocab.RecordKind, check string) (why string, ok bool) {
	if r.Kind != kind {
		return "", false
	}
	var detail struct{ Check, Error string }
	if json.Unmarshal(r.Detail, &detail) != nil || detail.Check != check {
		return "", false
	}
	return detail.Error, true
}

// CheckRemote is the check named in the detail of a server_start of a remote server that couldn't be reached, "error" beside it says why, or that
// is reached again.
const CheckRemote = "remote"

// Unreached returns why a remote server can't be reached, "" if it is reached again, and whether the record says either.
func Unreached(r *Record) (why string, ok bool) {
	return errorOf(r, vocab.RecordServerStart, CheckRemote)
}

// Record is one line of the activity timeline, the same as in the store.
type Record = vocab.Record

// Records is a batch from a wrapper; Acked answers once the whole batch is durable.
type Records struct {
	Records []Record `json:"records"`
}

type Acked struct {
	Stored int `json:"stored"`
}

// Stderr is a piece of the server's own stderr, for `sallyport logs`.
type Stderr struct {
	Chunk []byte `json:"chunk"`
}

// Attention is the question behind the tool approve_server_config: what is pending for this client. It moves the items to the top of the inbox.
type Attention struct {
	Client string `json:"client,omitempty"`
}

type Waiting struct {
	Items []WaitingItem `json:"items"`
}

type WaitingItem struct {
	Code     string         `json:"code"`
	Kind     vocab.ItemKind `json:"kind"`
	Server   string         `json:"server"`
	Severity vocab.Severity `json:"severity"`
}

// Part is one pinned thing inside an inbox item, as `inbox --json` lists it.
type Part struct {
	Item     string            `json:"item"`  // pin key
	State    vocab.PartState   `json:"state"` // of a held response: the same as held.state
	Findings []inspect.Finding `json:"findings"`
	Passages []inspect.Passage `json:"passages"` // the findings folded: each is one warning for a person
	// Era is "legacy" or "modern" if the server declares the item otherwise in the other era, or not at all: each form is a part of its own.
	Era string `json:"era,omitempty"`
}

// PartStore is the only part of the item that reports a lost store; its state is lost. Approving it starts over with an empty
// store.
const (
	PartStore = "store"
)

// InboxItem is one item of the inbox.
type InboxItem struct {
	Code     string         `json:"code"`
	Kind     vocab.ItemKind `json:"kind" ts_type:"'new_server' | 'changed' | 'launch' | 'unguarded' | 'config_changed' | 'extension' | 'settings_changed' | 'interaction' | 'response_held' | 'login' | 'call_waiting' | 'guard_problem'"`
	Server   string         `json:"server"`
	Shown    string         `json:"shown,omitempty"` // see Server
	Identity string         `json:"identity"`
	Severity vocab.Severity `json:"severity" ts_type:"'critical' | 'high' | 'review'"`
	Title    string         `json:"title"`
	Digest   string         `json:"digest"`
	Created  time.Time      `json:"created" ts_type:"string"`
	Asked    bool           `json:"asked,omitempty"` // a model asked for it through approve_server_config
	Noisy    bool           `json:"noisy,omitempty"` // changes too often; collapsed
	Runs     bool           `json:"runs,omitempty"`  // of a launch: the server runs while the item is pending
	Clean    bool           `json:"clean,omitempty"` // a new server without warnings: AllowClean allows it together with others
	// Launch is the kind of a launch change: same program in other surroundings, another program, a variable that loads code, a stored secret, another way to an address.
	Launch pin.LaunchAbout `json:"launch,omitempty"`
	Parts  []Part          `json:"parts"`
	// Warnings is the number of passages of its parts and of the server as a whole.
	Warnings int `json:"warnings"`
	// For held responses: how many there are, when the first and the last arrived, and the codes of the newest 100, newest first. Code and
	// Digest are those of the newest; each code names its own response. Group names the item even when further responses join it.
	Count int       `json:"count,omitempty"`
	First time.Time `json:"first,omitzero" ts_type:"string | undefined"`
	Last  time.Time `json:"last,omitzero" ts_type:"string | undefined"`
	Codes []string  `json:"codes,omitempty"`
	Group string    `json:"group,omitempty"`
	// Why they are held. Rule is the gravest rule they have in common, "" if no rule is the reason. Allowed means that their tool is
	// allowed, so `block` has an effect.
	Why     vocab.HeldWhy `json:"why,omitempty" ts_type:"'' | 'threat' | 'limit' | 'provider'"`
	Rule    string        `json:"rule,omitempty"`
	Allowed bool          `json:"allowed,omitempty"`
	// For a call that waits: until when, whose it is, what it would do, and why a person is asked.
	Expires time.Time    `json:"expires,omitzero" ts_type:"string | undefined"`
	Client  string       `json:"client,omitempty"`
	Call    *WaitingCall `json:"call,omitempty"`
	Reasons []CallReason `json:"reasons,omitempty"`
	Login   *WantedLogin `json:"login,omitempty"` // for a sign-in: what it would bind
}

// ItemDetail is a whole item, as `show --json` prints it.
type ItemDetail struct {
	InboxItem
	Command  []string          `json:"command,omitempty"` // what runs, secrets masked
	URL      string            `json:"url,omitempty"`
	Before   *EntryBefore      `json:"before,omitempty"` // what the entry of this name ran before, for a new server
	Info     json.RawMessage   `json:"server_info,omitempty"`
	Findings []inspect.Finding `json:"findings,omitempty"`
	Passages []inspect.Passage `json:"passages,omitempty"` // of Findings, see Part
	Details  []PartDetail      `json:"details"`
	Path     string            `json:"path,omitempty"`         // of a client's file (config_changed, unguarded), or of an extension's folder
	Diff     string            `json:"diff,omitempty"`         // unified, from the current file to what approve would write; values of env and secrets masked
	Decided  vocab.Decision    `json:"decided,omitempty"`      // set if the item is no longer pending
	Next     string            `json:"next,omitempty"`         // code under which the rest of a decided item is pending, or was last
	Sandbox  vocab.Sandbox     `json:"sandbox,omitempty"`      // in force from the server's next start
	LookedIn vocab.Sandbox     `json:"looked_under,omitempty"` // its sandbox when it last declared itself
	Held     *HeldDetail       `json:"held,omitempty"`         // of a held response
	Can      *powers.Summary   `json:"can,omitempty"`          // of a new server: what its tools can do
	Made     *Made             `json:"made,omitempty"`         // of a new local server: which program it is
}

// Made is the program behind a server's command, and since when it has been the same. Package and Version are those on disk, as the
// package manager has them; Program is the file that runs.
type Made struct {
	Manager     string    `json:"manager,omitempty"` // npm, pypi, docker
	Package     string    `json:"package,omitempty"`
	Version     string    `json:"version,omitempty"`
	Program     string    `json:"program,omitempty"`
	Fingerprint string    `json:"fingerprint,omitempty"`
	Since       time.Time `json:"since,omitzero" ts_type:"string | undefined"`
}

// EntryBefore is another server that ran under the name of a new one. It is shown to the person, because trust never follows a name.
type EntryBefore struct {
	Identity string            `json:"identity"`
	State    vocab.ServerState `json:"state"` // of that server
	Command  []string          `json:"command,omitempty"`
	URL      string            `json:"url,omitempty"`
}

// PartDetail is one part: what was last approved beside what is declared now.
type PartDetail struct {
	Item       string            `json:"item"`
	State      vocab.PartState   `json:"state"`
	Digest     pin.Digest        `json:"digest"`
	Findings   []inspect.Finding `json:"findings"`
	Passages   []inspect.Passage `json:"passages"`             // see Part
	Definition json.RawMessage   `json:"definition,omitempty"` // as declared now; absent for a removed one
	Approved   json.RawMessage   `json:"approved,omitempty"`   // as last approved; absent for a new one
	Text       string            `json:"text,omitempty"`       // of a skill: what its SKILL.md tells the model, as last read
	Changes    []pin.Change      `json:"changes"`
	Does       *powers.Tool      `json:"does,omitempty"` // of a declared tool: what it can do
	Era        string            `json:"era,omitempty"`  // see Part
	// ApprovedEra is the era of Approved, where Era is set.
	ApprovedEra string `json:"approved_era,omitempty"`
	// Page is what a declared page (ui://) may do in its client; Visibility is who may call a declared tool, where its definition says so.
	Page       *pin.Reach `json:"page,omitempty"`
	Visibility []string   `json:"visibility,omitempty"`
}

// PageOnly reports whether a tool is offered to pages alone: its definition says who may call it, and the model is not among them.
func (d PartDetail) PageOnly() bool {
	return d.Visibility != nil && !slices.Contains(d.Visibility, "model")
}

// Decide is a person's decision on an item. It binds to Digest. With Items empty and All false, it covers everything without a
// finding of Medium or above.
type Decide struct {
	Code   string   `json:"code"`
	Digest string   `json:"digest"`
	Reject bool     `json:"reject,omitempty"`
	Items  []string `json:"items,omitempty"` // pin keys
	All    bool     `json:"all,omitempty"`
	Always bool     `json:"always,omitempty"` // a call, for good, instead of once
	Reason string   `json:"reason,omitempty"` // why, in the person's own words; stored with the record of the decision

	Together int `json:"-"` // number of servers that one decision allows (AllowClean); set by the hub, never sent
}

type Decided struct {
	Code     string   `json:"code"`
	Server   string   `json:"server"`
	Approved []string `json:"approved"`
	Rejected []string `json:"rejected"`
	Left     []string `json:"left"`           // still pending, because of findings or because they were not named
	Next     string   `json:"next,omitempty"` // code under which the rest is pending
	// Cut is what running clients did not get of the server's greeting and would get now, Restart what brings it to them.
	Cut     []string `json:"cut,omitempty"`
	Restart []string `json:"restart,omitempty"` // "restart Claude Desktop"
}

// Block takes approvals back: of the whole server if Items is empty.
type Block struct {
	Server string   `json:"server"` // display name, identity or id
	Items  []string `json:"items,omitempty"`
}

type Blocked struct {
	Server string   `json:"server"`
	Shown  string   `json:"shown,omitempty"` // see Server
	Items  []string `json:"items"`
	Code   string   `json:"code"`
}

// Server is one row of `servers --json`.
type Server struct {
	ID     string `json:"id"` // identifies the server in every call, even if two servers have the same name
	Server string `json:"server"`
	// Shown is the short name, marked if it looks like another server's; empty if it equals Server.
	Shown    string            `json:"shown,omitempty"`
	Identity string            `json:"identity"`
	State    vocab.ServerState `json:"state"`
	Wrappers int               `json:"wrappers"`
	Allowed  int               `json:"allowed"` // tools
	Blocked  int               `json:"blocked"` // tools
	Code     string            `json:"code,omitempty"`
	Held     int               `json:"held,omitempty"` // its held responses that need a decision
	Items    []ServerItem      `json:"items"`
	Findings []inspect.Finding `json:"findings"`
	Passages []inspect.Passage `json:"passages"` // see Part
	LastSeen time.Time         `json:"last_seen,omitzero"`
	Clients  []string          `json:"clients,omitempty"`    // that ran it, by the value of --client
	Sandbox  vocab.Sandbox     `json:"sandbox"`              // in force from its next start
	Versions *Versions         `json:"versions,omitempty"`   // set if its last start found no common protocol version
	Problem  *Problem          `json:"problem,omitempty"`    // why none of it can be used, if no item says so
	UnseenBy []string          `json:"unseen_by"`            // clients that have not listed what was allowed
	RunsIn   []vocab.Sandbox   `json:"runs_under,omitempty"` // sandboxes of its live wrappers, as of its last declaration
	Light    *Light            `json:"light,omitempty"`      // as in the window
	Eras     *Eras             `json:"eras,omitempty"`       // in which it is known to answer, with the versions; [] for one that it does not speak
	Cut      []string          `json:"cut,omitempty"`        // what running clients did not get of its greeting and would get after a restart
}

// Light is the state of a server or of everything. Words and Next are ours; the window shows them as they are and computes none.
type Light struct {
	Colour vocab.Colour `json:"colour" ts_type:"'grey' | 'green' | 'amber' | 'red'"`
	State  string       `json:"state"` // a word for programs
	Words  string       `json:"words"`
	Next   string       `json:"next,omitempty"` // what the person can do
}

type ServerItem struct {
	Item     string          `json:"item"`
	State    vocab.PartState `json:"state"`
	Digest   pin.Digest      `json:"digest,omitempty"`
	Approved string          `json:"approved_by,omitempty"` // "person", or "trusted on first use, never read"
	Era      string          `json:"era,omitempty"`         // see Part
}

// Status answers `status`.
type Status struct {
	Hub      Welcome       `json:"hub"`
	Home     string        `json:"home"`
	Wrappers []WrapperInfo `json:"wrappers"`
	Servers  int           `json:"servers"` // that ran or were read by a look
	// Waiting is the first 100 pending items, WaitingCount the number of all, and WaitingBy that number by severity.
	Waiting      []InboxItem            `json:"waiting"`
	WaitingCount int                    `json:"waiting_count"`
	WaitingBy    map[vocab.Severity]int `json:"waiting_by,omitempty"`
	Problems     []Problem              `json:"problems"`
	Unseen       []UnseenServer         `json:"unseen"`             // allowed, and not yet seen by a client
	Coverage     *Coverage              `json:"coverage,omitempty"` // nil if the hub doesn't know
	RuleSet      string                 `json:"rule_set"`           // version and fingerprint of the rules for responses
}

type WrapperInfo struct {
	PID     int       `json:"pid"`
	Server  string    `json:"server"`
	Shown   string    `json:"shown,omitempty"` // see Server
	Client  string    `json:"client,omitempty"`
	Session string    `json:"session"`
	Since   time.Time `json:"since"`
}

// Problem is something wrong with the installation: a stable code SP-nnn with a paragraph in docs/problems.md.
type Problem struct {
	Code string `json:"code"`
	What string `json:"what"`
	Next string `json:"next"`
}

// ActivityQuery asks for part of the timeline; the store takes the same query.
type ActivityQuery = vocab.Query

type Activity struct {
	Items []Record `json:"items"`
	// Shown maps servers to the names they are shown under now, if those differ: by ServerID, or by "=" and the name for records of a
	// version that had no ids. It is beside the records because a record's hash covers all of it.
	Shown map[string]string `json:"shown,omitempty"`
}

// ShownOf returns the name under which a record's server is shown.
func (a Activity) ShownOf(r Record) string {
	key := r.ServerID
	if key == "" {
		key = "=" + r.Server
	}
	return cmp.Or(a.Shown[key], r.Server)
}

// Verified answers `activity verify`.
type Verified = vocab.Verified

// Setting is one row of `settings list`.
type Setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Default string `json:"default"`
	From    string `json:"from"` // default, settings, server, tool
	Doc     string `json:"doc"`
}

type SettingQuery struct {
	Key    string `json:"key,omitempty"`
	Value  string `json:"value,omitempty"`
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	// Decided means that a person confirmed a loosening; without it, a loosening returns CodeLoosens.
	Decided bool `json:"decided,omitempty"`
}

// LogQuery reads a server's stderr ring from Offset; Log.Next is the offset for the next query.
type LogQuery struct {
	Server string `json:"server"`
	Lines  int    `json:"lines,omitempty"`
	Offset int64  `json:"offset,omitempty"`
	Follow bool   `json:"follow,omitempty"` // from Offset, not the last Lines
}

type Log struct {
	Text string `json:"text"` // escaped, line by line
	Next int64  `json:"next"`
}
