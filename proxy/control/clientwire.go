package control

import "time"

// Protect asks to put wrappers into a client's configuration file; Unprotect, of the same shape, to remove them. Without Names, or with
// All, it means every readable entry.
type Protect struct {
	Client  string   `json:"client,omitempty"` // default "claude-desktop"
	Config  string   `json:"config,omitempty"` // absolute path; default: the client's own file
	Names   []string `json:"names,omitempty"`  // names of entries, exactly as in the file
	All     bool     `json:"all,omitempty"`
	Convert string   `json:"convert,omitempty"` // ID of a desktop extension that becomes a new, guarded entry
	Set     []string `json:"set,omitempty"`     // values that the extension asks for, KEY=VALUE; never secrets
	DryRun  bool     `json:"dry_run,omitempty"` // report what would be done without writing
	// Program is the absolute path for entries, as the person called it: a symbolic link maintained by a package manager outlives its
	// target. It must lead to the hub's own file. Default: the hub's own path.
	Program string `json:"program,omitempty"`
	// Digest, if set, is that of the file a person was shown (Protected.Digest of a dry run): if the file has changed, the response is
	// CodeStale.
	Digest string `json:"digest,omitempty"`
	// Add, if set, is a new entry, whose name is the only one in Names.
	Add *NewEntry `json:"add,omitempty"`
	// Decided means that a person confirmed it. Unprotect and RestoreBackup loosen: without it they return CodeLoosens.
	Decided bool `json:"decided,omitempty"`
}

// NewEntry is an entry to be added to a client's file, wrapped: a command, or an address as wrap takes it.
type NewEntry struct {
	Argv      []string `json:"argv,omitempty"`
	URL       string   `json:"url,omitempty"`
	Transport string   `json:"transport,omitempty"` // default "auto"
	Headers   []string `json:"headers,omitempty"`   // "NAME: [WORD ]env:VAR" or "NAME: [WORD ]keychain:NAME"
	Account   string   `json:"account,omitempty"`   // label of the account that is used there
}

// Protected answers Protect and Unprotect.
type Protected struct {
	Client  string        `json:"client"`
	Path    string        `json:"path"`   // of the file itself: a symbolic link is followed
	Digest  string        `json:"digest"` // of the file as found, SHA-256 in hex
	Diff    string        `json:"diff"`   // unified; values of env and secrets in arguments are masked. Empty if there is nothing to change
	Entries []ClientEntry `json:"entries"`
	Backup  string        `json:"backup,omitempty"` // id of the backup made before writing, empty if nothing was written
	Written bool          `json:"written"`
	Note    string        `json:"note,omitempty"` // a sentence of ours: "nothing to protect"
}

// The state of one entry of a client's file, or what was done to it.
const (
	EntryGuarded   = "guarded"   // runs through the wrapper in our record
	EntryWrapped   = "wrapped"   // wrapped by this call, or would be
	EntryUnwrapped = "unwrapped" // unwrapped by this call, or would be
	EntryOpen      = "open"      // not wrapped: left out, unwrapped, or not looked at yet
	EntryLeft      = "left"      // covered by the call but not changed: see Why
	EntryFake      = "fake"      // only looks wrapped, or its env moves our home
	EntryMissing   = "missing"   // wanted, but not in the file
)

// ClientEntry is one entry of a client's file.
type ClientEntry struct {
	Name  string   `json:"name"` // server text
	State string   `json:"state"`
	Why   string   `json:"why,omitempty"`  // a sentence of ours
	Code  string   `json:"code,omitempty"` // SP-nnn, if docs/problems.md explains more
	Runs  []string `json:"runs,omitempty"` // its command, secrets masked; only in a preview of a change
	// For a guarded entry: the id of the server behind the wrapper, and whether the client has started it since it was written.
	ServerID string `json:"server_id,omitempty"`
	Started  bool   `json:"started,omitempty"`
	Identity string `json:"-"` // of the server behind the wrapper; `servers` has it
}

// CoverageQuery asks what is guarded. Config adds a file that belongs to no known client; it is read as a file of Client, default
// "claude-desktop".
type CoverageQuery struct {
	Config string `json:"config,omitempty"`
	Client string `json:"client,omitempty"`
}

// Coverage answers `coverage`: "3 of 5 guarded", and the reasons for the others.
type Coverage struct {
	Guarded   int          `json:"guarded"`
	Total     int          `json:"total"`
	Clients   []ClientFile `json:"clients"`
	Unguarded []Unguarded  `json:"unguarded"`
	Unseen    []string     `json:"unseen,omitempty"` // what may exist but can't be counted: sentences of ours
}

// States of a client's file.
const (
	FileFound      = "found"
	FileAbsent     = "absent"     // the client is not installed, or has no file yet
	FileDenied     = "denied"     // the system denies access
	FileUnseen     = "unseen"     // not checked yet: on macOS the system would ask the person
	FileUnreadable = "unreadable" // invalid JSON, or another reason in Why
)

// ClientFile is one client's configuration as far as the hub can read it.
type ClientFile struct {
	Client  string        `json:"client"` // "claude-desktop"
	Name    string        `json:"name"`   // "Claude Desktop"
	Path    string        `json:"path,omitempty"`
	State   string        `json:"state"`
	Why     string        `json:"why,omitempty"`
	Watched bool          `json:"watched"` // a person protected it
	Guarded int           `json:"guarded"`
	Total   int           `json:"total"`
	Entries []ClientEntry `json:"entries"`
}

// Unguarded is one server that is not guarded. Code is a paragraph of docs/problems.md.
type Unguarded struct {
	Client string `json:"client"`
	Name   string `json:"name"` // server text
	Kind   string `json:"kind"` // "entry", "extension", "remote", "policy"
	Why    string `json:"why"`
	Code   string `json:"code"`
	Next   string `json:"next,omitempty"`
	Chosen bool   `json:"chosen,omitempty"` // a person left it out or removed the guard
}

// Backup is a client's file as it was before we wrote it.
type Backup struct {
	ID     string    `json:"id"`
	Path   string    `json:"path"` // of the file it is a copy of
	Time   time.Time `json:"time" ts_type:"string"`
	Size   int64     `json:"size"`
	Digest string    `json:"digest"` // SHA-256 in hex
}

// RestoreBackup restores a backup to its file.
type RestoreBackup struct {
	ID      string `json:"id"`
	DryRun  bool   `json:"dry_run,omitempty"`
	Digest  string `json:"digest,omitempty"`  // as in Protect
	Decided bool   `json:"decided,omitempty"` // as in Protect
}
