package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Pin is a decision on one definition of one item of one server in one era.
type Pin struct {
	ServerID   string          `json:"server"`
	Item       string          `json:"item"` // pin key: "tool:echo", "instructions"
	Era        string          `json:"era"`
	Digest     string          `json:"digest"`
	Raw        []byte          `json:"raw,omitempty"`  // the decided definition, in the bytes delivered
	Text       string          `json:"text,omitempty"` // of a skill: what it told the model then
	State      vocab.PartState `json:"state"`          // approved or rejected; new, changed and removed follow from comparing it with Seen
	ApprovedBy vocab.By        `json:"approved_by,omitempty"`
	ApprovedAt time.Time       `json:"approved_at,omitzero"`
	RejectedAt time.Time       `json:"rejected_at,omitzero"`
	Code       string          `json:"code,omitempty"` // inbox item of the decision
	// Refused are rejected digests, newest last. They are kept next to an approved Digest when a change was rejected.
	Refused []string `json:"refused,omitempty"`
	// Waits: the approval of Digest was taken back by hand, or because something else wrote the store; the item is pending like a rejected
	// one.
	Waits bool `json:"waits,omitempty"`
	// Unvalidated is the SHA-256 of the output schema that the timeline says does not compile, "" for none.
	Unvalidated string `json:"unvalidated,omitempty"`
}

// Seen is the definition of an item as last declared, to show a pending change next to the approved version.
type Seen struct {
	ServerID string          `json:"server"`
	Item     string          `json:"item"`
	Era      string          `json:"era"`
	Digest   string          `json:"digest"`
	Raw      []byte          `json:"raw,omitempty"`
	Text     string          `json:"text,omitempty"` // of a skill: what it tells the model
	Findings json.RawMessage `json:"findings,omitempty"`
	Removed  bool            `json:"removed,omitempty"` // missing from the last complete listing
	FirstAt  time.Time       `json:"first_at"`
	LastAt   time.Time       `json:"last_at"`
}

// Event is one line of a pin's history.
type Event struct {
	ServerID string       `json:"server"`
	Item     string       `json:"item"`
	Era      string       `json:"era,omitempty"`
	At       time.Time    `json:"at"`
	Action   vocab.Action `json:"action"`
	By       vocab.By     `json:"by,omitempty"`
	Digest   string       `json:"digest,omitempty"`
	Before   string       `json:"before,omitempty"` // the digest before
	Code     string       `json:"code,omitempty"`
}

// PutPin writes a pin, replacing the one for the same server, era and item.
func (tx *Tx) PutPin(p Pin) error { return tx.putItemOf(bucketPins, p.ServerID, p.Era, p.Item, p) }

// DeletePin removes a decision; the item counts as never reviewed.
func (tx *Tx) DeletePin(serverID, era, item string) error {
	return tx.deleteItemOf(bucketPins, serverID, era, item)
}

func (tx *Tx) PutSeen(s Seen) error {
	return tx.putItemOf(bucketSeen, s.ServerID, s.Era, s.Item, s)
}

func (tx *Tx) DeleteSeen(serverID, era, item string) error {
	return tx.deleteItemOf(bucketSeen, serverID, era, item)
}

func (tx *Tx) putItemOf(bucket []byte, serverID, era, item string, value any) error {
	key, err := itemKey(serverID, era, item)
	if err != nil {
		return err
	}
	return tx.put(bucket, key, value)
}

func (tx *Tx) deleteItemOf(bucket []byte, serverID, era, item string) error {
	key, err := itemKey(serverID, era, item)
	if err != nil {
		return err
	}
	return tx.delete(bucket, key)
}

func (tx *Tx) Pin(serverID, era, item string) (Pin, error) {
	var p Pin
	key, err := itemKey(serverID, era, item)
	if err != nil {
		return p, err
	}
	err = tx.get(bucketPins, key, &p)
	return p, err
}

// Pins are the pins of a server with a valid seal. tampered counts the others: they are not returned, so their items are not approved.
func (tx *Tx) Pins(serverID string) (pins []Pin, tampered int, err error) {
	prefix, err := serverPrefix(serverID)
	if err != nil {
		return nil, 0, err
	}
	bad := tx.bad
	pins = list[Pin](&tx.sealed, bucketPins, prefix)
	return pins, tx.bad - bad, nil
}

// Seen are the last declared definitions of a server, in both eras.
func (tx *Tx) Seen(serverID string) ([]Seen, error) {
	prefix, err := serverPrefix(serverID)
	if err != nil {
		return nil, err
	}
	return list[Seen](&tx.sealed, bucketSeen, prefix), nil
}

func (tx *Tx) AddHistory(e Event) error {
	prefix, err := itemKey(e.ServerID, "", e.Item)
	if err != nil {
		return err
	}
	n, err := tx.next(bucketHistory)
	if err != nil {
		return err
	}
	return tx.put(bucketHistory, append(append(prefix, 0), n...), e)
}

// History lists the events of one item of a server, oldest first; item "" means every item of the server.
func (tx *Tx) History(serverID, item string) ([]Event, error) {
	prefix, err := serverPrefix(serverID)
	if item != "" {
		prefix, err = itemKey(serverID, "", item)
		prefix = append(prefix, 0)
	}
	if err != nil {
		return nil, err
	}
	events := list[Event](&tx.sealed, bucketHistory, prefix)
	if item == "" {
		return events, nil
	}
	// A name may be another's prefix up to a zero byte, so the key's prefix alone does not decide.
	return slices.DeleteFunc(events, func(e Event) bool { return e.Item != item }), nil
}

// itemKey orders pins by server, era and item. The item comes last because a name may hold any byte, including zero; a name too long for a
// bbolt key is replaced by its hash.
func itemKey(serverID, era, item string) ([]byte, error) {
	prefix, err := serverPrefix(serverID)
	if err != nil {
		return nil, err
	}
	if strings.ContainsRune(era, 0) {
		return nil, fmt.Errorf("era %q of a pin is not a name", era)
	}
	var key bytes.Buffer
	key.Write(prefix)
	key.WriteString(era)
	key.WriteByte(0)
	if len(item) > 1024 {
		sum := sha256.Sum256([]byte(item))
		key.WriteByte('h')
		key.Write(sum[:])
	} else {
		key.WriteByte('n')
		key.WriteString(item)
	}
	return key.Bytes(), nil
}

func serverPrefix(serverID string) ([]byte, error) {
	if serverID == "" || len(serverID) > 256 || strings.ContainsRune(serverID, 0) {
		return nil, fmt.Errorf("server id %.80q is not an id", serverID)
	}
	return append([]byte(serverID), 0), nil
}
