package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Held is the metadata of a held response; its text is stored separately (HeldText) and bound by Text.
type Held struct {
	Code     string          `json:"code"` // of its inbox item
	ID       string          `json:"id"`   // from the wrapper, to recognise a repeated report
	ServerID string          `json:"server_id"`
	Client   string          `json:"client,omitempty"`
	Session  string          `json:"session,omitempty"`
	Era      string          `json:"era,omitempty"`
	Method   string          `json:"method"`
	Item     string          `json:"item,omitempty"`
	Name     string          `json:"name,omitempty"`
	Same     string          `json:"same,omitempty"`  // of the request, unkeyed; only earlier versions wrote it
	Keyed    string          `json:"keyed,omitempty"` // the same under a key of this home, so that arguments cannot be guessed from it
	Error    bool            `json:"error,omitempty"`
	Why      vocab.HeldWhy   `json:"why"`
	Score    float64         `json:"score,omitempty"`
	Checks   json.RawMessage `json:"checks,omitempty"`
	RuleSet  string          `json:"rule_set,omitempty"`
	Levels   json.RawMessage `json:"levels,omitempty"` // the most serious level found by each rule
	Time     time.Time       `json:"time"`             // when it came, according to the wrapper
	Stored   time.Time       `json:"stored"`
	Bytes    int64           `json:"bytes"`          // of the response
	Text     string          `json:"text,omitempty"` // SHA-256 of the stored text, in hex; "" if it is no longer stored
	Kept     int64           `json:"kept,omitempty"` // bytes stored

	State     vocab.HeldState `json:"state"`
	Decided   time.Time       `json:"decided,omitzero"` // last decision by a person
	Until     time.Time       `json:"until,omitzero"`   // of a release
	Without   bool            `json:"without,omitempty"`
	Takers    []string        `json:"takers,omitempty"` // wrappers it was granted to that have not confirmed the delivery; the last one has it now
	Taken     time.Time       `json:"taken,omitzero"`
	Delivered time.Time       `json:"delivered,omitzero"`
	Unsure    bool            `json:"unsure,omitempty"`  // it may have been delivered
	AskedAt   time.Time       `json:"asked_at,omitzero"` // when it was moved to the top of the inbox
	Asked     bool            `json:"asked,omitempty"`   // by a model
}

// HeldText is the part of a held response that is kept until a person decides.
type HeldText struct {
	Params   []byte
	Answer   []byte
	Findings json.RawMessage
	Guards   json.RawMessage // verdicts of guardrail providers, with their reasons; nil for none
}

// Encode writes a text as it is stored: each part after its length. A response of 64 MiB is not nested in JSON again.
func (t HeldText) Encode() (stored []byte, sum string) {
	parts := [][]byte{t.Params, t.Answer, t.Findings}
	if len(t.Guards) > 0 { // earlier versions have three parts, and read no further
		parts = append(parts, t.Guards)
	}
	size := 0
	for _, p := range parts {
		size += 8 + len(p)
	}
	stored = make([]byte, 0, size)
	for _, p := range parts {
		stored = binary.BigEndian.AppendUint64(stored, uint64(len(p)))
		stored = append(stored, p...)
	}
	hash := sha256.Sum256(stored)
	return stored, hex.EncodeToString(hash[:])
}

func decodeHeldText(stored []byte) (t HeldText, err error) {
	for i, part := range []*[]byte{&t.Params, &t.Answer, (*[]byte)(&t.Findings), (*[]byte)(&t.Guards)} {
		if i == 3 && len(stored) == 0 {
			break
		}
		if len(stored) < 8 {
			return t, ErrSeal
		}
		n := binary.BigEndian.Uint64(stored)
		if stored = stored[8:]; n > uint64(len(stored)) {
			return t, ErrSeal
		}
		*part, stored = bytes.Clone(stored[:n]), stored[n:]
	}
	return t, nil
}

// PutHeld writes the metadata of a held response. If it says that nothing is stored any more, it deletes the text.
func (tx *Tx) PutHeld(h Held) error {
	key, err := codeKey(h.Code)
	if err != nil {
		return err
	}
	if h.Text == "" {
		if err := tx.delete(bucketHeldText, key); err != nil {
			return err
		}
	}
	return tx.put(bucketHeld, key, h)
}

// PutHeldText writes the text of a held response as encoded by HeldText.Encode; PutHeld must store its sum in the same transaction.
func (tx *Tx) PutHeldText(code string, stored []byte) error {
	defer marked()
	if err := tx.bucket(bucketHeldText).Put([]byte(code), stored); err != nil {
		return fmt.Errorf("store %s: %w", bucketHeldText, err)
	}
	return nil
}

// PutHeldItem writes the item of a held response, once, as it was when it was held. Held has what happened since.
func (tx *Tx) PutHeldItem(it Item) error {
	key, err := codeKey(it.Code)
	if err != nil {
		return err
	}
	return tx.put(bucketHeldItem, key, it)
}

// Held is one held response; ErrNotFound, or ErrSeal if something else wrote it.
func (tx *Tx) Held(code string) (Held, error) {
	var h Held
	err := tx.get(bucketHeld, []byte(code), &h)
	return h, err
}

// AllHeld are all held responses with a valid seal, by code.
func (tx *Tx) AllHeld() []Held { return list[Held](&tx.sealed, bucketHeld, nil) }

// HeldText is the text of a held response; ErrNotFound if it is no longer stored, ErrSeal if it was changed.
func (tx *Tx) HeldText(h Held) (HeldText, error) {
	defer marked()
	stored := tx.bucket(bucketHeldText).Get([]byte(h.Code))
	if h.Text == "" || stored == nil {
		return HeldText{}, fmt.Errorf("text of %.80q: %w", h.Code, ErrNotFound)
	}
	sum := sha256.Sum256(stored)
	if hex.EncodeToString(sum[:]) != h.Text {
		return HeldText{}, fmt.Errorf("text of %.80q: %w", h.Code, ErrSeal)
	}
	t, err := decodeHeldText(stored)
	if err != nil {
		return HeldText{}, fmt.Errorf("text of %.80q: %w", h.Code, err)
	}
	return t, nil
}

// SweepHeld deletes texts and items without a record: Reseal removed it, or something else wrote them.
func (tx *Tx) SweepHeld() (n int, err error) {
	defer marked()
	for _, bucket := range [][]byte{bucketHeldText, bucketHeldItem} {
		var strays [][]byte
		c := tx.bucket(bucket).Cursor()
		for k, _ := c.First(); k != nil; k, _ = c.Next() {
			if h, err := tx.Held(string(k)); err != nil || h.Text == "" && &bucket[0] == &bucketHeldText[0] {
				strays = append(strays, bytes.Clone(k))
			}
		}
		for _, key := range strays {
			if err := tx.delete(bucket, key); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

// ForgetHeld deletes everything about a held response, so that its code can be reused.
func (tx *Tx) ForgetHeld(code string) error {
	key := []byte(code)
	for _, bucket := range [][]byte{bucketHeldText, bucketHeldItem, bucketHeld} {
		if err := tx.delete(bucket, key); err != nil {
			return err
		}
	}
	return nil
}

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
	key, err := codeKey(e.ID)
	if err != nil {
		return err
	}
	return tx.put(bucketExcepted, key, e)
}

// Exceptions are all exceptions with a valid seal, oldest first (their ids sort by time).
func (tx *Tx) Exceptions() []Exception {
	return list[Exception](&tx.sealed, bucketExcepted, nil)
}

func (tx *Tx) DeleteException(id string) error {
	return tx.delete(bucketExcepted, []byte(id))
}
