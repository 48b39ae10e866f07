// Package control is hub.sock: JSON-RPC 2.0, one message a line, over a Unix socket that both ends prove. The wire types
// and both ends live here so that they cannot drift apart: the hub implements Handler, wrappers and the command line ask it with
// AskX over a Client. It knows no store and no session.
package control

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/powers"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Protocol is the version of what is spoken on the socket. Two ends of different protocols do not talk: fail closed, and
// say "restart Claude".
const Protocol = 2

// Role says what a connection is for.
type Role string

const (
	RoleWrapper Role = "wrapper"
	RoleProbe   Role = "probe"
	RoleCLI     Role = "cli"
	RoleHub     Role = "hub" // another hub, come to take over
)

// Hello is the first call on a connection, Challenge its answer and the second call ("enter"), Welcome the answer to that. What was
// written before the other end was proved knows no Challenge; and a Hello has an id that nobody can guess, so that no answer to it was.
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

// ServerRef is a server as a wrapper knows it. Argv is the exact argument vector for stdio, URL the URL as written.
// Name is the display name, from the client's entry or derived from the command.
type ServerRef struct {
	Transport string   `json:"transport"` // "stdio" or "url"
	Argv      []string `json:"argv,omitempty"`
	URL       string   `json:"url,omitempty"`
	Name      string   `json:"name"`
}

// Register makes a connection a wrapper of a server. The answer is a State; later ones are pushed ("state").
type Register struct {
	Server  ServerRef `json:"server"`
	Client  string    `json:"client,omitempty"` // value of --client, "" where unknown
	Session string    `json:"session"`          // one per wrapper process
	PID     int       `json:"pid"`
	// Mark is what the server's processes can be known by when wrapper and guard are gone (transport.Mark); 0 for none.
	Mark uint64 `json:"mark,omitempty"`
	// Parent is the process that started the wrapper: the client. Lists says that this wrapper lists our own tools, as a hub before this
	// one chose.
	Parent Parent `json:"parent,omitzero"`
	Lists  bool   `json:"lists,omitempty"`
	// ServerID is for a file of the spool whose command could not be unsealed: the id of Server, which is without it then.
	ServerID string `json:"server_id,omitempty"`
	// Secrets are values of the server's environment that no log is to show. They are on no disk.
	Secrets []string `json:"secrets,omitempty"`
	// Surroundings are what a wrapper's client gave it, for looks at what else that client will start.
	Surroundings *Surroundings `json:"surroundings,omitempty"`
}

// State is all that a wrapper needs to decide alone: what is approved, what waits, and the settings in force.
type State struct {
	Revision uint64               `json:"revision"`            // grows with every change
	Name     string               `json:"name"`                // display name, cleaned
	Open     bool                 `json:"open"`                // at least one item is approved and the server is not blocked whole
	Blocked  bool                 `json:"blocked"`             // blocked whole: a Critical change, or `block SERVER`
	Code     string               `json:"code"`                // inbox item that waits for this server (new_server or changed), "" if none
	Kind     vocab.ItemKind       `json:"kind"`                // kind of that item
	Items    map[string]ItemState `json:"items"`               // by pin key
	Settings map[string]string    `json:"settings"`            // effective for this server, by policy key
	Waiting  int                  `json:"waiting"`             // items that wait, of all servers of this client (own_tools = waiting)
	OwnTools string               `json:"own_tools,omitempty"` // where our own two tools are listed: OwnToolsHere and the others
	Launch   *LaunchState         `json:"launch,omitempty"`
	// Strange is set by a link that has met no hub but one of another version or a stranger. It is on no wire.
	Strange bool `json:"-"`
	// Released are the answers that the same request of this wrapper's client gets; Exceptions those in force for its server.
	Released   []Released  `json:"released,omitempty"`
	Exceptions []Exception `json:"exceptions,omitempty"`
	SameKey    []byte      `json:"same_key,omitempty"` // the key that Same of Released is under
	Spool      *SpoolKey   `json:"spool,omitempty"`    // what the wrapper seals its spool under
	Asks       []Allowed   `json:"asks,omitempty"`     // what it may ask its client for, of what it would else be refused
	Rules      []byte      `json:"rules,omitempty"`    // the rule file in force (inspect.rules) as it was read, nil for none; it has loaded in the hub
	Hide       []string    `json:"hide,omitempty"`     // clients' configuration files the hub knows of: absolute paths, gone for a sandboxed server
}

