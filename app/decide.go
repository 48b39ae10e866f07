package app

import (
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Decide decides on one inbox item.
func (h *Hub) Decide(peer control.Peer, d control.Decide) (control.Decided, error) {
	if path := h.FileOf(d.Code); path != "" {
		return h.DecideFile(peer, path, d)
	}
	if folder := h.extensions.Of(d.Code); folder != "" {
		return h.extensions.DecideExtension(peer, folder, d)
	}
	h.office.Lock()
	defer h.office.Unlock()
	if h.lost.Waits() {
		if err := h.lost.Named(d.Code); err != nil {
			return control.Decided{}, err
		}
		if err := h.office.MayDecide(peer); err != nil {
			return control.Decided{}, err
		}
		out, err := h.lost.Decide(d)
		if err == nil {
			h.witness.BeginAgain()
		}
		return out, err
	}
	if err := h.office.Decides(peer, d.Code); err != nil {
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
		if d.Always && it.Kind != vocab.ItemCallWaiting {
			return false, office.Answer(control.CodeBadRequest, "%s is no call: only a call can be allowed for good", it.Code)
		}
		var wrote bool
		switch it.Kind {
		case vocab.ItemNewServer, vocab.ItemChanged, vocab.ItemLaunch:
			wrote, err = h.DecideServer(tx, it, d, &out)
		case vocab.ItemInteraction:
			wrote, err = h.DecideInteraction(tx, it, d, &out)
		case vocab.ItemCallWaiting:
			server = "" // nothing about the server changes
			wrote, apply, err = h.DecideCall(tx, it, d, &out)
		case vocab.ItemLogin:
			server = ""
			wrote, apply, err = h.DecideLogin(tx, it, d, &out)
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
	if len(out.Approved) > 0 && server != "" {
		out.Cut, out.Restart = h.Cut(server)
	}
	return out, nil
}
