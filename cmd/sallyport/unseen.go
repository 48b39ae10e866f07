package main

import (
	"fmt"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

// unseen says what a client has not seen of what was allowed, a line for each server and client, and the next step of each.
func (p *page) unseen(list []control.UnseenServer) {
	said := map[string]bool{}
	for _, u := range list {
		line := fmt.Sprintf("%s: allowed, not yet seen by %s: %s", terminal.Server(u.Server, u.Shown), terminal.Short(identity.ClientTitle(u.Client), 24), terminal.Short(u.Next, 48))
		if !said[line] { // some clients start a server twice
			said[line] = true
			p.Printf("%s  %s\n", p.Paint(terminal.Yellow, terminal.Text(u.Code)), line)
		}
	}
}
