package wrappers

import (
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

func concerns(it store.Item, client, server string) bool {
	return it.ServerID != "" && (it.ServerID == server || client != "" && slices.Contains(it.Clients, client))
}

// askAgain is the time between two notifications about an item that a model keeps asking for.
const askAgain = time.Hour

// Attention lists a client's pending items and moves them to the top of the inbox. A model calls it, so it decides nothing.
func (w *Wrappers) Attention(conn control.Wrapper, _ control.Attention) (out control.Waiting, err error) {
	w.office.Lock()
	defer w.office.Unlock()
	s, err := w.registered(conn, "attention")
	if err != nil {
		return out, err
	}
	now := w.office.Now()
	var notices []review.Notice
	err = w.held.UpdateHeld(func(tx *store.Tx, put quarantine.Put) (bool, error) {
		all, err := w.held.WaitingHeads(tx)
		if err != nil {
			return false, err
		}
		wrote := false
		for _, it := range all {
			if it.Held == nil && !concerns(it.Item, s.Client, s.Server) || it.Held != nil && !it.Held.Concerns(s.Client, s.Server) {
				continue
			}
			server, err := tx.Server(it.ServerID)
			if err != nil && !office.Absent(err) {
				return false, err
			}
			name, told := server.Name, identity.ToldName(server.Name, server)
			if review.OfClient(it.Kind) {
				if it.Item, err = tx.Item(it.Code); err != nil {
					return false, err
				}
				name = identity.ClientTitle(review.ReadFileDetail(it.Item).Client)
				told = name
			}
			out.Items = append(out.Items, control.WaitingItem{Code: it.Code, Kind: it.Kind, Server: told, Severity: it.Severity})
			if it.Asked && now.Sub(it.AskedAt) < askAgain {
				continue
			}
			whole, err := tx.Item(it.Code)
			if err != nil {
				return false, err
			}
			whole.Asked, whole.AskedAt, wrote = true, now, true
			if it.Held != nil {
				err = w.held.AskedHeld(put, it.Code, now)
			} else {
				err = tx.PutItem(whole)
			}
			if err != nil {
				return false, err
			}
			notices = append(notices, review.NoticeOf(whole, name))
		}
		return wrote, nil
	})
	if err != nil {
		return control.Waiting{}, w.office.Failed(err)
	}
	w.office.Tell(notices...)
	return out, nil
}
