package app

import (
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Decide decides on one inbox item for a request over the socket.
func (h *Hub) Decide(peer control.Peer, d control.Decide) (control.Decided, error) {
	return h.decideIf(d, func(codes ...string) error { return h.office.MayDecide(peer, codes...) })
}

// DecideHere does the same for the window, in this process.
func (h *Hub) DecideHere(d control.Decide) (control.Decided, error) {
	return h.decideIf(d, func(...string) error { return nil })
}

// decideIf is a decision of somebody who may take it or not.
func (h *Hub) decideIf(d control.Decide, may func(codes ...string) error) (control.Decided, error) {
	if path := h.FileOf(d.Code); path != "" {
		return h.DecideFile(path, d, func() error { return may(d.Code) })
	}
	h.office.Lock()
	defer h.office.Unlock()
	if h.lost.Waits() {
		if err := h.lost.Named(d.Code); err != nil {
			return control.Decided{}, err
		}
		if err := may(); err != nil {
			return control.Decided{}, err
		}
		return h.lost.Decide(d)
	}
	if err := h.office.Usable(); err != nil {
		return control.Decided{}, err
	}
	if err := may(d.Code); err != nil {
		return control.Decided{}, err
	}
	return h.decide(d)
}

// raise moves an item to the top of the inbox.
func (h *Hub) raise(code string) {
	if h.RaiseHeld(code) {
		return
	}
	err := h.office.Update(func(tx *store.Tx) (bool, error) {
		it, err := tx.Item(code)
		if office.Absent(err) || err == nil && it.Decided != "" {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		it.AskedAt = h.office.Now()
		return true, tx.PutItem(it)
	})
	_ = h.office.Failed(err) // the decision is answered without it
}

func (h *Hub) decide(d control.Decide) (out control.Decided, err error) {
	var server string
	var apply func() // what follows once the decision is on the disk
	out.Approved, out.Rejected, out.Left = []string{}, []string{}, []string{}
	err = h.office.Update(func(tx *store.Tx) (bool, error) {
		it, err := office.Decidable(tx, d)
		if err != nil {
			return false, err
		}
		out.Code = it.Code
		server = it.ServerID
		var wrote bool
		switch it.Kind {
		case vocab.ItemNewServer, vocab.ItemChanged, vocab.ItemLaunch:
			wrote, err = h.DecideServer(tx, it, d, &out)
		case vocab.ItemInteraction:
			wrote, err = h.DecideInteraction(tx, it, d, &out)
		case vocab.ItemSettingsChanged:
			wrote, apply, err = h.DecideSettings(tx, it, d, &out)
		default:
			err = office.Answer(control.CodeBadRequest, "%s needs no decision", it.Code)
		}
		return wrote, err
	})
	if err != nil {
		return control.Decided{}, h.office.Failed(err)
	}
	if apply != nil {
		apply()
	}
	if server != "" {
		if err := h.Refresh(server); err != nil {
			return control.Decided{}, h.office.Failed(err)
		}
	}
	h.PushAll()
	return out, nil
}
