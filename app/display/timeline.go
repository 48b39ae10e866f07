package display

import (
	"context"
	"errors"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/store"
)

// Activity is part of the timeline.
func (d *Display) Activity(q control.ActivityQuery) (control.Activity, error) {
	s, err := d.office.Reading()
	if err != nil {
		return control.Activity{}, err
	}
	about := d.asked(q.Server)
	q.Server, q.ServerID = about.name, about.id
	found, err := s.Records(q)
	if errors.Is(err, store.ErrNotFound) {
		return control.Activity{}, office.Answer(control.CodeNotFound, "record %s is gone; start again without it", legible.Escape(cut.Bytes(q.After+q.Before, 64)))
	}
	if err != nil {
		return control.Activity{}, d.office.FailedReading(err)
	}
	out := control.Activity{Items: append([]control.Record{}, found...)} // never null in JSON
	out.Shown = about.servers.shownOf(out.Items)
	return out, nil
}

// Record is one record of the timeline.
func (d *Display) Record(id string) (control.Record, error) {
	s, err := d.office.Reading()
	if err != nil {
		return control.Record{}, err
	}
	r, err := s.Record(id)
	if errors.Is(err, store.ErrNotFound) {
		return control.Record{}, office.Answer(control.CodeNotFound, "no record %s", legible.Escape(cut.Bytes(id, 64)))
	}
	return r, d.office.FailedReading(err)
}

// Verify walks the chain of the timeline, and looks for the head that is kept in the keychain. It reads that one first: the chain only grows.
func (d *Display) Verify() (control.Verified, error) {
	s, err := d.office.Reading()
	if err != nil {
		return control.Verified{}, err
	}
	seen := d.from.Witness.Look(context.Background())
	v, err := s.Verify(seen.Copy)
	if v.Unsealed == "" && v.Bad == "" {
		v.Unsealed = seen.Why
	}
	return v, d.office.FailedReading(err)
}

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
