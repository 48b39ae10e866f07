package main

import (
	"fmt"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/proxy/control"
)

// unseen says what a client has not seen of what was allowed, a line for each server and client, and the next step of each.
func (p *page) unseen(list []control.UnseenServer) {
	said := map[string]bool{}
	for _, u := range list {
		line := fmt.Sprintf("%s: allowed, not yet seen by %s: %s", shownServer(u.Server, u.Shown), short(app.ClientTitle(u.Client), 24), short(u.Next, 48))
		if !said[line] { // some clients start a server twice
			said[line] = true
			p.printf("%s  %s\n", p.paint(yellow, text(u.Code)), line)
		}
	}
}
