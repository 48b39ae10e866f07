package main

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
)

// coverage says how many servers run behind the port, in which clients' files, and names each that does not, with why.
func (p *page) coverage(c control.Coverage) {
	if c.Total == 0 && len(c.Unguarded) == 0 {
		p.printf("guarded   no server was found in a client's file\n")
	} else {
		p.printf("guarded   %d of %d\n", c.Guarded, c.Total)
	}
	names := map[string]string{}
	for _, f := range c.Clients {
		names[f.Client] = f.Name
		if f.State == control.FileAbsent {
			continue
		}
		state := fmt.Sprintf("%d of %d guarded", f.Guarded, f.Total)
		switch {
		case f.State == control.FileDenied:
			state = "the system does not let Sallyport read it"
		case f.State != control.FileFound:
			state = "cannot be read"
		case !f.Watched && f.Guarded < f.Total:
			state += "; sallyport protect --client " + text(f.Client) + " guards them"
		case !f.Watched:
			state += ", not watched"
		}
		if f.Why != "" {
			state += ": " + f.Why
		}
		p.prose("          ", text(f.Name)+": "+text(state))
		p.prose("            ", text(f.Path))
	}
	for _, u := range c.Unguarded {
		client := names[u.Client]
		if client == "" {
			client = u.Client
		}
		p.prose("          ", strings.TrimSpace(fmt.Sprintf("not: %s (%s): %s  %s", short(u.Name, 60), text(client), text(u.Why), text(u.Code))))
		if u.Next != "" {
			p.prose("            ", text(u.Next))
		}
	}
}
