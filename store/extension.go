package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"
)

// Extension is a desktop extension as a person accepted it.
type Extension struct {
	Folder   string    `json:"folder"`
	Version  string    `json:"version,omitempty"` // as its manifest claims
	Runs     string    `json:"runs,omitempty"`    // secrets masked
	Manifest string    `json:"manifest"`          // SHA-256 of its manifest.json
	Files    string    `json:"files,omitempty"`   // SHA-256 of the list of all its files; "": they couldn't be pinned
	At       time.Time `json:"at"`
}

const extensionPrefix = "extension."

// ExtensionID identifies a desktop extension in records and inbox items.
func ExtensionID(folder string) string {
	sum := sha256.Sum256([]byte(folder))
	return "extension:" + hex.EncodeToString(sum[:16])
}

func extensionKey(folder string) []byte { return []byte(extensionPrefix + ExtensionID(folder)) }

// ExtensionPins are the desktop extensions that were ever accepted, also those that are no longer installed.
type ExtensionPins struct{ tx *Tx }

func Extensions(tx *Tx) ExtensionPins { return ExtensionPins{tx} }

func (p ExtensionPins) Put(e Extension) error {
	if e.Folder == "" {
		return errors.New("a desktop extension without a folder")
	}
	return p.tx.put(bucketMeta, extensionKey(e.Folder), e)
}

// Get is what was accepted in a folder; ErrNotFound if nothing was.
func (p ExtensionPins) Get(folder string) (Extension, error) {
	var e Extension
	err := p.tx.get(bucketMeta, extensionKey(folder), &e)
	return e, err
}

func (p ExtensionPins) All() []Extension {
	return list[Extension](&p.tx.sealed, bucketMeta, []byte(extensionPrefix))
}

// Forget takes an acceptance back.
func (p ExtensionPins) Forget(folder string) error {
	return p.tx.delete(bucketMeta, extensionKey(folder))
}
