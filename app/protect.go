package app

import (
	"github.com/sallyport/sallyport/proxy/control"
)

// Protect puts wrappers into a client's file. It only tightens, so any hub does it.
func (h *Hub) Protect(peer control.Peer, p control.Protect) (control.Protected, error) {
	return control.Protected{}, answer(control.CodeUnavailable, "not there yet")
}

// Unprotect takes wrappers out again. It loosens, so it is a decision.
func (h *Hub) Unprotect(peer control.Peer, p control.Protect) (control.Protected, error) {
	return control.Protected{}, answer(control.CodeUnavailable, "not there yet")
}

// Coverage says what is guarded, what is not, and why.
func (h *Hub) Coverage(q control.CoverageQuery) (control.Coverage, error) {
	return control.Coverage{}, answer(control.CodeUnavailable, "not there yet")
}

// Backups are the client files kept before each change.
func (h *Hub) Backups() ([]control.Backup, error) { return nil, nil }

// RestoreBackup puts a kept file back. It may take wrappers out, so it is a decision.
func (h *Hub) RestoreBackup(peer control.Peer, r control.RestoreBackup) (control.Protected, error) {
	return control.Protected{}, answer(control.CodeUnavailable, "not there yet")
}
