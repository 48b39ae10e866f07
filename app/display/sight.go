package display

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/guardian"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// sight is the input for lights: clients' files and the inbox, read at nearly the same time, so that the light of a row and the overall
// light agree.
type sight struct {
	coverage control.Coverage
	waiting  map[string]waitingCount // by server id
	known    map[string]bool         // ids of servers that ever ran
}

type waitingCount struct {
	critical    bool
	signIn      bool
	items, held int
}

// Light is the overall light, for the tray and the footer. waiting is the inbox; known is false if it or the coverage could not be read.
func (d *Display) Light(c control.Coverage, waiting []control.InboxItem, known bool) control.Light {
	return lightOfAll(allFacts(c, waiting, d.besideFiles(c), known && d.StoreOK()))
}

// beside is what clients' files don't say.
type beside struct {
	apart     map[string]bool   // ids of running servers that no entry of a known file starts
	noVersion int               // servers without a protocol version in common with their client
	behind    map[string]string // by id of a server, the client that has not asked again since an approval
}

func allFacts(c control.Coverage, waiting []control.InboxItem, b beside, works bool) sightedAll {
	s := sightedAll{Works: works, Waiting: len(waiting), Guarded: c.Guarded, Total: c.Total, Apart: len(b.apart), NoVersion: b.noVersion}
	seen := 0 // servers of which a client has seen everything that is allowed
	for id := range b.apart {
		if b.behind[id] == "" {
			seen++
		}
	}
	if len(b.behind) > 0 {
		client := identity.ClientOf(slices.Min(slices.Collect(maps.Values(b.behind))))
		s.Behind, s.BehindDo = client.Title, sentence(client.Next)
	}
	var lost []string
	for _, it := range waiting {
		if it.Severity == vocab.SeverityCritical {
			s.Critical++
		}
		if it.Login != nil && len(it.Login.Had) == 0 {
			if s.SignIns++; s.SignIns == 1 {
				s.SignIn = legible.ShortName(cmp.Or(it.Shown, it.Server), legible.MaxShownName)
			}
		}
		if it.Kind == vocab.ItemUnguarded {
			for _, p := range it.Parts {
				lost = append(lost, legible.ShortName(identity.PersonName(strings.TrimPrefix(p.Item, "entry:")), legible.MaxShownName))
			}
		}
	}
	if len(lost) > 0 {
		s.Lost, s.Alone = lost[0], len(lost) == 1
	}
	for _, u := range c.Unguarded {
		if LightOfUnguarded(u).Colour == vocab.Amber {
			s.Loose++
		}
	}
	for _, f := range c.Clients {
		switch f.State {
		case control.FileFound:
			s.Files++
		case control.FileUnreadable, control.FileDenied:
			s.Unreadable = append(s.Unreadable, f.Name)
		}
	}
	var late []RowEntry
	for _, e := range (sight{coverage: c}).entries() {
		if !e.Started {
			late = append(late, e.RowEntry)
			continue
		}
		s.Started++
		if b.behind[e.server] == "" {
			seen++
		}
	}
	s.Restart, s.BehindAll = clientsOf(late), s.Behind != "" && seen == 0
	return s
}

// sentence makes a sentence of words that say what to do.
func sentence(words string) string {
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:] + "."
}

func (d *Display) besideFiles(c control.Coverage) beside {
	b := beside{apart: map[string]bool{}}
	ids, names := map[string]bool{}, map[[2]string]bool{}
	for _, f := range c.Clients {
		for _, e := range f.Entries {
			ids[e.ServerID], names[[2]string{f.Client, identity.PersonName(e.Name)}] = true, true
		}
	}
	d.office.Lock()
	defer d.office.Unlock()
	b.behind = d.from.Wrappers.Behind()
	for _, s := range d.from.Wrappers.Running() {
		if !ids[s.Server] && !names[[2]string{s.Client, s.Name}] {
			b.apart[s.Server] = true
		}
	}
	if d.office.Store != nil {
		_ = d.office.Store.View(func(tx *store.Tx) error { // StoreOK reports an unreadable store
			for _, server := range tx.Servers() {
				if server.Versions != nil && (ids[server.ID] || b.apart[server.ID]) {
					b.noVersion++
				}
			}
			return nil
		})
	}
	return b
}