// whole gives a state its maps, so that whoever reads it need not ask.
func whole(s State) State {
	if s.Items == nil {
		s.Items = map[string]ItemState{}
	}
	if s.Settings == nil {
		s.Settings = map[string]string{}
	}
	return s
}

// ItemState is where one item of a server stands. State is approved, new, changed, rejected or removed. Approved holds the
// digests that are served (one per era at most), none if the item is blocked.
type ItemState struct {
	State    vocab.PartState `json:"state"`
	Approved []pin.Digest    `json:"approved,omitempty"`
	Code     string          `json:"code,omitempty"` // inbox item to name in a refusal
}

// Report is one complete snapshot of what a server declares. The answer is the State after the hub has stored the inbox
// item, if there is one.
type Report struct {
	Era        string            `json:"era"` // "legacy" or "modern"
	Client     string            `json:"client,omitempty"`
	Protocol   string            `json:"protocol,omitempty"` // negotiated MCP version
	ServerInfo json.RawMessage   `json:"server_info,omitempty"`
	Items      []pin.Item        `json:"items"`
	Findings   []inspect.Finding `json:"findings,omitempty"` // about the whole: collision, equivocation, beyond the bounds
	Sandbox    vocab.Sandbox     `json:"sandbox,omitempty"`  // what the server's program runs under
}

// CheckListings is the check, in a record's detail, of a wrapper that could not read what its server declares; "error" beside it says why.
const CheckListings = "recheck"

// Unlisted is why a wrapper could not read what its server declares, if the record says that: text of the server in it is escaped.
func Unlisted(r *Record) (why string, ok bool) {
	if r.Kind != vocab.RecordProblem {
		return "", false
	}
	var detail struct{ Check, Error string }
	if json.Unmarshal(r.Detail, &detail) != nil || detail.Check != CheckListings {
		return "", false
	}
	return detail.Error, true
}

// Record is one line of the activity timeline, as the store keeps it too.
type Record = vocab.Record

// Records carries a batch from a wrapper; Acked answers once all of it is durable.
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

// Attention is what the tool approve_server_config asks: what waits for this client. It puts the items on top of the inbox.
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
	State    vocab.PartState   `json:"state"` // of a held response: where the response is (held.state)
	Findings []inspect.Finding `json:"findings"`
	Passages []inspect.Passage `json:"passages"` // the findings folded: what a person reads as one warning each
}

// PartStore is the one part of the item that tells of a lost store, lost its state. To approve it is to begin again with
// an empty store.
const (
	PartStore = "store"
)

// InboxItem is one thing that waits for a person.
type InboxItem struct {
	Code     string         `json:"code"`
	Kind     vocab.ItemKind `json:"kind" ts_type:"'new_server' | 'changed' | 'launch' | 'unguarded' | 'config_changed' | 'settings_changed' | 'interaction' | 'response_held' | 'guard_problem'"`
	Server   string         `json:"server"`
	Shown    string         `json:"shown,omitempty"` // see Server
	Identity string         `json:"identity"`
	Severity vocab.Severity `json:"severity" ts_type:"'critical' | 'high' | 'review'"`
	Title    string         `json:"title"`
	Digest   string         `json:"digest"`
	Created  time.Time      `json:"created" ts_type:"string"`
	Asked    bool           `json:"asked,omitempty"` // a model asked for it through approve_server_config
	Noisy    bool           `json:"noisy,omitempty"` // changes too often; collapsed
	Runs     bool           `json:"runs,omitempty"`  // of a launch: it waits, and the server runs meanwhile
	Clean    bool           `json:"clean,omitempty"` // a new server without warnings: AllowClean allows it together with others
	// Launch says of a launch which it is: the same program in other surroundings, another program, a variable that loads code.
	Launch pin.LaunchAbout `json:"launch,omitempty"`
	Parts  []Part          `json:"parts"`
	// Warnings is how many a person reads of it: passages of its parts, and of the server as a whole.
	Warnings int `json:"warnings"`
	// Of held responses: how many are in it, when the first and the last of them came, and the codes of the newest, the newest first
	// (100 at most). Code and Digest are the newest one's; each code is about its own response. Group names the item whatever joins it.
	Count int       `json:"count,omitempty"`
	First time.Time `json:"first,omitzero" ts_type:"string | undefined"`
	Last  time.Time `json:"last,omitzero" ts_type:"string | undefined"`
	Codes []string  `json:"codes,omitempty"`
	Group string    `json:"group,omitempty"`
	// Why they are held; Rule is the gravest rule they have in common, "" where no rule is the reason. Allowed says
	// that their tool is allowed, so that `block` has something to take back.
	Why     vocab.HeldWhy `json:"why,omitempty" ts_type:"'' | 'threat' | 'limit' | 'provider'"`
	Rule    string        `json:"rule,omitempty"`
	Allowed bool          `json:"allowed,omitempty"`
}

