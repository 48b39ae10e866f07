package control

import "time"

// Protect asks to put wrappers into a client's configuration file; Unprotect, of the same shape, to take them out. Names
// empty or All: every entry that can be read.
type Protect struct {
	Client string   `json:"client,omitempty"` // "claude-desktop" where empty
	Config string   `json:"config,omitempty"` // absolute path; empty: where the client keeps its file
	Names  []string `json:"names,omitempty"`  // of entries, exactly as they stand in the file
	All    bool     `json:"all,omitempty"`
	DryRun bool     `json:"dry_run,omitempty"` // say what would be done, write nothing
	// Program is the absolute path that entries are to run, as the person called it: a symbolic link that a package manager
	// keeps outlives the file it leads to. It must lead to the hub's own file. Empty: the hub's own path.
	Program string `json:"program,omitempty"`
	// Digest, where it is given, is that of the file a person was shown (Protected.Digest of a dry run): a file that is
	// another one now is answered with CodeStale.
	Digest string `json:"digest,omitempty"`
	// Decided says that a person confirmed it. Unprotect and RestoreBackup loosen: without it they answer CodeLoosens.
	Decided bool `json:"decided,omitempty"`
}

// Protected answers Protect and Unprotect.
type Protected struct {
	Client  string        `json:"client"`
	Path    string        `json:"path"`   // of the file itself: a symbolic link is followed
	Digest  string        `json:"digest"` // of the file as it was found, SHA-256 in hex
	Diff    string        `json:"diff"`   // unified; values of env and secrets in arguments are masked. Empty: nothing to change
	Entries []ClientEntry `json:"entries"`
	Backup  string        `json:"backup,omitempty"` // id of the backup made before writing, empty where nothing was written
	Written bool          `json:"written"`
	Note    string        `json:"note,omitempty"` // a sentence of ours: "nothing to protect"
}

// What became of, or is the matter with, one entry of a client's file.
const (
	EntryGuarded   = "guarded"   // runs through the wrapper that our record says
	EntryWrapped   = "wrapped"   // was wrapped by this call, or would be
	EntryUnwrapped = "unwrapped" // was taken out by this call, or would be
	EntryOpen      = "open"      // not wrapped: left out, taken out, or not looked at yet
	EntryLeft      = "left"      // named by the call, or meant by it, and not changed: Why says why
	EntryFake      = "fake"      // looks wrapped and is not, or its env moves our home
	EntryMissing   = "missing"   // wanted, and not in the file
)

// ClientEntry is one entry of a client's file.
type ClientEntry struct {
	Name  string   `json:"name"`
	State string   `json:"state"`
	Why   string   `json:"why,omitempty"`  // a sentence of ours
	Code  string   `json:"code,omitempty"` // SP-nnn, where a paragraph of docs/problems.md says more
	Runs  []string `json:"runs,omitempty"` // its command, secrets masked; only where a change of the file is previewed
	// Of a guarded entry: the id of the server behind the wrapper, and whether the client has started it since it was written.
	ServerID string `json:"server_id,omitempty"`
	Started  bool   `json:"started,omitempty"`
	Identity string `json:"-"` // of the server behind the wrapper; `servers` has it
}

// CoverageQuery asks what is guarded. Config adds one file that no client is known for; it is read as a file of Client,
// "claude-desktop" where empty.
type CoverageQuery struct {
	Config string `json:"config,omitempty"`
	Client string `json:"client,omitempty"`
}

// Coverage answers `coverage`: "3 of 5 guarded", and why not the others.
type Coverage struct {
	Guarded   int          `json:"guarded"`
	Total     int          `json:"total"`
	Clients   []ClientFile `json:"clients"`
	Unguarded []Unguarded  `json:"unguarded"`
	Unseen    []string     `json:"unseen,omitempty"` // what may be there and cannot be counted: sentences of ours
}

// States of a client's file.
const (
	FileFound      = "found"
	FileAbsent     = "absent"     // the client is not installed, or has no file yet
	FileDenied     = "denied"     // the system does not let us read it
	FileUnseen     = "unseen"     // nobody has asked to look yet: on macOS the system would ask the person
	FileUnreadable = "unreadable" // no valid JSON, or something else that Why says
)

// ClientFile is one client's configuration as far as the hub can see it.
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

// Unguarded is one server that does not run behind the port. Code is a paragraph of docs/problems.md.
type Unguarded struct {
	Client string `json:"client"`
	Name   string `json:"name"`
	Kind   string `json:"kind"` // "entry", "extension", "remote", "policy"
	Why    string `json:"why"`
	Code   string `json:"code"`
	Next   string `json:"next,omitempty"`
	Chosen bool   `json:"chosen,omitempty"` // a person left it out, or took the guard out
}

// Backup is a client's file as it was before we wrote it.
type Backup struct {
	ID     string    `json:"id"`
	Path   string    `json:"path"` // of the file it is a copy of
	Time   time.Time `json:"time"`
	Size   int64     `json:"size"`
	Digest string    `json:"digest"` // SHA-256 in hex
}

// RestoreBackup puts a backup back in the place of its file: a write like any other.
type RestoreBackup struct {
	ID      string `json:"id"`
	DryRun  bool   `json:"dry_run,omitempty"`
	Digest  string `json:"digest,omitempty"`  // as in Protect
	Decided bool   `json:"decided,omitempty"` // as in Protect
}