func (s sight) rows(servers []control.Server) []ServerRow {
	rows := make([]ServerRow, 0, len(servers))
	taken := map[RowEntry]bool{}
	for _, server := range servers {
		row := s.row(server)
		for _, e := range row.Entries {
			taken[e] = true
		}
		rows = append(rows, row)
	}
	rows = append(rows, s.notStarted(taken)...)
	names := identity.Called{}
	for _, row := range rows {
		names.Add(store.Server{ID: row.ID, Name: row.Server.Server})
	}
	for i, row := range rows {
		rows[i].Shown = names.Shown(store.Server{ID: row.ID, Name: row.Server.Server})
	}
	slices.SortStableFunc(rows, func(a, b ServerRow) int { return strings.Compare(a.Server.Server, b.Server.Server) })
	return rows
}

func (d *Display) look() (s sight, err error) {
	if s.coverage, err = d.from.Guardian.Coverage(control.CoverageQuery{}); err != nil { // reads files: not under the lock
		return s, err
	}
	s.waiting, s.known = map[string]waitingCount{}, map[string]bool{}
	err = d.office.Viewing(func(tx *store.Tx) error {
		for _, server := range tx.Servers() {
			s.known[server.ID] = true
		}
		waiting, err := d.from.Held.WaitingHeads(tx)
		for _, it := range waiting {
			n := s.waiting[it.ServerID]
			n.critical = n.critical || it.Severity == vocab.SeverityCritical
			if it.Held != nil {
				n.held += it.Held.Count()
			} else {
				n.items++
			}
			if it.Kind == vocab.ItemLogin {
				whole, err := tx.Item(it.Code)
				if err != nil {
					return err
				}
				n.signIn = n.signIn || len(review.LoginOf(whole).Had) == 0
			}
			s.waiting[it.ServerID] = n
		}
		return err
	})
	return s, err
}

// guardedEntry is a guarded entry and the server it starts.
type guardedEntry struct {
	RowEntry
	server, identity string
}

func (s sight) entries() (all []guardedEntry) {
	for _, f := range s.coverage.Clients {
		for _, e := range f.Entries {
			if e.State == control.EntryGuarded {
				all = append(all, guardedEntry{RowEntry{f.Client, f.Name, f.Path, e.Name, e.Started}, e.ServerID, e.Identity})
			}
		}
	}
	return all
}

// starts reports whether a guarded entry starts a server. A client may fill in parts of a command (${workspaceFolder}), which gives the
// server another identity than the file; then the name decides.
func (s sight) starts(e guardedEntry, server control.Server) bool {
	if e.server == server.ID {
		return true
	}
	return e.Started && !s.known[e.server] && identity.PersonName(e.Name) == server.Server && slices.Contains(server.Clients, e.Client)
}

func (s sight) row(server control.Server) ServerRow {
	n := s.waiting[server.ID]
	row := ServerRow{Server: server, Held: n.held, Entries: []RowEntry{}}
	facts := sightedServer{
		Critical: n.critical, Waits: n.items, SignIn: n.signIn, Held: n.held, Running: server.Wrappers > 0, State: server.State, Blocked: server.Blocked, NoVersion: server.Versions != nil,
	}
	var late []RowEntry
	for _, e := range s.entries() {
		if !s.starts(e, server) {
			continue
		}
		row.Entries = append(row.Entries, e.RowEntry)
		facts.Seen = facts.Seen || e.Started
		if !e.Started {
			late = append(late, e.RowEntry)
		}
	}
	facts.Restart = clientsOf(late)
	for _, u := range s.coverage.Unguarded {
		if len(row.Entries) > 0 || u.Kind != guardian.UnguardedEntry || identity.PersonName(u.Name) != server.Server {
			continue
		}
		l := LightOfUnguarded(u)
		facts.Open = facts.Open || l.Colour == vocab.Amber
		facts.LeftOut = facts.LeftOut || l.State == LightLeftOut
	}
	facts.Seen = facts.Seen || facts.Running && len(row.Entries) == 0
	facts.Nowhere = len(row.Entries) == 0
	if by := server.UnseenBy; len(by) > 0 {
		client := identity.ClientOf(by[0])
		facts.Behind, facts.BehindDo = client.Title, sentence(client.Next)
	}
	row.Light = lightOfServer(facts)
	return row
}
