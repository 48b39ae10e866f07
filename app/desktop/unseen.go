package desktop

import (
	"cmp"
	"slices"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
)

// unseen is a row for each client and server: some clients start a server twice.
func unseen(list []control.UnseenServer) []control.UnseenServer {
	rows := []control.UnseenServer{}
	for _, u := range list {
		u.Client, u.Server = identity.ClientTitle(u.Client), cmp.Or(u.Shown, u.Server)
		if !slices.ContainsFunc(rows, func(r control.UnseenServer) bool {
			return r.Client == u.Client && r.Server == u.Server && r.Identity == u.Identity && r.Next == u.Next
		}) {
			rows = append(rows, u)
		}
	}
	return rows
}
