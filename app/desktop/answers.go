package desktop

import (
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/powers"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// What the page gets. Times are RFC 3339 and definitions are texts: nothing reaches the page that it would have to parse or guess at.
// Server text is passed on unchanged; the page shows it only in its paper boxes.

// Shapes names structs that only embedded ones hold: Wails writes a type only if a method or a named field has it.
type Shapes struct{}

func (*Shapes) Name(control.CallReason, control.ClientEntry, control.GuardVerdict, control.Part, control.WaitingCall, control.WantedLogin, inspect.Check, powers.Summary) {
}

// Overview is what every screen shows. It is cheap: the page asks for it at every "changed".
type Overview struct {
	Version        string                 `json:"version"`
	Home           string                 `json:"home"`
	Theme          string                 `json:"theme" ts_type:"'light' | 'dark' | 'system'"`
	Light          control.Light          `json:"light"` // of all servers; the icon shows the same
	Guarded        int                    `json:"guarded"`
	Total          int                    `json:"total"`
	Waiting        Waiting                `json:"waiting"`
	Problems       []control.Problem      `json:"problems"`
	Unseen         []control.UnseenServer `json:"unseen"` // allowed, but not yet seen by a client
	ServersRunning int                    `json:"serversRunning"`
	FirstRun       bool                   `json:"firstRun"`      // nothing is protected yet
	Notifications  string                 `json:"notifications"` // why there are none, or ""
	Tray           string                 `json:"tray"`          // why there is none, or ""
	StoreOK        bool                   `json:"storeOK"`
	TrayTold       bool                   `json:"trayTold"` // the person knows that the program stays when the window is closed
	Quitting       string                 `json:"quitting"` // nonce of the question whether to quit; "" if there is none
}

// Waiting counts pending items by severity.
type Waiting struct {
	Critical int `json:"critical"`
	High     int `json:"high"`
	Review   int `json:"review"`
}

// Unguarded is one server that is not guarded.
type Unguarded struct {
	control.Unguarded
	Light control.Light `json:"light"`
}

// Item is one row of the inbox.
type Item struct {
	control.InboxItem
	Decided   vocab.Decision `json:"decided"`   // "" while pending
	DecidedAt string         `json:"decidedAt"` // "" while pending
	Path      string         `json:"path"`      // of a client's file, for an item about one
}

// Review is a whole item, with what binds a decision to this look at it.
type Review struct {
	Item
	Nonce       string               `json:"nonce"` // "" if nothing can be decided
	ArmAfterMs  int                  `json:"armAfterMs"`
	Command     []string             `json:"command"`          // server text; secrets masked
	URL         string               `json:"url"`              // server text
	Before      *control.EntryBefore `json:"before,omitempty"` // the server that ran under this name before
	ServerInfo  string               `json:"serverInfo"`       // server text: indented JSON of what the server calls itself
	Findings    []inspect.Finding    `json:"findings"`
	Passages    [][]int              `json:"passages"` // indexes of findings that are one warning to a person
	Details     []PartDetail         `json:"details"`
	Diff        string               `json:"diff"`    // unified diff of a client's file; holds server text
	Sandbox     vocab.Sandbox        `json:"sandbox"` // off, shield, strict, none: remote, ""
	LookedUnder vocab.Sandbox        `json:"lookedUnder"`
	Next        string               `json:"next"`             // code of the item for what is left of it
	TypedWord   string               `json:"typedWord"`        // to be typed to allow; "" unless Critical
	Stale       bool                 `json:"stale"`            // it is not pending as shown
	Held        *Held                `json:"held,omitempty"`   // of a held response
	Asks        *AskedCall           `json:"asks,omitempty"`   // of a call that a person decides on
	SignIn      *WantedSignIn        `json:"signIn,omitempty"` // of a server that wants a sign-in
	Can         *Can                 `json:"can,omitempty"`    // of a new server with tools
	Made        *control.Made        `json:"made,omitempty"`   // of a new server that runs here
}

// PartDetail is one part: what was last allowed, and what is declared now.
type PartDetail struct {
	Item       string            `json:"item"`
	Kind       string            `json:"kind"` // tool, instructions, prompt, resource-template, resource, skill, launch, entry, setting, store
	Name       string            `json:"name"` // server text
	State      vocab.PartState   `json:"state"`
	Digest     string            `json:"digest"`
	Findings   []inspect.Finding `json:"findings"`
	Passages   [][]int           `json:"passages"`       // as in Review
	Definition string            `json:"definition"`     // server text: indented JSON, "" if it is gone
	Approved   string            `json:"approved"`       // server text: indented JSON of what was last allowed, "" if it is new
	Text       string            `json:"text,omitempty"` // server text: of a skill, what it tells Claude
	Changes    []pin.Change      `json:"changes"`
	Does       *Does             `json:"does,omitempty"` // of a tool that is declared
	Era        string            `json:"era,omitempty"`  // as in control.Part
	// ApprovedEra is the era of Approved, where Era is set.
	ApprovedEra string `json:"approvedEra,omitempty"`
	// Page is what a page (ui://) may do in the client, in our words with hosts quoted; PageOnly means that a tool is offered to pages alone.
	Page     []string `json:"page,omitempty"`
	PageOnly bool     `json:"pageOnly,omitempty"`
}

// Decision is a person's decision about exactly what the page showed. The method that takes it says whether it rejects.
type Decision struct {
	control.Decide
	Nonce string `json:"nonce"`
	Typed string `json:"typed"`
}

// Server is one row of the list: a server that was seen, or a guarded entry of a client's file whose server has not run yet.
type Server struct {
	Server   string            `json:"server"`          // server text
	Shown    string            `json:"shown,omitempty"` // see control.Server
	Identity string            `json:"identity"`        // "" if it has not run yet: then it has no page
	Remote   bool              `json:"remote"`          // it is reached at an address: no program of it runs here
	Light    control.Light     `json:"light"`
	Held     int               `json:"held"`    // pending responses
	Entries  []Entry           `json:"entries"` // of clients' files that start it
	State    vocab.ServerState `json:"state"`   // new, open, blocked, no_common_version
	Wrappers int               `json:"wrappers"`
	Allowed  int               `json:"allowed"` // tools
	Blocked  int               `json:"blocked"` // tools
	Code     string            `json:"code"`    // of its pending item
	Findings []inspect.Finding `json:"findings"`
	Passages [][]int           `json:"passages"` // as in Review
	LastSeen string            `json:"lastSeen"` // "" if never
	Sandbox  vocab.Sandbox     `json:"sandbox"`  // off, shield, strict, none: remote
	RunsIn   []vocab.Sandbox   `json:"runsUnder"`
	Parts    int               `json:"parts"`             // pinned things, all kinds
	Problem  *control.Problem  `json:"problem,omitempty"` // why it can't be used, if no item says so
}

// Entry is a guarded entry of a client's file.
type Entry struct {
	Client  string `json:"client"` // shown name
	Path    string `json:"path"`
	Name    string `json:"name"`    // server text
	Started bool   `json:"started"` // since it was last written
}

// ServerDetail is one whole server.
type ServerDetail struct {
	Server
	Command []string     `json:"command"`    // server text; secrets masked
	URL     string       `json:"url"`        // server text
	Info    string       `json:"serverInfo"` // server text: indented JSON
	Items   []ServerItem `json:"items"`
	Waiting []Item       `json:"waiting"`
}

// ServerItem is one pinned thing of a server in its current state.
type ServerItem struct {
	Item       string            `json:"item"`
	Kind       string            `json:"kind"`
	Name       string            `json:"name"` // server text
	State      vocab.PartState   `json:"state"`
	Digest     string            `json:"digest"`
	ApprovedBy string            `json:"approvedBy"`
	ApprovedAt string            `json:"approvedAt"` // RFC 3339, "" if nobody allowed it
	Code       string            `json:"code"`       // of its inbox item
	Definition string            `json:"definition"` // server text: indented JSON
	Findings   []inspect.Finding `json:"findings"`
	Passages   [][]int           `json:"passages"`      // as in Review
	Era        string            `json:"era,omitempty"` // as in control.Part
	Tokens     int               `json:"tokens"`        // of a tool: what its definition costs in every conversation, about
	ReadOnly   bool              `json:"readOnly"`      // of a tool: it claims to change nothing
}

// Activity is part of the timeline, newest first.
type Activity struct {
	Items []Record `json:"items"`
}

// Record is one row of the timeline. Only a record that is asked for by its id has its detail.
type Record struct {
	control.Record
	Shown string `json:"shown"` // how Server is shown
	Named string `json:"named"` // server text: what a read names, "" for other records
	Check string `json:"check"` // the check that it is about, "" for none
}

// Setting is one setting and the value in force.
type Setting struct {
	control.Setting
	Values  string   `json:"values"`  // the allowed values, in words
	Choices []string `json:"choices"` // if the values are a short list
	Safer   string   `json:"safer"`   // which way is safer, in words
	Scope   string   `json:"scope"`   // global, server, tool
	Window  bool     `json:"window"`  // set in the window only
	// LessSafe: the value in force is less safe than the default.
	LessSafe bool `json:"lessSafe"`
}

// ToolSetting is a setting that a tool has of its own.
type ToolSetting struct {
	Setting
	Tool string `json:"tool"` // server text
}

// SetSetting sets one value; "" resets it. Nonce is from ConfirmLoosening if the value loosens.
type SetSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Server string `json:"server"`
	Tool   string `json:"tool"` // of the server, "" for all of it
	Nonce  string `json:"nonce"`
}

// Confirm is the question before something is loosened.
type Confirm struct {
	Nonce      string `json:"nonce"`
	Words      string `json:"words"` // what stops being checked, in words
	ArmAfterMs int    `json:"armAfterMs"`
}
