package store

import (
	"fmt"
	"time"
)

// Exception lets one rule pass in the responses of one item of one server, up to a level, until a time.
type Exception struct {
	ID       string    `json:"id"`
	Rule     string    `json:"rule"`
	ServerID string    `json:"server_id"`
	Item     string    `json:"item,omitempty"` // pin key, "" for responses that belong to no item
	Level    string    `json:"level"`
	Created  time.Time `json:"created"`
	Until    time.Time `json:"until"`
	Code     string    `json:"code"` // of the held response it was made for
	Used     int       `json:"used,omitempty"`
	Ended    time.Time `json:"ended,omitzero"` // by a person, or replaced by a newer one
}

func (tx *Tx) PutException(e Exception) error {
	if e.ID == "" || len(e.ID) > 64 {
		return fmt.Errorf("exception: %.80q is not an id", e.ID)
	}
	tx.rolled = true
	return tx.put(bucketExcepted, []byte(e.ID), e)
}

// Exceptions are all exceptions with a valid seal, oldest first (their ids sort by time).
func (tx *Tx) Exceptions() []Exception {
	return list[Exception](&tx.sealed, bucketExcepted, nil)
}

func (tx *Tx) DeleteException(id string) error {
	tx.rolled = true
	return tx.delete(bucketExcepted, []byte(id))
}
