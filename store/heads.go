package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"sync"
)

// heads remembers what was read of items last. The hub asks what waits at every start and every change, and an item can carry
// hundreds of definitions and findings: each is unsealed and parsed once. What is remembered counts as long as the record has the
// same seal, which is over all of it.
type heads struct {
	mu sync.Mutex
	of map[string]remembered // by bucket and code
}

type remembered struct {
	seal [sealSize]byte
	item Item
}

// WaitingHeads are the items that wait, oldest first, without their parts, findings and details.
func (tx *Tx) WaitingHeads() ([]Item, error) { return tx.headsOf(bucketInbox) }

// DecidedHeads are the items that wait no more, oldest first, without their parts, findings and details.
func (tx *Tx) DecidedHeads() ([]Item, error) { return tx.headsOf(bucketDecided) }

func (tx *Tx) headsOf(bucket []byte) ([]Item, error) {
	known := tx.heads
	if known == nil {
		known = &heads{}
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	var items []Item
	seen := map[string]bool{}
	tx.each(bucket, nil, func(key, sealed []byte) {
		place := string(bucket) + " " + string(key)
		if have, ok := known.of[place]; ok && len(sealed) >= sealSize && bytes.Equal(have.seal[:], sealed[:sealSize]) {
			seen[place] = true
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
		if known.of == nil {
			known.of = map[string]remembered{}
		}
		known.of[place] = remembered{[sealSize]byte(sealed[:sealSize]), it}
		seen[place] = true
		items = append(items, it)
	})
	if len(known.of) > 2*len(seen)+1000 { // of items that are gone
		for place := range known.of {
			if !seen[place] && bytes.HasPrefix([]byte(place), append(bytes.Clone(bucket), ' ')) {
				delete(known.of, place)
			}
		}
	}
	sort.SliceStable(items, func(i, j int) bool { return items[i].Created.Before(items[j].Created) })
	return items, nil
}

// WaitingFor is the item of a kind that waits for a server, ErrNotFound if none does.
func (tx *Tx) WaitingFor(serverID, kind string) (Item, error) {
	waiting, err := tx.WaitingHeads()
	if err != nil {
		return Item{}, err
	}
	for _, it := range waiting {
		if it.ServerID == serverID && it.Kind == kind {
			return tx.Item(it.Code)
		}
	}
	return Item{}, fmt.Errorf("inbox item %s: %w", kind, ErrNotFound)
}
