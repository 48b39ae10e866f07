package office

import (
	"cmp"
	"strings"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/store"
)

// FindServer finds a server by id, identity, whole name or shown name. An ambiguous name is an error.
func FindServer(tx *store.Tx, name string) (store.Server, error) {
	var found []store.Server
	for _, s := range tx.Servers() {
		if s.ID == name || s.Identity == name {
			return s, nil
		}
		if identity.GoesBy(s, name) {
			found = append(found, s)
		}
	}
	shown := legible.Escape(cut.Bytes(name, 128))
	switch len(found) {
	case 0:
		return store.Server{}, Answer(control.CodeNotFound, "no server %s; run `sallyport servers` to see them", shown)
	case 1:
		return found[0], nil
	}
	ids := make([]string, len(found))
	for i, s := range found {
		ids[i] = legible.Escape(identity.Marked(s)) + " or " + s.ID
	}
	return store.Server{}, Answer(control.CodeBadRequest, "%d servers are called %s: name one as it is shown, or by its id (%s)", len(found), shown, strings.Join(ids, ", "))
}

// Tell notifies a person of items, each with its server's current name.
func (o *Office) Tell(notices ...review.Notice) {
	for _, n := range notices {
		if n.Shown = n.Server; !review.OfClient(n.Kind) {
			n.Shown = cmp.Or(o.shownNow(n.ServerID), n.Server)
		}
		n.From = o.shownNow(n.FromID)
		o.Notify(n)
	}
}

// ShownIn is a server's name among all servers of a store.
func ShownIn(tx *store.Tx, server store.Server) string {
	return identity.CalledOf(tx.Servers()).Shown(server)
}

// shownNow is how a server is shown now, "" if it is unknown.
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
