package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"strings"
	"time"
)

// A glance is what a filter needs to know of a record, in fourteen bytes: hashes of its server's name and id, its tool, its kind and its
// status, and its second. Glances only save decoding records that can't match. Each page of them is sealed, so a forged one can't hide a
// record; where a page is missing, too short or not ours, the records themselves are read.
//
// Decoding a record takes about five microseconds, so a filter that matches nothing would take five seconds in a million records.
type glance struct {
	name, id, tool, kind, status uint16
	second                       uint32 // since 1970, at most what 32 bits hold
}

const (
	glanceSize = 14
	// glancePage is how many records one value of the bucket covers: those with sequences from a multiple of it on. With its seal such a
	// value fits into one page of the file.
	glancePage = 256
)

// hash16 is never 0: a record without that member has 0.
func hash16[Word ~string](word Word) uint16 {
	if word == "" {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(word))
	sum := h.Sum32()
	return max(uint16(sum>>16)^uint16(sum), 1)
}

func secondOf(t time.Time) uint32 { return uint32(min(max(t.Unix(), 0), math.MaxUint32)) }

func glanceOf(r *Record) glance {
	return glance{
		name: hash16(r.Server), id: hash16(r.ServerID), tool: hash16(r.Tool), second: secondOf(r.Time),
		kind:   max(hash16(r.Kind), 1), // 0 marks a removed record
		status: hash16(r.Status),
	}
}

func (g glance) append(page []byte) []byte {
	for _, n := range [...]uint16{g.name, g.id, g.tool, g.kind, g.status} {
		page = binary.BigEndian.AppendUint16(page, n)
	}
	return binary.BigEndian.AppendUint32(page, g.second)
}

// glanceAt reads the n-th glance of a page.
func glanceAt(page []byte, n int) glance {
	raw := page[n*glanceSize : (n+1)*glanceSize]
	return glance{
		name: binary.BigEndian.Uint16(raw), id: binary.BigEndian.Uint16(raw[2:]), tool: binary.BigEndian.Uint16(raw[4:]),
		kind: binary.BigEndian.Uint16(raw[6:]), status: binary.BigEndian.Uint16(raw[8:]), second: binary.BigEndian.Uint32(raw[10:]),
	}
}

// sought is a query in the terms of glances.
type sought struct {
	name, id, tool uint16
	kinds, states  []uint16 // nil for all
	since          uint32
}

func soughtBy(q Query) sought {
	s := sought{name: hash16(q.Server), id: hash16(q.ServerID), tool: hash16(q.Tool), kinds: hashes(q.Kind), states: hashes(q.Status)}
	if !q.Since.IsZero() {
		s.since = secondOf(q.Since)
	}
	return s
}

func hashes(list string) (all []uint16) {
	if list == "" {
		return nil
	}
	for word := range strings.SplitSeq(list, ",") {
		all = append(all, hash16(word))
	}
	return append(all, hash16(list))
}

// narrow reports whether glances can rule anything out.
func (s sought) narrow() bool {
	return s.name != 0 || s.id != 0 || s.tool != 0 || s.kinds != nil || s.states != nil || s.since != 0
}

// may reports whether a record with this glance can match. It follows vocab.Query.Matches.
func (s sought) may(g glance) bool {
	switch {
	case g.kind == 0, s.tool != 0 && s.tool != g.tool, g.second < s.since:
		return false
	case s.id != 0 && g.id != 0:
		if s.id != g.id {
			return false
		}
	case s.name != 0 && s.name != g.name:
		return false
	}
	return asksFor(s.kinds, g.kind) && asksFor(s.states, g.status)
}

func asksFor(asked []uint16, hash uint16) bool {
	if asked == nil {
		return true
	}
	for _, one := range asked {
		if one == hash {
			return true
		}
	}
	return false
}

// glances are the page that begins at a sequence, one for each sequence up to its end; empty if there is none that counts.
func (ch chain) glances(first uint64) []byte {
	stored := ch.bucket(bucketGlances).Get(sequenceKey(first))
	page, err := unseal(ch.key, bucketGlances, sequenceKey(first), stored)
	if err != nil || len(page) > glancePage*glanceSize || len(page)%glanceSize != 0 {
		return nil
	}
	return page
}

func (ch chain) putGlances(first uint64, page []byte) error {
	key := sequenceKey(first)
	glances := ch.bucket(bucketGlances)
	glances.FillPercent = 0.9 // as for the records
	if err := glances.Put(key, append(seal(ch.key, bucketGlances, key, page), page...)); err != nil {
		return fmt.Errorf("store activity: %w", err)
	}
	return nil
}

// made are the glances of the records from a sequence up to, not including, another, for a page that lacks them.
func (ch chain) made(first, end uint64) []byte {
	page := make([]byte, 0, glancePage*glanceSize)
	c := ch.bucket(bucketActivity).Cursor()
	for k, v := c.Seek(sequenceKey(first)); k != nil && sequenceIn(k) < end; k, v = c.Next() {
		page = append(page, make([]byte, int(sequenceIn(k)-first)*glanceSize-len(page))...) // removed ones
		r, _, err := decodeRecord(v)
		if err != nil {
			page = append(page, make([]byte, glanceSize)...) // no filter finds what can't be read
			continue
		}
		page = glanceOf(&r).append(page)
	}
	if lacking := int(min(end-first, glancePage))*glanceSize - len(page); lacking > 0 {
		page = append(page, make([]byte, lacking)...)
	}
	return page
}

