package desktop

import "github.com/sallyport/sallyport/proxy/vocab"

// What the page is told. Times are RFC 3339, definitions are texts: nothing crosses that a page would have to parse as code
// or guess at. Texts of servers cross as they are and are shown by the page in its paper boxes only.

// Overview is everything that every screen shows. It is cheap, and asked for at every "changed".
type Overview struct {
	Version        string    `json:"version"`
	Home           string    `json:"home"`
	Theme          string    `json:"theme"` // light, dark, system
	Light          Light     `json:"light"` // of all; the icon's too
	Guarded        int       `json:"guarded"`
	Total          int       `json:"total"`
	Waiting        Waiting   `json:"waiting"`
	Problems       []Problem `json:"problems"`
	Unseen         []Unseen  `json:"unseen"` // what is allowed and a client has not seen yet
	ServersRunning int       `json:"serversRunning"`
	FirstRun       bool      `json:"firstRun"`      // nothing is protected yet
	Notifications  string    `json:"notifications"` // why there are none, "" where they work
	Tray           string    `json:"tray"`          // why there is none, "" where it works
	StoreOK        bool      `json:"storeOK"`
	TrayTold       bool      `json:"trayTold"` // it was said that the program lives on when the window is closed
	Quitting       string    `json:"quitting"` // the nonce of the question whether to quit; "" while nobody asked for it
}

// Light is how a server is, or all of them: app's one answer, in its words. The page shows it and computes none.
type Light struct {
	Colour string `json:"colour"` // grey, green, amber, red
	State  string `json:"state"`
	Words  string `json:"words"`
	Next   string `json:"next"` // what a person can do, "" where there is nothing
}

// Waiting counts what waits, by severity.
type Waiting struct {
	Critical int `json:"critical"`
	High     int `json:"high"`
	Review   int `json:"review"`
}

// Unguarded is one server that does not run behind the port.
type Unguarded struct {
	Client string `json:"client"`
	Name   string `json:"name"`
	Kind   string `json:"kind"` // entry, remote, extension, policy, file
	Why    string `json:"why"`
	Code   string `json:"code"`
	Next   string `json:"next"`
	Light  Light  `json:"light"`
}

// Unseen is what a client does not know to be allowed.
type Unseen struct {
	Client   string `json:"client"` // as people know it
	Server   string `json:"server"`
	Identity string `json:"identity"`
	Next     string `json:"next"` // what helps, such as "restart Claude Desktop"
	Code     string `json:"code"`
}

// Problem is something wrong with the installation.
type Problem struct {
	Code string `json:"code"`
	What string `json:"what"`
	Next string `json:"next"`
}

// Finding is one thing that was seen in a text; start and end are bytes of it.
type Finding struct {
	Rule      string   `json:"rule"`
	Level     string   `json:"level"` // critical, high, medium, low
	Category  string   `json:"category"`
	Title     string   `json:"title"`
	Where     string   `json:"where"`
	Start     int      `json:"start"`
	End       int      `json:"end"`
	Match     string   `json:"match"`
	Decoded   string   `json:"decoded"`
	Encodings []string `json:"encodings"`
}

// Part is one pinned thing of an item.
type Part struct {
	Item     string    `json:"item"`
	State    string    `json:"state"`
	Findings []Finding `json:"findings"`
	Passages [][]int   `json:"passages"` // places in Findings that are one warning to a person, the gravest first
}

// Item is one row of the inbox.
type Item struct {
	Code      string `json:"code"`
	Kind      string `json:"kind"`
	Server    string `json:"server"`
	Shown     string `json:"shown,omitempty"` // see control.Server
	Identity  string `json:"identity"`
	Severity  string `json:"severity"` // critical, high, review
	Title     string `json:"title"`
	Digest    string `json:"digest"`
	Created   string `json:"created"`
	Asked     bool   `json:"asked"`
	Noisy     bool   `json:"noisy"`
	Runs      bool   `json:"runs"`   // of what waits over a launch: the server runs meanwhile
	Launch    string `json:"launch"` // of what waits over a launch: surroundings, program or loader
	Clean     bool   `json:"clean"`  // a new server without warnings: it can be allowed together with others
	Parts     []Part `json:"parts"`
	Warnings  int    `json:"warnings"`  // passages of all of it
	Decided   string `json:"decided"`   // "", approved, rejected, withdrawn
	DecidedAt string `json:"decidedAt"` // "" while it waits
	Path      string `json:"path"`      // of a client's file, for what is about one
	// Of held responses: how many are in it, when the first and the last of them came, the codes of the newest, and a name of the item
	// that stays while its code goes on to the newest response.
	Count int      `json:"count"`
	First string   `json:"first"`
	Last  string   `json:"last"`
	Codes []string `json:"codes"`
	Group string   `json:"group"`
	// Why they are held (threat, limit, provider), by which rule, and whether their tool is allowed, so that it can be blocked.
	Why     string `json:"why"`
	Rule    string `json:"rule"`
	Allowed bool   `json:"allowed"`
}

