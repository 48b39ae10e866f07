package display

import (
	"slices"
	"sort"
	"strings"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// ServerRow is one row of the list of servers: a server that was seen, or one that only appears in guarded entries of clients' files, with
// the state not_started.
type ServerRow struct {
	control.Server
	Light   control.Light
	Held    int // pending responses
	Entries []RowEntry
}

// Remote reports whether the server is reached at an address.
func (r ServerRow) Remote() bool { return store.Server{Identity: r.Identity}.Remote() }

// RowEntry is a guarded entry of a client's file that starts the server of a row.
type RowEntry struct {
	Client, ClientName, Path, Name string
	Started                        bool // since it was last written
}

// ServerRows are all servers that were ever seen, and those of guarded entries, by name.
func (d *Display) ServerRows() ([]ServerRow, error) {
	servers, err := d.knownServers()
	if err != nil {
		return nil, err
	}
	s, err := d.look()
	if err != nil {
		return nil, err
	}
	rows := s.rows(servers)
	d.office.Lock()
	defer d.office.Unlock()
	for i := range rows {
		if rows[i].State == vocab.ServerNotStarted {
			rows[i].Sandbox = d.sandboxOf(store.Server{ID: rows[i].ID, Identity: rows[i].Identity, Name: rows[i].Server.Server})
		}
	}
	return rows, nil
}

// Servers are the same rows for the command line.
func (d *Display) Servers() ([]control.Server, error) {
	rows, err := d.ServerRows()
	servers := make([]control.Server, len(rows))
	for i, row := range rows {
		servers[i] = row.Server
		servers[i].Light = &row.Light
	}
	return servers, err
}

// RowOf is the row of one server.
func (d *Display) RowOf(server control.Server) (ServerRow, error) {
	s, err := d.look()
	if err != nil {
		return ServerRow{}, err
	}
	return s.row(server), nil
}

// knownServers are all servers that ran or were looked at.
func (d *Display) knownServers() (out []control.Server, err error) {
	err = d.office.Answering(func(tx *store.Tx) error {
		ledgers, err := ledger.ReadAll(tx)
		names := identity.Called{}
		for _, l := range ledgers {
			names.Add(l.Server)
		}
		for _, l := range ledgers {
			out = append(out, d.server(l, ledger.WaitingCodes(tx, l.Server.ID), names))
		}
		return err
	})
	sort.SliceStable(out, func(i, j int) bool { return out[i].Server < out[j].Server })
	return out, err
}

// server combines what the store knows about a server with what its live wrappers say.
func (d *Display) server(l *ledger.Ledger, codes map[vocab.ItemKind]string, names identity.Called) control.Server {
	server := ledger.ServerRow(l, codes)
	server.Shown, server.Held, server.Sandbox = names.Shown(l.Server), d.from.Held.HeldOf(l.Server.ID), d.sandboxOf(l.Server)
	d.from.Wrappers.AddLive(&server)
	return server
}

// sandboxOf is the sandbox set for a server. A remote one has none.
func (d *Display) sandboxOf(server store.Server) vocab.Sandbox {
	if server.Remote() {
		return vocab.SandboxRemote
	}
	return vocab.Sandbox(d.from.Settings.ValuesFor(server)["sandbox"])
}

// notStarted are the servers of guarded entries that never ran and were never checked. Entries of several clients that start the same server
// are one row, as they will be once it has run.
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
