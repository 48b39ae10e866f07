package app

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/store"
)

// notStarted are the servers of guarded entries that no known server belongs to: they never ran, and were never looked at. Entries of
// several clients that start one server are one row, as they will be once it has run.
func (s sight) notStarted(known []control.Server, taken map[RowEntry]bool) (rows []ServerRow) {
	var late []store.Server
	at := map[string]int{} // of a server's row, by id
	for _, e := range s.entries() {
		if taken[e.RowEntry] {
			continue
		}
		if i, listed := at[e.server]; listed && e.server != "" {
			rows[i].Entries = append(rows[i].Entries, e.RowEntry)
			continue
		}
		at[e.server] = len(rows)
		late = append(late, store.Server{ID: e.server, Identity: e.identity, Name: personName(e.Name)})
		rows = append(rows, ServerRow{Entries: []RowEntry{e.RowEntry}})
	}
	names := calledOf(late)
	for _, server := range known {
		names.add(store.Server{ID: server.ID, Name: server.Server})
	}
	for i, server := range late {
		rows[i].Server = control.Server{
			ID: server.ID, Server: server.Name, Shown: names.shown(server), Identity: server.Identity, State: control.ServerNotStarted,
			Items: []control.ServerItem{}, Findings: []inspect.Finding{}, Passages: []inspect.Passage{}, UnseenBy: []string{},
		}
		rows[i].Light = lightOfServer(sightedServer{State: control.ServerNotStarted, Restart: clientsOf(rows[i].Entries)})
	}
	return rows
}

// clientsOf names the clients that entries belong to.
func clientsOf(entries []RowEntry) string {
	var names []string
	for _, e := range entries {
		if !slices.Contains(names, e.ClientName) {
			names = append(names, e.ClientName)
		}
	}
	return strings.Join(names, " and ")
}
