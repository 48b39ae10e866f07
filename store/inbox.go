package store

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Item is one entry of the inbox, pending or decided.
type Item struct {
	Code      string          `json:"code"`
	Kind      vocab.ItemKind  `json:"kind"`
	ServerID  string          `json:"server_id,omitempty"`
	Severity  vocab.Severity  `json:"severity"`
	Title     string          `json:"title"`
	Digest    string          `json:"digest"`
	Era       string          `json:"era,omitempty"`
	Created   time.Time       `json:"created"`
	Updated   time.Time       `json:"updated,omitzero"`
	Parts     []Part          `json:"parts,omitempty"`
	Findings  json.RawMessage `json:"findings,omitempty"` // about the server as a whole
	Clients   []string        `json:"clients,omitempty"`  // clients whose wrappers wait for it
	Asked     bool            `json:"asked,omitempty"`
	AskedAt   time.Time       `json:"asked_at,omitzero"`
	Noisy     bool            `json:"noisy,omitempty"`
	Decided   vocab.Decision  `json:"decided,omitempty"` // "" is pending; approved, rejected, withdrawn, superseded
	DecidedAt time.Time       `json:"decided_at,omitzero"`
	Next      string          `json:"next,omitempty"` // code of the item with the changed content
	Detail    json.RawMessage `json:"detail,omitempty"`
}

type Part struct {
	Item       string          `json:"item"` // pin key, or "setting:KEY"
	State      vocab.PartState `json:"state"`
	Digest     string          `json:"digest,omitempty"`
	Definition []byte          `json:"definition,omitempty"` // as declared
	Approved   []byte          `json:"approved,omitempty"`   // as last approved
	Text       string          `json:"text,omitempty"`       // of a skill: what it tells the model
	Findings   json.RawMessage `json:"findings,omitempty"`
	Era        string          `json:"era,omitempty"` // if this is the form of one era
}

// codeAlphabet leaves out characters that people confuse when they read a code aloud or type it.
const codeAlphabet = "ABCDEFGHJKMNPQRTUVWXYZ2346789"

// NewCode is a code that no kept item has.
func (tx *Tx) NewCode() (string, error) {
	letters := big.NewInt(int64(len(codeAlphabet)))
	for range 1000 {
		var raw [4]byte
		for i := range raw {
			n, err := rand.Int(rand.Reader, letters)
			if err != nil {
				return "", fmt.Errorf("random numbers: %w", err)
			}
			raw[i] = codeAlphabet[n.Int64()]
		}
		code := string(raw[:])
		_, err := tx.Item(code)
		if errors.Is(err, ErrNotFound) {
			return code, nil
		}
		if err != nil && !errors.Is(err, ErrSeal) {
			return "", err
		}
	}
	return "", fmt.Errorf("no free inbox code: decide on what waits")
}

// CodeFrom derives a code from a digest, for an item that no store can hold. It needs four bytes.
func CodeFrom(digest []byte) string {
	var raw [4]byte
	for i := range raw {
		raw[i] = codeAlphabet[int(digest[i])%len(codeAlphabet)]
	}
	return string(raw[:])
}

// codeKey is the key of what is stored by a code or id.
func codeKey(code string) ([]byte, error) {
	if code == "" || len(code) > 64 {
		return nil, fmt.Errorf("%.80q is not a code", code)
	}
	return []byte(code), nil
}

// PutItem writes a whole item; a decided one leaves Waiting.
func (tx *Tx) PutItem(it Item) error {
	key, err := codeKey(it.Code)
	if err != nil {
		return err
	}
	to, from := bucketInbox, bucketDecided
	if it.Decided != "" {
		to, from = from, to
	}
	if err := tx.delete(from, key); err != nil {
		return err
	}
	return tx.put(to, key, it)
}

// Item is one item, pending or decided, or of a held response. Codes ignore case.
func (tx *Tx) Item(code string) (it Item, err error) {
	key := []byte(strings.ToUpper(code))
	for _, bucket := range [][]byte{bucketInbox, bucketDecided, bucketHeldItem} {
		it = Item{}
		if err = tx.get(bucket, key, &it); !errors.Is(err, ErrNotFound) {
			break
		}
	}
	return it, err
}

// Waiting are the pending items, oldest first.
func (tx *Tx) Waiting() []Item { return tx.items(bucketInbox) }

// Decided are the items that are no longer pending, oldest first.
func (tx *Tx) Decided() []Item { return tx.items(bucketDecided) }

// ForgetDecided deletes a decided item, and does nothing for others.
func (tx *Tx) ForgetDecided(code string) error { return tx.delete(bucketDecided, []byte(code)) }

// DeleteDecidedBefore deletes items decided before t, so that their codes can be reused.
func (tx *Tx) DeleteDecidedBefore(t time.Time) (int, error) {
	n := 0
	for _, it := range tx.DecidedHeads() {
		if it.DecidedAt.Before(t) {
			if err := tx.ForgetDecided(it.Code); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

func (tx *Tx) items(bucket []byte) []Item {
	items := list[Item](&tx.sealed, bucket, nil)
	slices.SortStableFunc(items, older)
	return items
}

func older(a, b Item) int { return a.Created.Compare(b.Created) }

// heads caches items. The hub reads the pending items at every start and every change, and an item can carry hundreds of definitions and
// findings, so each is unsealed and parsed once. A cached item is valid while the record has the same seal, which covers all of it.
type heads struct {
	mu sync.Mutex
	of map[string]map[string]remembered // by bucket, then code
}

type remembered struct {
	seal [sealSize]byte
	item Item
}

// WaitingHeads are the pending items, oldest first, without parts, findings and details.
func (tx *Tx) WaitingHeads() []Item { return tx.headsOf(bucketInbox) }

// DecidedHeads are the items that are no longer pending, oldest first, without parts, findings and details.
func (tx *Tx) DecidedHeads() []Item { return tx.headsOf(bucketDecided) }

func (tx *Tx) headsOf(bucket []byte) []Item {
	known := tx.heads
	known.mu.Lock()
	defer known.mu.Unlock()
	before := known.of[string(bucket)]
	now := make(map[string]remembered, len(before))
	var items []Item
	tx.each(bucket, nil, func(key, sealed []byte) {
		code := string(key)
		if have, ok := before[code]; ok && len(sealed) >= sealSize && bytes.Equal(have.seal[:], sealed[:sealSize]) {
			now[code] = have
			items = append(items, have.item)
			return
		}
		var it Item
		raw, err := unseal(tx.key, bucket, key, sealed)
		if err != nil || json.Unmarshal(raw, &it) != nil {
			tx.bad++
			return
		}
		it.Parts, it.Findings, it.Detail = nil, nil, nil
		now[code] = remembered{[sealSize]byte(sealed[:sealSize]), it}
		items = append(items, it)
	})
	if known.of == nil {
		known.of = map[string]map[string]remembered{}
	}
	known.of[string(bucket)] = now // forget what is gone
	slices.SortStableFunc(items, older)
	return items
}

// WaitingFor is the pending item of a kind for a server, or ErrNotFound.
func (tx *Tx) WaitingFor(serverID string, kind vocab.ItemKind) (Item, error) {
	for _, it := range tx.WaitingHeads() {
		if it.ServerID == serverID && it.Kind == kind {
			return tx.Item(it.Code)
		}
	}
	return Item{}, fmt.Errorf("inbox item %s: %w", kind, ErrNotFound)
}
