package quarantine

import (
	"cmp"
	"strings"

	"github.com/sallyport/sallyport/store"
)

// Cap limits what is held, so that a server that sends only poison neither fills the disk nor pushes another server's responses out.
type Cap struct {
	Responses int
	Bytes     int64 // of all texts
	One       int64 // of one text
}

// heldMost is more than a person reads, and less than fills a disk.
var heldMost = Cap{Responses: 10_000, Bytes: 256 << 20, One: 64 << 20}

// room makes space for one more response by dropping others.
type room struct {
	index     *heldIndex
	responses int   // that wait
	kept      int64 // bytes of all texts
	gone      map[string]bool
	evicted   []store.Held
}

// leaving is an item while space is made.
type leaving struct {
	*HeldItem
	next int   // the oldest response that is not dropped
	size int64 // what is left, in responses or bytes
}

// makeRoom returns the responses to drop for a new one of size bytes, and whether its text can be stored then: the oldest of the largest
// item, of the server that has the most. Released responses stay. One without a stored text still counts.
func (x *heldIndex) makeRoom(most Cap, size int64) (evicted []store.Held, fits bool) {
	if r := x.room(); size <= most.One && r.make(func() bool { return r.kept+size > most.Bytes }, func(m heldMark) int64 { return m.kept }) {
		r.makePlace(most)
		return r.evicted, true
	}
	return x.makePlace(most), false
}

// makePlace returns the responses to drop for one without a stored text.
func (x *heldIndex) makePlace(most Cap) []store.Held {
	r := x.room()
	r.makePlace(most)
	return r.evicted
}

func (x *heldIndex) room() *room {
	return &room{index: x, responses: x.waiting, kept: x.kept, gone: map[string]bool{}}
}

func (r *room) makePlace(most Cap) {
	r.make(func() bool { return r.responses+1 > most.Responses }, func(heldMark) int64 { return 1 })
}

// make drops responses while over the limit, as long as there are any with a size.
func (r *room) make(over func() bool, sizeOf func(heldMark) int64) bool {
	if !over() {
		return true
	}
	var items []*leaving
	ofServer := map[string]int64{}
	for _, it := range r.index.items {
		one := &leaving{HeldItem: it}
		for _, m := range it.marks {
			if !r.gone[m.code] {
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
		if r.gone[m.code] || n == 0 {
			continue
		}
		largest.size -= n
		ofServer[largest.server] -= n
		r.responses--
		r.kept -= m.kept
		r.gone[m.code] = true
		r.evicted = append(r.evicted, r.index.all[m.code])
	}
	return true
}
