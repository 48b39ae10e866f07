package display

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/providers"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Log is part of what a server wrote to its stderr.
func (d *Display) Log(q control.LogQuery) (out control.Log, err error) {
	var id string
	err = d.office.Answering(func(tx *store.Tx) error {
		server, err := office.FindServer(tx, q.Server)
		id = server.ID
		if provider, is := strings.CutPrefix(q.Server, inspect.GuardrailPrefix); err != nil && is && slices.Contains(policy.Providers(), provider) {
			id, err = providers.LogOf(provider), nil
		}
		return err
	})
	if err != nil {
		return out, err
	}
	text, next, err := d.from.Logs.Read(id, q)
	if err != nil {
		return out, office.Answer(control.CodeUnavailable, "can't read the log: %s", office.OneLine(err.Error()))
	}
	return control.Log{Text: text, Next: next}, nil
}

// ServerWhole is a server with all its pins.
type ServerWhole struct {
	control.Server
	Command []string // secrets masked
	URL     string
	Info    json.RawMessage
	Items   []PinnedItem
	Waiting []control.InboxItem
}

// PinnedItem is one thing that a server declares or declared.
type PinnedItem struct {
	control.ServerItem
	ApprovedAt time.Time
	Code       string          // of the pending inbox item about it
	Definition json.RawMessage // as last declared, else as approved
	Findings   []inspect.Finding
	Passages   []inspect.Passage
}

// ServerWhole finds a server by its identity, id or name.
func (d *Display) ServerWhole(name string) (out ServerWhole, err error) {
	err = d.office.Answering(func(tx *store.Tx) error {
		server, err := office.FindServer(tx, name)
		if err != nil {
			return err
		}
		l, err := ledger.Read(tx, server.ID)
		if err != nil {
			return err
		}
		all := tx.Servers()
		codes := ledger.WaitingCodes(tx, server.ID)
		out = ServerWhole{Server: d.server(l, codes, identity.CalledOf(all)), Command: server.Argv, URL: server.URL, Info: server.ServerInfo}
		for _, j := range review.Of(l.Facts()).Items {
			item := PinnedItem{ServerItem: control.ServerItem{Item: j.Key, State: j.State, Digest: j.Declared, Era: j.Era}, Findings: j.Findings, Passages: inspect.Passages(j.Findings)}
			base := l.Base(j.Key, j.Era)
			if j.State == vocab.PartApproved || j.State == vocab.PartRemoved {
				item.Approved, item.ApprovedAt = j.ApprovedBy, base.ApprovedAt
			}
			if j.Waits {
				item.Code = codes[j.Kind]
			}
			item.Definition = base.Raw
			if seen, ok := l.Form(j.Key, j.Era, j.Declared); ok && seen.Raw != nil {
				item.Definition = seen.Raw
			}
			out.Items = append(out.Items, item)
		}
		out.Waiting, err = d.waitingOf(tx, server, out.Shown)
		return err
	})
	return out, err
}

// waitingOf lists the pending items about one server.
func (d *Display) waitingOf(tx *store.Tx, server store.Server, shown string) (items []control.InboxItem, err error) {
	waiting, err := d.from.Held.WaitingHeads(tx)
	for _, it := range waiting {
		if it.ServerID != server.ID {
			continue
		}
		if it.Held != nil {
			it.Item, err = d.from.Held.ShownHeld(tx, it.Held)
		} else {
			it.Item, err = tx.Item(it.Code)
		}
		if err != nil {
			return nil, err
		}
		item := review.InboxItem(it.Item, server)
		called(&item, server, shown)
		d.from.Held.TellHeld(tx, it.Held, &item)
		items = append(items, item)
	}
	return items, err
}
