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
	"github.com/sallyport/sallyport/proxy/vocab"
)

type serversCommand struct{ jsonFlag }

func (c serversCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	servers, err := control.AskServers(ctx, hub)
	if err != nil {
		return exitFailed, err
	}
	if c.JSON {
		return exitFine, writeJSON(s.out, listOf(servers))
	}
	p := newPage(s)
	if len(servers) == 0 {
		p.Printf("No servers yet. Run \"sallyport protect\", then restart the client.\n")
		return exitFine, nil
	}
	rows := make([][]string, len(servers))
	walled := slices.ContainsFunc(servers, func(s control.Server) bool { return sandboxWords(s) != "off" })
	for i, server := range servers {
		if server.State == vocab.ServerNotStarted { // its items are unknown
			rows[i] = []string{terminal.Server(server.Server, server.Shown), serverState(server), "-", "-", "-", "0", "-", terminal.Short(server.Identity, 48)}
			continue
		}
		rows[i] = []string{terminal.Server(server.Server, server.Shown), serverState(server), strconv.Itoa(server.Allowed), strconv.Itoa(server.Blocked),
			strconv.Itoa(len(server.Passages)), strconv.Itoa(server.Wrappers), orDash(terminal.Text(server.Code)), terminal.Short(server.Identity, 48)}
	}
	columns := strings.Fields("SERVER STATE ALLOWED BLOCKED WARNINGS RUNNING ITEM IDENTITY")
	if walled {
		columns = slices.Insert(columns, 6, "SANDBOX")
		for i, server := range servers {
			rows[i] = slices.Insert(rows[i], 6, terminal.Text(sandboxWords(server)))
		}
	}
	double := sameNames(servers)
	if slices.Contains(double, true) { // then a command needs the id
		columns = append(columns, "ID")
		for i, server := range servers {
			id := ""
			if double[i] {
				id = server.ID
			}
			rows[i] = append(rows[i], orDash(terminal.Text(id)))
		}
	}
	p.Table(columns, rows)
	p.notStarted(servers)
	if slices.ContainsFunc(servers, func(s control.Server) bool { return len(s.UnseenBy) > 0 }) {
		if status, err := control.AskStatus(ctx, hub); err == nil {
			p.unseen(status.Unseen)
		}
	}
	return exitFine, nil
}

// sameNames reports for each server whether another one has its name.
func sameNames(servers []control.Server) []bool {
	count := map[string]int{}
	for _, s := range servers {
		count[s.Server]++
	}
	double := make([]bool, len(servers))
	for i, s := range servers {
		double[i] = count[s.Server] > 1
	}
	return double
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
	case waitsForClient(s):
		return terminal.Text(string(s.State)) + ", not started yet"
	}
	return terminal.Text(string(s.State))
}

// notStarted counts the servers that wait for their client.
func notStarted(servers []control.Server) (n int) {
	for _, s := range servers {
		if waitsForClient(s) {
			n++
		}
	}
	return n
}

// lateWords is that number, for the end of a line.
func lateWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d not started yet", n)
}

// notStarted says what to do about those servers, one line for each way.
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
