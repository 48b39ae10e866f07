package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/app/display"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
)

type serversCommand struct{ jsonFlag }

func (c serversCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	servers, err := control.AskServers(ctx, hub)
	if err != nil {
		return exitFailed, err
	}
	return exitFine, c.print(s, listOf(servers), func(p *page) {
		if len(servers) == 0 {
			p.Printf("No servers yet. Run \"sallyport protect\", then restart the client.\n")
			return
		}
		p.servers(servers)
		p.notStarted(servers)
		p.trusted(servers)
		if slices.ContainsFunc(servers, func(s control.Server) bool { return len(s.UnseenBy) > 0 }) {
			if status, err := control.AskStatus(ctx, hub); err == nil {
				p.unseen(status.Unseen)
			}
		}
	})
}

// servers prints the table of servers. A sandbox has a column if there is one, and an id if a name is not enough for a command.
func (p *page) servers(servers []control.Server) {
	count := map[string]int{}
	for _, s := range servers {
		count[s.Server]++
	}
	columns := strings.Fields("SERVER STATE ALLOWED BLOCKED WARNINGS RUNNING ITEM IDENTITY")
	walled := slices.ContainsFunc(servers, func(s control.Server) bool { return sandboxWords(s) != "off" })
	if walled {
		columns = slices.Insert(columns, 6, "SANDBOX")
	}
	if len(count) < len(servers) {
		columns = append(columns, "ID")
	}
	rows := make([][]string, len(servers))
	for i, s := range servers {
		row := []string{terminal.Server(s.Server, s.Shown), serverState(s), strconv.Itoa(s.Allowed), strconv.Itoa(s.Blocked),
			strconv.Itoa(inspect.Warnings(s.Passages)), strconv.Itoa(s.Wrappers), orDash(terminal.Text(s.Code)), terminal.Short(s.Identity, 48)}
		if s.State == vocab.ServerNotStarted { // its items are unknown
			row[2], row[3], row[4], row[5], row[6] = "-", "-", "-", "0", "-"
		}
		if walled {
			row = slices.Insert(row, 6, terminal.Text(sandboxWords(s)))
		}
		if len(count) < len(servers) {
			id := "-"
			if count[s.Server] > 1 {
				id = terminal.Text(s.ID)
			}
			row = append(row, id)
		}
		rows[i] = row
	}
	p.Table(columns, rows)
}

// waitsForClient reports whether a server is guarded but no client has started it since: the window's light says that, or something more
// serious.
func waitsForClient(s control.Server) bool {
	return s.Light != nil && s.Light.State == display.LightNotStarted
}

// serverState is the state of a server in the table.
func serverState(s control.Server) string {
	switch {
	case s.State == vocab.ServerNotStarted:
		return "not started yet"
	case s.Light != nil && s.Light.State == display.LightSignIn:
		return "wants a sign-in"
	case waitsForClient(s):
		return terminal.Text(string(s.State)) + ", not started yet"
	}
	return terminal.Text(string(s.State))
}

// notStarted says what to do about servers that wait for their client, one line for each way.
func (p *page) notStarted(servers []control.Server) {
	var ways []string
	count := map[string]int{}
	for _, s := range servers {
		if waitsForClient(s) {
			if count[s.Light.Next] == 0 {
				ways = append(ways, s.Light.Next)
			}
			count[s.Light.Next]++
		}
	}
	for _, way := range ways {
		if count[way] == 1 {
			p.Printf("1 server hasn't started yet. %s\n", terminal.Text(way))
		} else {
			p.Printf("%d servers haven't started yet. %s\n", count[way], terminal.Text(way))
		}
	}
}

// trusted names the servers with items that pins.first_use allowed and nobody has read, one line each.
func (p *page) trusted(servers []control.Server) {
	for _, s := range servers {
		by := ""
		n := 0
		for _, item := range s.Items {
			if item.Approved != "" && item.Approved != string(vocab.ByPerson) {
				by = item.Approved
				n++
			}
		}
		if n > 0 {
			p.Printf("%s: %s %s\n", terminal.Server(s.Server, s.Shown), terminal.Counted(n, "item"), terminal.Text(by))
		}
	}
}

// unseen says what a client has not seen of what was allowed, one line per server and client, with the next step.
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
