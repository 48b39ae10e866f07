package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"sync"

	"github.com/sallyport/sallyport/proxy/vocab"
)

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
	sort.SliceStable(items, func(i, j int) bool { return items[i].Created.Before(items[j].Created) })
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