// ItemDetail is an item whole, as `show --json` prints it.
type ItemDetail struct {
	InboxItem
	Command  []string          `json:"command,omitempty"` // what runs, secrets masked
	URL      string            `json:"url,omitempty"`
	Before   *EntryBefore      `json:"before,omitempty"` // what the entry of this name ran before, for a new server
	Info     json.RawMessage   `json:"server_info,omitempty"`
	Findings []inspect.Finding `json:"findings,omitempty"`
	Passages []inspect.Passage `json:"passages,omitempty"` // of Findings, see Part
	Details  []PartDetail      `json:"details"`
	Path     string            `json:"path,omitempty"`         // of a client's file (config_changed, unguarded)
	Diff     string            `json:"diff,omitempty"`         // unified, from that file as it is to what approve makes of it; values of env and secrets masked
	Decided  vocab.Decision    `json:"decided,omitempty"`      // the item no longer waits
	Next     string            `json:"next,omitempty"`         // code under which what was left of a decided item waits, or waited last
	Sandbox  vocab.Sandbox     `json:"sandbox,omitempty"`      // in force for the server from its next start on
	LookedIn vocab.Sandbox     `json:"looked_under,omitempty"` // its sandbox when it last declared itself
	Held     *HeldDetail       `json:"held,omitempty"`         // of a held response
	Can      *powers.Summary   `json:"can,omitempty"`          // of a new server: what its tools can do
	Made     *Made             `json:"made,omitempty"`         // of a new server that runs here: which program it is
}

// Made is the program behind a server's command, and since when it has been the same. Package and Version are what the
// package manager has on disk, Program the file that runs.
type Made struct {
	Manager     string    `json:"manager,omitempty"` // npm, pypi, docker
	Package     string    `json:"package,omitempty"`
	Version     string    `json:"version,omitempty"`
	Program     string    `json:"program,omitempty"`
	Fingerprint string    `json:"fingerprint,omitempty"`
	Since       time.Time `json:"since,omitzero" ts_type:"string | undefined"`
}

// EntryBefore is another server that ran under the name of a new one: trust never follows a name, so a person is told.
type EntryBefore struct {
	Identity string            `json:"identity"`
	State    vocab.ServerState `json:"state"` // of that server
	Command  []string          `json:"command,omitempty"`
	URL      string            `json:"url,omitempty"`
}

// PartDetail is one part with what was last approved beside what is declared now.
type PartDetail struct {
	Item       string            `json:"item"`
	State      vocab.PartState   `json:"state"`
	Digest     pin.Digest        `json:"digest"`
	Findings   []inspect.Finding `json:"findings"`
	Passages   []inspect.Passage `json:"passages"`             // see Part
	Definition json.RawMessage   `json:"definition,omitempty"` // as declared now; absent for a removed one
	Approved   json.RawMessage   `json:"approved,omitempty"`   // as last approved; absent for a new one
	Changes    []pin.Change      `json:"changes"`
	Does       *powers.Tool      `json:"does,omitempty"` // of a tool that is declared: what it can do
}

// Decide is a decision of a person over an item. It binds to Digest. Items empty and All false: everything without a
// finding of Medium or above.
type Decide struct {
	Code   string   `json:"code"`
	Digest string   `json:"digest"`
	Reject bool     `json:"reject,omitempty"`
	Items  []string `json:"items,omitempty"` // pin keys
	All    bool     `json:"all,omitempty"`
	Reason string   `json:"reason,omitempty"` // why, in the person's own words: kept with the record of the decision

	Together int `json:"-"` // servers that one decision allows together (AllowClean): set by the hub, never over the socket
}

type Decided struct {
	Code     string   `json:"code"`
	Server   string   `json:"server"`
	Approved []string `json:"approved"`
	Rejected []string `json:"rejected"`
	Left     []string `json:"left"`           // still waiting, because of findings or because they were not named
	Next     string   `json:"next,omitempty"` // code under which the rest waits
}

