package desktop

import (
	"cmp"
	"slices"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
)

// unseen is a row for each client and server: some clients start a server twice.
func unseen(list []control.UnseenServer) []Unseen {
	rows := []Unseen{}
	for _, u := range list {
		row := Unseen{Client: identity.ClientTitle(u.Client), Server: cmp.Or(u.Shown, u.Server), Identity: u.Identity, Next: u.Next, Code: u.Code}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return rows
}
