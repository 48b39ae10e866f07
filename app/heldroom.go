package app

import (
	"cmp"
	"strings"

	"github.com/sallyport/sallyport/store"
)

// heldCap is what waits at most: a server that sends nothing but poison fills no disk, and pushes no other server's out.
type heldCap struct {
	responses int
	bytes     int64 // of all texts
	one       int64 // of one text
}

var heldMost = heldCap{responses: 10_000, bytes: 256 << 20, one: 64 << 20}

// leaving is an item while room is made: what it still has to give.
type leaving struct {
	*heldItem
	next int   // the oldest response that is not taken
	size int64 // what is left, in responses or in bytes
}

// makeRoom says which responses go for one of size bytes, and whether there is room for it then: the oldest of the largest item, of
// the server that has the most. What a person has released stays.
func (x *heldIndex) makeRoom(most heldCap, size int64) (evicted []store.Held, fits bool) {
	if size > most.one {
		return nil, false
	}
	responses, kept := x.waiting, x.kept
	gone := map[string]bool{}
	short := func(over func() bool, sizeOf func(heldMark) int64) bool {
		if !over() {
			return true
		}
		var items []*leaving
		ofServer := map[string]int64{}
		for _, it := range x.items {
			one := &leaving{heldItem: it}
			for _, m := range it.marks {
				if !gone[m.code] {
					one.size += sizeOf(m)
				}
			}
			items, ofServer[it.server] = append(items, one), ofServer[it.server]+one.size
		}
		for over() {
			var largest *leaving
			for _, it := range items {
				if it.size > 0 && (largest == nil || cmp.Or(cmp.Compare(ofServer[it.server], ofServer[largest.server]), cmp.Compare(it.size, largest.size), strings.Compare(it.what+it.rule, largest.what+largest.rule)) > 0) {
					largest = it
				}
			}
			if largest == nil {
				return false
			}
			m := largest.marks[largest.next]
			largest.next++
			n := sizeOf(m)
			if gone[m.code] || n == 0 {
				continue
			}
			largest.size -= n
			ofServer[largest.server] -= n
			responses--
			kept -= m.kept
			gone[m.code], evicted = true, append(evicted, x.all[m.code])
		}
		return true
	}
	fits = short(func() bool { return kept+size > most.bytes }, func(m heldMark) int64 { return m.kept }) &&
		short(func() bool { return responses+1 > most.responses }, func(heldMark) int64 { return 1 })
	if !fits {
		return nil, false
	}
	return evicted, true
}
