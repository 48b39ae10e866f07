package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
)

// The beginning of bbolt's file (file format version 2): two meta pages, of which the newer valid one counts. We check them before bbolt
// does, because bbolt checks them with its locks held.
const (
	pageHeader   = 16 // id uint64, flags uint16, count uint16, overflow uint32
	metaSize     = 64
	metaMagic    = 0xED0CDAED
	metaVersion  = 2
	flagFreelist = 0x10
	noFreelist   = ^uint64(0)
)

// meta is the part we need of the current meta page.
type meta struct {
	freelist uint64 // page of the list of free pages
	pages    uint64 // number of pages
	txid     uint64
}

// readMetas reads both, nil for an invalid one.
func (h *handle) readMetas() (metas [2]*meta, err error) {
	for page := range int64(2) {
		raw := make([]byte, pageHeader+metaSize)
		if _, err := h.file.ReadAt(raw, page*int64(h.page)); errors.Is(err, os.ErrClosed) {
			return metas, ErrClosed
		} else if err != nil {
			continue
		}
		if m, ok := metaOf(raw[pageHeader:]); ok {
			metas[page] = &m
		}
	}
	return metas, nil
}

// readMeta reads the current meta page; ErrCorrupt if neither is valid.
func (h *handle) readMeta() (newest meta, err error) {
	metas, err := h.readMetas()
	if err != nil {
		return newest, err
	}
	found := false
	for _, m := range metas {
		if m != nil && (!found || m.txid > newest.txid) {
			newest, found = *m, true
		}
	}
	if !found {
		return newest, fmt.Errorf("%w: neither of its first two pages holds", ErrCorrupt)
	}
	return newest, nil
}

// checkMetas requires both meta pages to be valid, of one commit and the one before it. bbolt accepts one: if the newer is damaged it
// silently goes back to the state before the last commit, and a person's decision is gone. A power cut leaves no such page, because a meta
// page's content fits in one disk sector.
func (h *handle) checkMetas() error {
	metas, err := h.readMetas()
	if err != nil {
		return err
	}
	a, b := metas[0], metas[1]
	if a == nil || b == nil || a.txid+1 != b.txid && b.txid+1 != a.txid {
		return fmt.Errorf("%w: one of its first two pages does not hold", ErrCorrupt)
	}
	return nil
}

// advance records that a commit was seen. A later transaction on an older state is refused: the newer meta page was damaged since.
func (h *handle) advance(txid uint64) {
	for {
		seen := h.seen.Load()
		if txid <= seen || h.seen.CompareAndSwap(seen, txid) {
			return
		}
	}
}

func metaOf(raw []byte) (meta, bool) {
	word := binary.NativeEndian.Uint64
	sum := fnv.New64a()
	sum.Write(raw[:56])
	if binary.NativeEndian.Uint32(raw) != metaMagic || binary.NativeEndian.Uint32(raw[4:]) != metaVersion || word(raw[56:]) != sum.Sum64() {
		return meta{}, false
	}
	return meta{freelist: word(raw[32:]), pages: word(raw[40:]), txid: word(raw[48:])}, true
}

// checkFreelist checks the head of the list of free pages before a commit frees it. bbolt believes the length it finds there: noise would
// make it record, and keep in memory, up to four thousand million free pages.
func (h *handle) checkFreelist() error {
	m, err := h.readMeta()
	if err != nil || m.freelist == noFreelist {
		return err
	}
	raw := make([]byte, pageHeader)
	if m.freelist < m.pages {
		_, err = h.file.ReadAt(raw, int64(m.freelist)*int64(h.page))
	}
	id, flags, overflow := binary.NativeEndian.Uint64(raw), binary.NativeEndian.Uint16(raw[8:]), uint64(binary.NativeEndian.Uint32(raw[12:]))
	if err != nil || id != m.freelist || flags != flagFreelist || id+overflow >= m.pages {
		return fmt.Errorf("%w: its list of free pages is none", ErrCorrupt)
	}
	return nil
}
