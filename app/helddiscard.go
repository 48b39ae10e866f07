package app

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// discardStep is how many responses are discarded in one transaction: nobody else waits for ten thousand.
const discardStep = 250

// HeldSet is which held responses wait now: what `discard --all` is about. A response that comes after it is in no set that was shown.
func (h *Hub) HeldSet(query control.HeldQuery) (out control.HeldSet, err error) {
	h.office.Lock()
	defer h.office.Unlock()
	if err := h.office.Usable(); err != nil {
		return out, err
	}
	err = h.office.Store.View(func(tx *store.Tx) error {
		server, err := h.heldServer(tx, query.Server)
		if err != nil {
			return err
		}
		all, err := h.waitingHeads(tx)
		if err != nil {
			return err
		}
		for _, it := range all {
			if it.held == nil || server != "" && it.ServerID != server {
				continue
			}
			codes := it.held.matching(h.quarantine.all, query.Tool)
			if len(codes) == 0 {
				continue
			}
			of, err := tx.Server(it.ServerID)
			if err != nil && !office.Absent(err) {
				return err
			}
			shown := review.InboxItem(it.Item, of)
			h.told(tx, it.held, &shown)
			shown.Count = len(codes)
			out.Items = append(out.Items, shown)
			out.Codes = append(out.Codes, codes...)
		}
		return nil
	})
	return out, h.office.Failed(err)
}

// HeldCodes are the responses that wait in the item of this one now, itself among them, and the item's group; none where it is decided.
func (h *Hub) HeldCodes(code string) (codes []string, group string) {
	h.office.Lock()
	defer h.office.Unlock()
	if in := h.quarantine.itemWith(strings.ToUpper(code)); in != nil {
		codes, group = in.matching(h.quarantine.all, ""), in.name()
	}
	return codes, group
}

// CodesHeld are all responses that wait.
func (h *Hub) CodesHeld() (codes []string) {
	h.office.Lock()
	defer h.office.Unlock()
	for _, in := range h.quarantine.items {
		codes = append(codes, in.matching(h.quarantine.all, "")...)
	}
	return codes
}

// heldServer is the id of a server that a person named, "" for all.
func (h *Hub) heldServer(tx *store.Tx, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	server, err := office.FindServer(tx, name)
	return server.ID, err
}

// matching are the codes of the responses of a tool, of all where it is "".
func (it *heldItem) matching(all map[string]store.Held, tool string) (codes []string) {
	for _, m := range it.marks {
		if one := all[m.code]; tool == "" || one.Method == "tools/call" && one.Name == tool {
			codes = append(codes, m.code)
		}
	}
	return codes
}

// DiscardHeld discards the responses of a set that came over the socket.
func (h *Hub) DiscardHeld(peer control.Peer, d control.DiscardHeld) (control.DiscardedHeld, error) {
	if len(d.Codes) > 0 {
		h.office.Lock()
		err := h.decidesHeld(peer, d.Codes[len(d.Codes)-1])
		h.office.Unlock()
		if err != nil {
			return control.DiscardedHeld{}, err
		}
	}
	return h.DiscardHeldHere(d)
}

// DiscardHeldHere is such a decision of the window, in this process. Each response is discarded, with its record, or stays as it is:
// one that was decided meanwhile is left alone, and one that came after the set was shown is counted and left.
func (h *Hub) DiscardHeldHere(d control.DiscardHeld) (out control.DiscardedHeld, err error) {
	shown := make(map[string]bool, len(d.Codes))
	for _, code := range d.Codes {
		shown[strings.ToUpper(code)] = true
	}
	for step := range slices.Chunk(slices.Collect(maps.Keys(shown)), discardStep) {
		n, err := h.discardSome(step, d.Reason)
		if err != nil {
			return out, err
		}
		out.Discarded += n
	}
	out.Meanwhile = len(shown) - out.Discarded
	h.office.Lock()
	defer h.office.Unlock()
	if err := h.office.Usable(); err != nil {
		return out, err
	}
	err = h.office.Store.View(func(tx *store.Tx) error {
		server, err := h.heldServer(tx, d.Server)
		for key, it := range h.quarantine.items {
			if server != "" && key.server != server || d.Group != "" && key.name() != d.Group {
				continue
			}
			for _, code := range it.matching(h.quarantine.all, d.Tool) {
				if !shown[code] {
					out.Came++
				}
			}
		}
		return err
	})
	return out, h.office.Failed(err)
}

func (h *Hub) discardSome(codes []string, reason string) (n int, err error) {
	h.office.Lock()
	defer h.office.Unlock()
	if err := h.office.Usable(); err != nil {
		return 0, err
	}
	err = h.updateHeld(func(tx *store.Tx, put putHeld) (bool, error) {
		n = 0
		var errs []error
		for _, code := range codes {
			one, known := h.quarantine.all[code]
			if !known || heldDecided(one) != "" {
				continue
			}
			did, err := h.discardHeld(tx, put, &one, control.Release{Code: one.Code, Digest: heldDigest(one), Discard: true, Reason: reason})
			if errs = append(errs, err); did {
				n++
			}
		}
		return n > 0, errors.Join(errs...)
	})
	if err != nil {
		return 0, h.office.Failed(err)
	}
	h.pushChanged()
	return n, nil
}
