package ledger

import (
	"time"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// keepProgram keeps since when a server's program has the fingerprint that it has. It is for people and decides nothing: what
// may run is what the pins of the launch say.
func (l *Ledger) keepProgram(tx *store.Tx, raw []byte, at time.Time) error {
	form, err := pin.ReadLaunch(raw)
	if err != nil {
		return nil // cannot be: it was written by Definition
	}
	fingerprint := form.Program()
	if fingerprint == "" || l.Server.Program != nil && l.Server.Program.Fingerprint == fingerprint {
		return nil
	}
	l.Server.Program = &store.Program{Fingerprint: fingerprint, Since: at.UTC()}
	return l.PutServer(tx)
}

// MadeBy says which program a server is, from its launch as it was last seen; nil where none was, as for a server elsewhere.
func MadeBy(l *Ledger) *control.Made {
	seen, ok := l.Seen[review.KeyLaunch]
	if !ok {
		return nil
	}
	form, err := pin.ReadLaunch(seen.Raw)
	if err != nil {
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
