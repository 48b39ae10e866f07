package ledger

import (
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// EntryBefore is the server that last ran under the name of a new one. A changed command is a new server, and a person must first see that
// it replaced a trusted one.
func EntryBefore(tx *store.Tx, server store.Server) (*control.EntryBefore, error) {
	servers := tx.Servers()
	var last *store.Server
	for i, s := range servers {
		if s.ID != server.ID && (s.Name == server.Name || slices.Contains(s.Names, server.Name)) && s.FirstSeen.Before(server.FirstSeen) && (last == nil || s.LastSeen.After(last.LastSeen)) {
			last = &servers[i]
		}
	}
	if last == nil {
		return nil, nil
	}
	state := vocab.ServerNew
	switch {
	case last.Blocked:
		state = vocab.ServerBlocked
	case !last.FirstUse.IsZero():
		state = vocab.ServerOpen
	}
	return &control.EntryBefore{Identity: last.Identity, State: state, Command: last.Argv, URL: last.URL}, nil
}

func PartDetail(l *Ledger, it store.Item, p store.Part) control.PartDetail {
	d := review.PartDetail(p)
	definition, approved, text := p.Definition, p.Approved, p.Text
	if it.Decided == "" || definition == nil {
		if seen, ok := l.Form(p.Item, p.Era, pin.Digest(p.Digest)); ok {
			definition, text = seen.Raw, seen.Text
		}
	}
	if it.Decided == "" {
		base := l.Base(p.Item, p.Era)
		if approved = base.Raw; p.Era != "" {
			d.ApprovedEra = base.Era
		}
	}
	kind, _, _ := strings.Cut(p.Item, ":")
	d.Definition, d.Approved, d.Text = definition, approved, text
	d.Does = review.Does(d)
	d.Page, d.Visibility = review.PageOf(d)
	switch {
	case definition == nil:
	case approved == nil:
		d.Changes = append(pin.DescribeText(text), pin.Describe(pin.Kind(kind), definition)...)
	case p.Item == review.KeyLaunch && it.Decided == "":
		drift := l.LaunchDrift()
		d.Changes = slices.Concat(d.Changes, drift.Changes, drift.Joins)
	default:
		if it.Decided == "" {
			d.Changes = append(d.Changes, pin.CompareTexts(l.Base(p.Item, p.Era).Text, text)...)
		}
		d.Changes = append(d.Changes, pin.Compare(approved, definition, pin.Kind(kind))...)
	}
	return d
}

func ServerRow(l *Ledger, codes map[vocab.ItemKind]string) control.Server {
	r := review.Of(l.Facts())
	row := control.Server{
		ID: l.Server.ID, Server: l.Server.Name, Identity: l.Server.Identity, State: vocab.ServerNew, LastSeen: l.Server.LastSeen.UTC(),
		Clients: l.Server.Clients, Items: []control.ServerItem{}, Findings: review.Listed(review.ReadFindings(l.Server.Findings)),
	}
	if l.Server.Eras != nil {
		row.Eras = &l.Server.Eras.Eras
	}
	switch {
	case r.Blocked:
		row.State = vocab.ServerBlocked
	case r.Open:
		row.State = vocab.ServerOpen
	case !l.Server.FirstUse.IsZero():
		row.State = vocab.ServerBlocked // reviewed, and nothing allowed
	}
	if row.Versions, row.Problem = l.Server.Versions, review.VersionProblem(l.Server); row.Versions != nil && !r.Blocked {
		row.State = vocab.ServerNoCommonVersion
	}
	for _, kind := range []vocab.ItemKind{vocab.ItemLaunch, vocab.ItemNewServer, vocab.ItemChanged, vocab.ItemLogin} { // the last one that is there
		if codes[kind] != "" {
			row.Code = codes[kind]
		}
	}
	var ofItems []inspect.Finding
	allowed := map[string]bool{} // tools that are declared, by key: false if a form of it is blocked
	for _, j := range r.Items {
		if isTool(j.Key) && j.State != vocab.PartRemoved {
			before, counted := allowed[j.Key]
			allowed[j.Key] = (before || !counted) && j.State == vocab.PartApproved && !r.Blocked
		}
		item := control.ServerItem{Item: j.Key, State: j.State, Digest: j.Declared, Era: j.Era}
		if j.State == vocab.PartApproved || j.State == vocab.PartRemoved {
			item.Approved = j.ApprovedBy
		}
		row.Items = append(row.Items, item)
		ofItems = append(ofItems, placed(j.Key, j.Findings)...)
	}
	for _, works := range allowed {
		if works {
			row.Allowed++
		} else {
			row.Blocked++
		}
	}
	row.Findings = review.Together(row.Findings, ofItems)
	row.Passages = inspect.Passages(row.Findings)
	return row
}

// placed puts the item's key before the place of its findings, for a list over all items.
func placed(key string, findings []inspect.Finding) []inspect.Finding {
	out := make([]inspect.Finding, 0, len(findings))
	for _, f := range findings {
		if f.Where != key {
			f.Where = strings.TrimSuffix(key+" "+f.Where, " ")
		}
		out = append(out, f)
	}
	return out
}

// WaitingFor are the pending items of a server, by kind, without their content.
func WaitingFor(tx *store.Tx, id string) map[vocab.ItemKind]store.Item {
	waiting := map[vocab.ItemKind]store.Item{}
	for _, it := range tx.WaitingHeads() {
		if it.ServerID == id {
			waiting[it.Kind] = it
		}
	}
	return waiting
}

// WaitingCodes are the codes of a server's pending items, by kind.
func WaitingCodes(tx *store.Tx, id string) map[vocab.ItemKind]string {
	codes := map[vocab.ItemKind]string{}
	for kind, it := range WaitingFor(tx, id) {
		codes[kind] = it.Code
	}
	return codes
}

// keepProgram records since when a server's program has its current fingerprint. It is for people and decides nothing: the launch pins say
// what may run.
func (l *Ledger) keepProgram(tx *store.Tx, raw []byte, at time.Time) error {
	form, err := pin.ReadLaunch(raw)
	if err != nil {
		return nil // can't happen: Definition wrote it
	}
	fingerprint := form.Program()
	if fingerprint == "" || l.Server.Program != nil && l.Server.Program.Fingerprint == fingerprint {
		return nil
	}
	l.Server.Program = &store.Program{Fingerprint: fingerprint, Since: at.UTC()}
	return l.PutServer(tx)
}

// MadeBy says which program a server is, from its last seen launch; nil without one, as for a remote server.
func MadeBy(l *Ledger) *control.Made {
	form, err := pin.ReadLaunch(l.Launch().Raw)
	if err != nil || form.Address != nil {
		return nil
	}
	made := &control.Made{Program: form.Runs()}
	if p := form.Package; p != nil && !p.Unseen && !p.Pending {
		made.Manager, made.Package, made.Version = p.Manager, p.Name, p.Version
	}
	if p := l.Server.Program; p != nil && p.Fingerprint == form.Program() {
		made.Fingerprint, made.Since = p.Fingerprint, p.Since
	}
	return made
}
