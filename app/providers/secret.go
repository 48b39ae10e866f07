package providers

import (
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain/secretname"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// ReplaceSecret records that a person replaces the value of one of their secrets, if this peer may decide that. Whoever asks then stores the
// value; it never comes here.
func (p *Providers) ReplaceSecret(peer control.Peer, name string) error {
	if err := secretname.Check(name); err != nil {
		return office.Answer(control.CodeBadRequest, "%v", err)
	}
	p.office.Lock()
	defer p.office.Unlock()
	if err := p.office.Decides(peer); err != nil {
		return err
	}
	where := " (from the command line)"
	if peer.Here {
		where = " (in the window)"
	}
	err := p.office.Update(func(tx *store.Tx) (bool, error) {
		_, err := tx.Append(p.office.Record(vocab.RecordConfigChange, vocab.StatusOK, store.Record{
			Summary: "a person replaced the secret " + name + where, Detail: office.Detail(map[string]any{"check": "secret", "name": name}),
		}))
		return true, err
	})
	if err != nil {
		return p.office.Failed(err)
	}
	return nil
}
