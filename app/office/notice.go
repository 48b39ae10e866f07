package office

import (
	"cmp"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/store"
)

// Tell notifies a person of an item, with its server's current name.
func (o *Office) Tell(n review.Notice) {
	if n.Shown = n.Server; !review.FileItem(n.Kind) {
		n.Shown = cmp.Or(o.shownNow(n.ServerID), n.Server)
	}
	o.Notify(n)
}

// ShownIn is a server's name among all servers of a store.
func ShownIn(tx *store.Tx, server store.Server) string {
	return identity.CalledOf(tx.Servers()).Shown(server)
}

// shownNow is how a server is shown, "" where it is not known.
func (o *Office) shownNow(id string) (shown string) {
	if o.Store == nil || id == "" {
		return ""
	}
	_ = o.Store.View(func(tx *store.Tx) error {
		servers := tx.Servers()
		for _, s := range servers {
			if s.ID == id {
				shown = identity.CalledOf(servers).Always(s)
			}
		}
		return nil
	})
	return shown
}