// Block takes approvals back. Items empty: the whole server.
type Block struct {
	Server string   `json:"server"` // display name, identity or id
	Items  []string `json:"items,omitempty"`
}

type Blocked struct {
	Server string   `json:"server"`
	Items  []string `json:"items"`
	Code   string   `json:"code"`
}

// Server is one row of `servers --json`.
type Server struct {
	ID     string `json:"id"` // names it wherever a server is asked for, also where two have one name
	Server string `json:"server"`
	// Shown is the name where there is no room for all of it, and told apart from others that look like it; empty where it is Server.
	Shown    string            `json:"shown,omitempty"`
	Identity string            `json:"identity"`
	State    vocab.ServerState `json:"state"`
	Wrappers int               `json:"wrappers"`
	Allowed  int               `json:"allowed"` // tools
	Blocked  int               `json:"blocked"` // tools
	Code     string            `json:"code,omitempty"`
	Held     int               `json:"held,omitempty"` // responses of it that wait for a decision
	Items    []ServerItem      `json:"items"`
	Findings []inspect.Finding `json:"findings"`
	Passages []inspect.Passage `json:"passages"` // see Part
	LastSeen time.Time         `json:"last_seen,omitzero"`
	Clients  []string          `json:"clients,omitempty"`    // that ran it, by the name their entries have for them
	Sandbox  vocab.Sandbox     `json:"sandbox"`              // in force from its next start on
	Versions *Versions         `json:"versions,omitempty"`   // where its last start found no common protocol version
	Problem  *Problem          `json:"problem,omitempty"`    // why nothing of it can be used, where no item says so
	UnseenBy []string          `json:"unseen_by"`            // clients that have not listed what was allowed of it
	RunsIn   []vocab.Sandbox   `json:"runs_under,omitempty"` // what its live wrappers have it under, as they said when it last declared itself
	Light    *Light            `json:"light,omitempty"`      // the window's, for the same server
}

// Light is how a server is: a colour (grey, green, amber, red), a word for programs, and words for people.
type Light struct {
	Colour string `json:"colour" ts_type:"'grey' | 'green' | 'amber' | 'red'"`
	State  string `json:"state"`
	Words  string `json:"words"`
	Next   string `json:"next,omitempty"` // what a person can do
}

type ServerItem struct {
	Item     string          `json:"item"`
	State    vocab.PartState `json:"state"`
	Digest   pin.Digest      `json:"digest,omitempty"`
	Approved string          `json:"approved_by,omitempty"` // "person", or "trusted on first use, never read"
}

// Status answers `status`.
type Status struct {
	Hub      Welcome       `json:"hub"`
	Home     string        `json:"home"`
	Wrappers []WrapperInfo `json:"wrappers"`
	Servers  int           `json:"servers"` // that ran or were looked at
	// Waiting is the first 100 of what waits, WaitingCount all of it, and WaitingBy that by severity.
	Waiting      []InboxItem            `json:"waiting"`
	WaitingCount int                    `json:"waiting_count"`
	WaitingBy    map[vocab.Severity]int `json:"waiting_by,omitempty"`
	Problems     []Problem              `json:"problems"`
	Unseen       []UnseenServer         `json:"unseen"`             // allowed, and not yet seen by a client
	Coverage     *Coverage              `json:"coverage,omitempty"` // nil where the hub has none to say
	RuleSet      string                 `json:"rule_set"`           // version and fingerprint of what answers are inspected with
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

// ActivityQuery asks for part of the timeline, as the store does.
type ActivityQuery = vocab.Query

type Activity struct {
	Items []Record `json:"items"`
	// Shown is how the servers of these records are shown now, where that is not their name: by ServerID, and by "=" and the name for the
	// records of a version that knew no ids. It is beside the records and not in them, because their hashes cover all of them.
	Shown map[string]string `json:"shown,omitempty"`
}

// ShownOf is how the server of one of its records is shown.
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
	// Decided says that a person confirmed a loosening; without it a loosening is answered with ErrLoosens.
	Decided bool `json:"decided,omitempty"`
}

// LogQuery reads a server's stderr ring from Offset on; Log.Next is where to go on.
type LogQuery struct {
	Server string `json:"server"`
	Lines  int    `json:"lines,omitempty"`
	Offset int64  `json:"offset,omitempty"`
	Follow bool   `json:"follow,omitempty"` // from Offset, not the last Lines
}

type Log struct {
	Text string `json:"text"` // escaped, one line per line
	Next int64  `json:"next"`
}
