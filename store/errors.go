package store

import (
	"errors"

	"github.com/sallyport/sallyport/proxy/disk"
)

// Errors that callers decide on. For all of them nothing unapproved passes.
var (
	// ErrLocked: another process owns the store.
	ErrLocked = errors.New("another Sallyport has it")
	// ErrCorrupt: the file can't be read as a store. Keep it with SetAside, never delete it.
	ErrCorrupt = errors.New("the store is damaged")
	// ErrMissing: the folder has a seal key or a note of a lost store, but no store, so it is not a new home.
	ErrMissing = errors.New("the store is missing beside its seal key")
	// ErrSeal: a record, or the whole store, is not sealed with this key.
	ErrSeal     = errors.New("the seal does not hold")
	ErrNotFound = errors.New("not found")
	// ErrFolder: the data folder or a file in it is not ours alone.
	ErrFolder = disk.ErrNotOurs
	// ErrNewer: the store was written by a later version.
	ErrNewer  = errors.New("the store was written by a newer Sallyport")
	ErrClosed = errors.New("the store is closed")
)
