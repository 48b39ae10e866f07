package flow

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"
)

const (
	// maxKnown is how many values of a client are known, and how many are dropped at once, those used longest ago.
	maxKnown  = 65_536
	dropKnown = maxKnown / 16
)

// known is what calls brought before any server did, by client.
type known struct {
	of    map[string]*used
	dirty map[string]bool // clients whose values are newer than in the store
}

// used are the values of one client.
type used struct {
	values map[uint64]use
}

// use is when a value was used: days since the epoch.
type use struct {
	first, last uint16
	times       uint16
}

func dayOf(now time.Time) uint16 { return uint16(now.Unix() / int64(day.Seconds())) }

// has reports whether a client used a value before.
func (k *known) has(client string, hash uint64) bool {
	u := k.of[client]
	if u == nil {
		return false
	}
	_, ok := u.values[hash]
	return ok
}

func (k *known) use(client string, hash uint64, now time.Time) {
	u := k.of[client]
	if u == nil {
		u = &used{values: map[uint64]use{}}
		k.of[client] = u
	}
	today := dayOf(now)
	before, ok := u.values[hash]
	switch {
	case !ok:
		before.first = today
		if len(u.values) >= maxKnown {
			u.drop()
		}
	case before.last == today && before.times > 1:
		return // counted often enough for a day
	}
	before.last = today
	if before.times < 1<<16-1 {
		before.times++
	}
	u.values[hash] = before
	if k.dirty == nil {
		k.dirty = map[string]bool{}
	}
	k.dirty[client] = true
}

// drop removes those that were used longest ago.
func (u *used) drop() {
	type one struct {
		hash uint64
		last uint16
	}
	all := make([]one, 0, len(u.values))
	for hash, v := range u.values {
		all = append(all, one{hash, v.last})
	}
	slices.SortFunc(all, func(a, b one) int { return cmp.Or(cmp.Compare(a.last, b.last), cmp.Compare(a.hash, b.hash)) })
	for _, v := range all[:dropKnown] {
		delete(u.values, v.hash)
	}
}

// withTool is the hash of a value that is known with one tool of one server alone.
func withTool(hash uint64, server, item string) uint64 {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], hash)
	sum := sha256.Sum256(slices.Concat(b[:], []byte(server), []byte{0}, []byte(item)))
	return binary.BigEndian.Uint64(sum[:])
}

const useSize = 8 + 3*2

// append writes a client's values for the store, in the order of their hashes.
func (u *used) append(to []byte) []byte {
	hashes := make([]uint64, 0, len(u.values))
	for hash := range u.values {
		hashes = append(hashes, hash)
	}
	slices.Sort(hashes)
	for _, hash := range hashes {
		v := u.values[hash]
		to = binary.BigEndian.AppendUint64(to, hash)
		to = binary.BigEndian.AppendUint16(to, v.first)
		to = binary.BigEndian.AppendUint16(to, v.last)
		to = binary.BigEndian.AppendUint16(to, v.times)
	}
	return to
}

// readUsed reads what append wrote.
func readUsed(from []byte) *used {
	u := &used{values: make(map[uint64]use, len(from)/useSize)}
	for ; len(from) >= useSize && len(u.values) < maxKnown; from = from[useSize:] {
		u.values[be64(from)] = use{binary.BigEndian.Uint16(from[8:]), binary.BigEndian.Uint16(from[10:]), binary.BigEndian.Uint16(from[12:])}
	}
	return u
}
