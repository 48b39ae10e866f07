package display

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// notStarted are the servers of guarded entries without a known server: they never ran, and were never looked at. Entries of several
// clients that start one server are one row, as they will be once it has run.
func (s sight) notStarted(taken map[RowEntry]bool) (rows []ServerRow) {
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
		rows = append(rows, ServerRow{Entries: []RowEntry{e.RowEntry}, Server: control.Server{
			ID: e.server, Server: identity.PersonName(e.Name), Identity: e.identity, State: vocab.ServerNotStarted,
			Items: []control.ServerItem{}, Findings: []inspect.Finding{}, Passages: []inspect.Passage{}, UnseenBy: []string{},
		}})
	}
	for i := range rows {
		rows[i].Light = lightOfServer(sightedServer{State: vocab.ServerNotStarted, Restart: clientsOf(rows[i].Entries)})
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
