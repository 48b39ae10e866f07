package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// What a person wants for one entry of a client's file.
const (
	WantWrapped = "wrapped"
	WantOpen    = "open" // left unguarded, for good
)

// ClientFile is the wanted state of one client's configuration file. It never holds values of env: the copy used to restore a missing entry
// is a private file next to the store, which Whole names by its keyed hash.
type ClientFile struct {
	Path    string        `json:"path"` // as it was protected; a symbolic link is followed each time
	Client  string        `json:"client"`
	Program string        `json:"program"` // what wrapped entries run
	Since   time.Time     `json:"since"`
	Entries []ClientEntry `json:"entries"`
	Whole   string        `json:"whole,omitempty"`
	Pending *PendingWrite `json:"pending,omitempty"`
}

// ClientEntry is the wanted state of one entry.
type ClientEntry struct {
	Name string `json:"name"`
	Want string `json:"want"`
	// Record holds a wrapped entry's original command and arguments, in the file's own spelling, and what was written instead; an open one
	// has none.
	Record   json.RawMessage `json:"record,omitempty"`
	EnvNames []string        `json:"env_names,omitempty"`
}

// PendingWrite is a change of the file in progress: it is durable before the file is written and removed afterwards. A hub that finds one
// checks the file to see which of the two states it is in.
type PendingWrite struct {
	From    string        `json:"from"`    // SHA-256 of the file before
	To      string        `json:"to"`      // SHA-256 afterwards
	Entries []ClientEntry `json:"entries"` // the wanted state once the file is written
	Whole   string        `json:"whole"`
	Program string        `json:"program"`
	Why     string        `json:"why"`            // "protect", "unprotect", "put back", "new entry", "restore"
	Code    string        `json:"code,omitempty"` // of the decided inbox item
	Ends    bool          `json:"ends,omitempty"` // the file will no longer be protected
	At      time.Time     `json:"at"`
}

const clientPrefix = "client."

// ClientFileID identifies a client's file in records and inbox items.
func ClientFileID(path string) string {
	sum := sha256.Sum256([]byte(path))
	return "file:" + hex.EncodeToString(sum[:16])
}

func clientKey(path string) []byte { return []byte(clientPrefix + ClientFileID(path)) }

func (tx *Tx) PutClientFile(f ClientFile) error {
	if f.Path == "" {
		return fmt.Errorf("a client's file without a path")
	}
	return tx.put(bucketMeta, clientKey(f.Path), f)
}

// ClientFile is the wanted state of one file; ErrNotFound if it isn't protected.
func (tx *Tx) ClientFile(path string) (ClientFile, error) {
	var f ClientFile
	err := tx.get(bucketMeta, clientKey(path), &f)
	return f, err
}

// ClientFiles are all protected files.
func (tx *Tx) ClientFiles() []ClientFile {
	return list[ClientFile](&tx.sealed, bucketMeta, []byte(clientPrefix))
}

// DeleteClientFile ends the protection of a file.
func (tx *Tx) DeleteClientFile(path string) error {
	return tx.delete(bucketMeta, clientKey(path))
}
