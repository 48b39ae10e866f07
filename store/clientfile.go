package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// What a person wants of one entry of a client's file.
const (
	WantWrapped = "wrapped"
	WantOpen    = "open" // left out, or taken out: it stays so
)

// ClientFile is the wanted state of one client's configuration file. Values of env are never in it: what an entry that is
// gone is put back from is a private file beside the store, which Whole names by its keyed hash.
type ClientFile struct {
	Path    string        `json:"path"` // as it was protected; a symbolic link is followed at each look
	Client  string        `json:"client"`
	Program string        `json:"program"` // what wrapped entries run
	Since   time.Time     `json:"since"`
	Entries []ClientEntry `json:"entries"`
	Whole   string        `json:"whole,omitempty"`
	Pending *PendingWrite `json:"pending,omitempty"`
}

// ClientEntry is one entry as a person wants it.
type ClientEntry struct {
	Name string `json:"name"`
	Want string `json:"want"`
	// Record is, of a wrapped entry, what command and arguments were, in the file's own spelling, and what was written in
	// their place; of an open one nothing.
	Record   json.RawMessage `json:"record,omitempty"`
	EnvNames []string        `json:"env_names,omitempty"`
}

// PendingWrite is a change of the file that was begun: it is durable before the file is written and taken away after. A hub
// that finds one looks at the file to know which of the two states holds.
type PendingWrite struct {
	From    string        `json:"from"`    // SHA-256 of the file before
	To      string        `json:"to"`      // and after
	Entries []ClientEntry `json:"entries"` // the wanted state once the file is written
	Whole   string        `json:"whole"`
	Program string        `json:"program"`
	Why     string        `json:"why"`            // "protect", "unprotect", "put back", "new entry", "restore"
	Code    string        `json:"code,omitempty"` // of the inbox item that was decided
	Ends    bool          `json:"ends,omitempty"` // nothing of the file is wanted any more
	At      time.Time     `json:"at"`
}

const clientPrefix = "client."

// ClientFileID names a client's file in records and inbox items.
func ClientFileID(path string) string {
	sum := sha256.Sum256([]byte(path))
	return "file:" + hex.EncodeToString(sum[:16])
}

func clientKey(path string) []byte { return []byte(clientPrefix + ClientFileID(path)) }

// PutClientFile writes the wanted state of a file whole.
func (tx *Tx) PutClientFile(f ClientFile) error {
	if f.Path == "" {
		return fmt.Errorf("a client's file without a path")
	}
	tx.rolled = true
	return tx.put(bucketMeta, clientKey(f.Path), f)
}

// ClientFile is the wanted state of one file; ErrNotFound where nobody protected it.
func (tx *Tx) ClientFile(path string) (ClientFile, error) {
	var f ClientFile
	err := tx.get(bucketMeta, clientKey(path), &f)
	return f, err
}

// ClientFiles are all files that somebody protected.
func (tx *Tx) ClientFiles() ([]ClientFile, error) {
	return list[ClientFile](&tx.sealed, bucketMeta, []byte(clientPrefix))
}

// DeleteClientFile ends the watch over a file.
func (tx *Tx) DeleteClientFile(path string) error {
	tx.rolled = true
	return tx.delete(bucketMeta, clientKey(path))
}

// KeyedHash is a hash that nobody without this home's key can try guesses against: what it is over may be a password. Label
// keeps hashes of different things apart.
func (s *Store) KeyedHash(label string, parts ...[]byte) string {
	var whole bytes.Buffer
	for _, p := range parts {
		fmt.Fprintf(&whole, "%d:", len(p))
		whole.Write(p)
	}
	return hex.EncodeToString(seal(s.key, []byte("keyed-hash"), []byte(label), whole.Bytes()))
}
