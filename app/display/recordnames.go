package display

import (
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// recordServers are the servers of timeline records.
type recordServers []store.Server

// askedServer is the server whose records a person asked for. id is "" if several servers have the name, or none: then only the name
// counts.
type askedServer struct {
	name, id string
	servers  recordServers
}

func (d *Display) asked(server string) askedServer {
	out := askedServer{name: server}
	_ = d.office.Viewing(func(tx *store.Tx) error {
		all := tx.Servers()
		out.servers = all
		if server == "" {
			return nil
		}
		if one, err := office.FindServer(tx, server); err == nil {
			out.name, out.id = one.Name, one.ID
		}
		return nil
	})
	return out
}

// shownOf are the shown names of the records' servers, if they differ from those in the records: see control.Activity.
func (s recordServers) shownOf(records []control.Record) map[string]string {
	names, byID, byName := identity.CalledOf(s), map[string]store.Server{}, map[string][]store.Server{}
	for _, server := range s {
		byID[server.ID] = server
		byName[server.Name] = append(byName[server.Name], server)
	}
	shown := map[string]string{}
	for _, r := range records {
		if server, known := byID[r.ServerID]; known {
			if name := names.Always(server); name != r.Server {
				shown[r.ServerID] = name
			}
		} else if of := byName[r.Server]; r.ServerID == "" && len(of) == 1 { // of two it could be either
			if name := names.Always(of[0]); name != r.Server {
				shown["="+r.Server] = name
			}
		}
	}
	return shown
}
