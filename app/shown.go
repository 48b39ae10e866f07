package app

import (
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/store"
)

// shownIn is shown, among all servers of a store.
func shownIn(tx *store.Tx, server store.Server) string {
	servers, err := tx.Servers()
	if err != nil {
		return ""
	}
	return identity.CalledOf(servers).Shown(server)
}

// shownNow is how a server is shown, "" where it is not known. The Hub's lock is held.
func (h *Hub) shownNow(id string) (shown string) {
	if h.store == nil || id == "" {
		return ""
	}
	_ = h.store.View(func(tx *store.Tx) error {
		servers, err := tx.Servers()
		for _, s := range servers {
			if s.ID == id {
				shown = identity.CalledOf(servers).Always(s)
			}
		}
		return err
	})
	return shown
}