// Review is an item whole, with what binds a decision to this look at it.
type Review struct {
	Item
	Nonce       string       `json:"nonce"` // "" where nothing can be decided
	ArmAfterMs  int          `json:"armAfterMs"`
	Command     []string     `json:"command"`
	URL         string       `json:"url"`
	Before      *EntryBefore `json:"before,omitempty"`
	ServerInfo  string       `json:"serverInfo"`
	Findings    []Finding    `json:"findings"`
	Passages    [][]int      `json:"passages"` // see Part
	Details     []PartDetail `json:"details"`
	Diff        string       `json:"diff"`
	Sandbox     string       `json:"sandbox"`
	LookedUnder string       `json:"lookedUnder"`
	Next        string       `json:"next"`
	TypedWord   string       `json:"typedWord"` // to be typed to allow; "" unless Critical
	Stale       bool         `json:"stale"`     // it does not wait as it is shown
	Held        *Held        `json:"held,omitempty"`
	Can         *Can         `json:"can,omitempty"`  // of a new server with tools
	Made        *Made        `json:"made,omitempty"` // of a new server that runs here
}

// EntryBefore is what ran under the name of a new server before.
type EntryBefore struct {
	Identity string   `json:"identity"`
	State    string   `json:"state"`
	Command  []string `json:"command"`
	URL      string   `json:"url"`
}

// PartDetail is one part with what was last allowed beside what is there now.
type PartDetail struct {
	Item       string    `json:"item"`
	Kind       string    `json:"kind"`
	Name       string    `json:"name"`
	State      string    `json:"state"`
	Digest     string    `json:"digest"`
	Findings   []Finding `json:"findings"`
	Passages   [][]int   `json:"passages"`   // see Part
	Definition string    `json:"definition"` // pretty JSON, "" for a removed one
	Approved   string    `json:"approved"`   // pretty JSON, "" for a new one
	Changes    []Change  `json:"changes"`
	Does       *Does     `json:"does,omitempty"` // of a tool that is declared
}

// Change is one difference in words and in pieces.
type Change struct {
	Path   string    `json:"path"`
	Op     string    `json:"op"` // added, removed, changed
	Words  string    `json:"words"`
	Before string    `json:"before"`
	After  string    `json:"after"`
	Text   []Segment `json:"text"`
}

// Segment is a run of words that is equal, deleted or inserted.
type Segment struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

// Decision is what a person said, over exactly what the page showed.
type Decision struct {
	Code   string   `json:"code"`
	Digest string   `json:"digest"`
	Nonce  string   `json:"nonce"`
	Items  []string `json:"items"`
	All    bool     `json:"all"`
	Typed  string   `json:"typed"`
	Reason string   `json:"reason"` // why, in the person's own words, or ""
}

// Decided is what became of it.
type Decided struct {
	Code     string   `json:"code"`
	Server   string   `json:"server"`
	Approved []string `json:"approved"`
	Rejected []string `json:"rejected"`
	Left     []string `json:"left"`
	Next     string   `json:"next"`
}

// Server is one row of the servers: one that was seen, or a guarded entry of a client's file whose server has not run yet.
type Server struct {
	Server   string    `json:"server"`
	Shown    string    `json:"shown,omitempty"` // see control.Server
	Identity string    `json:"identity"`        // "" of one that has not run yet: it has no page
	Light    Light     `json:"light"`
	Held     int       `json:"held"`    // responses that wait for a decision
	Entries  []Entry   `json:"entries"` // of clients' files that start it
	State    string    `json:"state"`   // new, open, blocked, no_common_version
	Wrappers int       `json:"wrappers"`
	Allowed  int       `json:"allowed"`
	Blocked  int       `json:"blocked"`
	Code     string    `json:"code"`
	Findings []Finding `json:"findings"`
	Passages [][]int   `json:"passages"` // see Part
	LastSeen string    `json:"lastSeen"`
	Sandbox  string    `json:"sandbox"`
	RunsIn   []string  `json:"runsUnder"`
	Parts    int       `json:"parts"`             // pinned things, all kinds
	Problem  *Problem  `json:"problem,omitempty"` // why nothing of it can be used, where no item says so
}

