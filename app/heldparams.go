package app

import (
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// HeldParams are what was asked for when a held answer came, secrets included: for the window alone, where a person looks at
// one of them. They are on no socket.
func (h *Hub) HeldParams(code, digest string) (params []byte, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.usable(); err != nil {
		return nil, err
	}
	err = h.store.View(func(tx *store.Tx) error {
		_, one, err := h.heldItemOf(tx, code, digest)
		if err != nil {
			return err
		}
		text, err := tx.HeldText(one)
		if absent(err) {
			return answer(control.CodeStale, "the text of %s is not kept any more", one.Code)
		}
		params = text.Params
		return err
	})
	return params, h.failed(err)
}