// glancing collects the glances of records that one Append adds.
type glancing struct {
	ch    chain
	first uint64 // of the page being filled
	page  []byte // nil before the first record
}

// add takes the next record of the chain.
func (g *glancing) add(sequence uint64, r *Record) error {
	first, at := sequence-sequence%glancePage, int(sequence%glancePage)
	if g.page != nil && first != g.first {
		if err := g.flush(); err != nil {
			return err
		}
	}
	if g.page == nil {
		g.first, g.page = first, bytes.Clone(g.ch.glances(first))
		if len(g.page) != at*glanceSize { // a store from before glances, or one that an earlier version wrote to since
			g.page = g.ch.made(first, sequence)
		}
	}
	g.page = glanceOf(r).append(g.page)
	return nil
}

func (g *glancing) flush() error {
	if g.page == nil {
		return nil
	}
	page := g.page
	g.page = nil
	return g.ch.putGlances(g.first, page)
}

// forget removes the glances of records that retention removes, and pages without any others.
func (ch chain) forget(victims []victim) error {
	for len(victims) > 0 {
		first := victims[0].sequence - victims[0].sequence%glancePage
		page := bytes.Clone(ch.glances(first))
		for len(victims) > 0 && victims[0].sequence-first < glancePage {
			if at := int(victims[0].sequence-first) * glanceSize; at < len(page) {
				clear(page[at : at+glanceSize])
			}
			victims = victims[1:]
		}
		var err error
		if len(bytes.Trim(page, "\x00")) == 0 {
			err = ch.bucket(bucketGlances).Delete(sequenceKey(first))
		} else {
			err = ch.putGlances(first, page)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// candidates are the sequences of records that may match, from one on: upwards, or downwards to the oldest.
func (ch chain) candidates(q Query, from uint64, up bool) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		asked := soughtBy(q)
		oldest, newest := ch.ends()
		if oldest == 0 {
			return
		}
		if up {
			from = max(from, oldest)
		} else {
			from = min(from, newest)
		}
		for from >= oldest && from <= newest {
			first := from - from%glancePage
			if !ch.page(asked, first, from, up, yield) {
				return
			}
			if up {
				from = first + glancePage
			} else if first == 0 {
				return
			} else {
				from = first - 1
			}
		}
	}
}

// page yields the candidates on one page, from a sequence of it on.
func (ch chain) page(asked sought, first, from uint64, up bool, yield func(uint64) bool) bool {
	page := ch.glances(first)
	covered := first + uint64(len(page)/glanceSize)
	step := func(sequence uint64) bool {
		if sequence < covered && !asked.may(glanceAt(page, int(sequence-first))) {
			return true
		}
		return yield(sequence)
	}
	if up {
		for n := from; n < first+glancePage; n++ {
			if !step(n) {
				return false
			}
		}
		return true
	}
	for n := from + 1; n > first; n-- {
		if !step(n - 1) {
			return false
		}
	}
	return true
}

// ends are the sequences of the oldest and the newest record, 0 if there is none.
func (ch chain) ends() (oldest, newest uint64) {
	c := ch.bucket(bucketActivity).Cursor()
	first, _ := c.First()
	last, _ := c.Last()
	return sequenceIn(first), sequenceIn(last)
}

// recordAt reads a record by its sequence.
func (ch chain) recordAt(sequence uint64) (r Record, ok bool) {
	value := ch.bucket(bucketActivity).Get(sequenceKey(sequence))
	if value == nil {
		return r, false
	}
	r, _, err := decodeRecord(value)
	return r, err == nil
}

// catchUpStep limits one transaction, so that a decision never waits for long.
const catchUpStep = 8

// CatchUp makes missing glances, as in a store of an earlier version, for at most 2,048 records. It looks from a sequence on and returns
// where to continue, 0 when all are there.
func (s *Store) CatchUp(from uint64) (next uint64, err error) {
	var lacking []uint64
	err = s.View(func(tx *Tx) error {
		defer marked()
		ch := tx.chain()
		oldest, newest := ch.ends()
		if oldest == 0 {
			return nil
		}
		from = max(from, oldest)
		for first := from - from%glancePage; first <= newest && len(lacking) < catchUpStep; first += glancePage {
			wanted := min(newest+1-first, glancePage)
			if uint64(len(ch.glances(first))/glanceSize) < wanted && ch.holds(first) {
				lacking = append(lacking, first)
			}
		}
		return nil
	})
	if err != nil || len(lacking) == 0 {
		return 0, err
	}
	err = s.Update(func(tx *Tx) error {
		defer marked()
		ch := tx.chain()
		_, newest := ch.ends()
		for _, first := range lacking {
			if err := ch.putGlances(first, ch.made(first, min(first+glancePage, newest+1))); err != nil {
				return err
			}
		}
		return nil
	})
	return lacking[len(lacking)-1] + glancePage, err
}

// holds reports whether there is a record on a page.
func (ch chain) holds(first uint64) bool {
	k, _ := ch.bucket(bucketActivity).Cursor().Seek(sequenceKey(first))
	return k != nil && sequenceIn(k) < first+glancePage
}
