package quarantine

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

// discardStep is how many responses are discarded in one transaction: discarding ten thousand at once would block every other call.
const discardStep = 250

// HeldSet is the current set of held responses, for `discard --all`. A response that comes later is in no set that was shown.
func (q *Quarantine) HeldSet(query control.HeldQuery) (out control.HeldSet, err error) {
	err = q.office.Answering(func(tx *store.Tx) error {
		server, err := heldServer(tx, query.Server)
		if err != nil {
			return err
		}
		all, err := q.WaitingHeads(tx)
		if err != nil {
			return err
		}
		for _, it := range all {
			if it.Held == nil || server != "" && it.ServerID != server {
				continue
			}
			codes := it.Held.matching(q.all, query.Tool)
			if len(codes) == 0 {
				continue
			}
			of, err := tx.Server(it.ServerID)
			if err != nil && !office.Absent(err) {
				return err
			}
			shown := review.InboxItem(it.Item, of)
			q.TellHeld(tx, it.Held, &shown)
			shown.Count = len(codes)
			out.Items = append(out.Items, shown)
			out.Codes = append(out.Codes, codes...)
		}
		return nil
	})
	return out, err
}

// HeldCodes are the responses held in this one's item, itself included, and the item's group; none if it is decided.
func (q *Quarantine) HeldCodes(code string) (codes []string, group string) {
	q.office.Lock()
	defer q.office.Unlock()
	if in := q.itemWith(strings.ToUpper(code)); in != nil {
		codes, group = in.matching(q.all, ""), in.name()
	}
	return codes, group
}

// CodesHeld are the codes of all held responses.
func (q *Quarantine) CodesHeld() (codes []string) {
	q.office.Lock()
	defer q.office.Unlock()
	for _, in := range q.items {
		codes = append(codes, in.matching(q.all, "")...)
	}
	return codes
}

// heldServer is the id of a server that a person named, "" for all.
func heldServer(tx *store.Tx, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	server, err := office.FindServer(tx, name)
	return server.ID, err
}

// matching are the codes of its responses from a tool, "" for all.
func (it *HeldItem) matching(all map[string]store.Held, tool string) (codes []string) {
	for _, m := range it.marks {
		if one := all[m.code]; tool == "" || one.Method == "tools/call" && one.Name == tool {
			codes = append(codes, m.code)
		}
	}
	return codes
}

// DiscardHeld discards a set of responses. Each is discarded together with its record, or left as it is: one that was decided meanwhile is
// left alone, and one that came after the set was shown is counted and left.
func (q *Quarantine) DiscardHeld(peer control.Peer, d control.DiscardHeld) (out control.DiscardedHeld, err error) {
	if len(d.Codes) > 0 {
		q.office.Lock()
		err := q.office.Decides(peer, d.Codes[len(d.Codes)-1])
		q.office.Unlock()
		if err != nil {
			return out, err
		}
	}
	shown := make(map[string]bool, len(d.Codes))
	for _, code := range d.Codes {
		shown[strings.ToUpper(code)] = true
	}
	for step := range slices.Chunk(slices.Collect(maps.Keys(shown)), discardStep) {
		n, err := q.discardSome(step, d.Reason)
		if err != nil {
			return out, err
		}
		out.Discarded += n
	}
	out.Meanwhile = len(shown) - out.Discarded
	err = q.office.Answering(func(tx *store.Tx) error {
		server, err := heldServer(tx, d.Server)
		for key, it := range q.items {
			if server != "" && key.server != server || d.Group != "" && key.name() != d.Group {
				continue
			}
			for _, code := range it.matching(q.all, d.Tool) {
				if !shown[code] {
					out.Came++
				}
			}
		}
		return err
	})
	return out, err
}

func (q *Quarantine) discardSome(codes []string, reason string) (n int, err error) {
	q.office.Lock()
	defer q.office.Unlock()
	if err := q.office.Usable(); err != nil {
		return 0, err
	}
	err = q.UpdateHeld(func(tx *store.Tx, put Put) (bool, error) {
		n = 0
		var errs []error
		for _, code := range codes {
			one, known := q.all[code]
			if !known || heldDecided(one) != "" {
				continue
			}
			did, err := q.discardHeld(tx, put, &one, control.Release{Code: one.Code, Digest: heldDigest(one), Discard: true, Reason: reason})
			if errs = append(errs, err); did {
				n++
			}
		}
		return n > 0, errors.Join(errs...)
	})
	if err != nil {
		return 0, q.office.Failed(err)
	}
	q.hub.PushChanged()
	return n, nil
}