// Entry is a guarded entry of a client's file.
type Entry struct {
	Client  string `json:"client"` // its name, for people
	Path    string `json:"path"`
	Name    string `json:"name"`
	Started bool   `json:"started"` // since it was last written
}

// ServerDetail is one server whole.
type ServerDetail struct {
	Server
	Command []string     `json:"command"` // what it runs, secrets masked
	URL     string       `json:"url"`
	Info    string       `json:"serverInfo"`
	Items   []ServerItem `json:"items"`
	Waiting []Item       `json:"waiting"`
}

// ServerItem is one pinned thing of a server as it stands.
type ServerItem struct {
	Item       string    `json:"item"`
	Kind       string    `json:"kind"`
	Name       string    `json:"name"`
	State      string    `json:"state"`
	Digest     string    `json:"digest"`
	ApprovedBy string    `json:"approvedBy"`
	ApprovedAt string    `json:"approvedAt"`
	Code       string    `json:"code"` // of the inbox item it waits in
	Definition string    `json:"definition"`
	Findings   []Finding `json:"findings"`
	Passages   [][]int   `json:"passages"` // see Part
}

// Blocked is what was taken back.
type Blocked struct {
	Server string   `json:"server"`
	Items  []string `json:"items"`
	Code   string   `json:"code"`
}

// ActivityQuery asks for part of the timeline. Since is RFC 3339 or ""; before and after are ids of records: only older ones,
// only later ones. Kind and status may be lists with commas; text is looked for in server, tool, code and summary.
type ActivityQuery struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Text   string `json:"text"`
	Since  string `json:"since"`
	Before string `json:"before"`
	After  string `json:"after"`
	Limit  int    `json:"limit"`
}

// Activity is that part, newest first.
type Activity struct {
	Items []Record `json:"items"`
}

// Record is one row of the timeline.
type Record struct {
	ID         string           `json:"id"`
	Time       string           `json:"time"`
	Kind       vocab.RecordKind `json:"kind"`
	Status     vocab.Status     `json:"status"`
	Server     string           `json:"server"`
	Shown      string           `json:"shown"` // how Server is shown
	Tool       string           `json:"tool"`
	Named      string           `json:"named"` // what a read names: a URI, a prompt; "" for other records
	Code       string           `json:"code"`
	Mode       string           `json:"mode"`
	Summary    string           `json:"summary"`
	Client     string           `json:"client"`
	DurationUS int64            `json:"durationUs"`
	Bytes      int64            `json:"bytes"`
}

// ActivityRecord is one record whole.
type ActivityRecord struct {
	Record
	Detail  string `json:"detail"` // pretty JSON
	Session string `json:"session"`
	Request string `json:"request"`
	Prev    string `json:"prev"`
	Hash    string `json:"hash"`
}

// Setting is one row of the table with what is in force.
type Setting struct {
	Key     string   `json:"key"`
	Value   string   `json:"value"`
	Default string   `json:"default"`
	From    string   `json:"from"` // default, settings, server
	Doc     string   `json:"doc"`
	Values  string   `json:"values"`  // what is allowed, in words
	Choices []string `json:"choices"` // where the values are a short list
	Safer   string   `json:"safer"`   // which way is safer, in words
	Scope   string   `json:"scope"`   // global, server, tool
	Window  bool     `json:"window"`  // set in the window only
	// LessSafe: what is in force is less safe than the default.
	LessSafe bool `json:"lessSafe"`
}

// SetSetting sets one value; "" takes it out again. Nonce is that of confirmLoosening, where the value loosens.
type SetSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Server string `json:"server"`
	Nonce  string `json:"nonce"`
}

// Confirm is what a person is asked before something is loosened.
type Confirm struct {
	Nonce      string `json:"nonce"`
	Words      string `json:"words"`
	ArmAfterMs int    `json:"armAfterMs"`
}
