package app

import "github.com/sallyport/sallyport/proxy/control"

// Hold stores an answer that was held back.
func (h *Hub) Hold(w control.Wrapper, held control.Held) (control.Kept, error) {
	return control.Kept{}, answer(control.CodeUnavailable, "held answers cannot be stored yet")
}

// Take grants a released answer to a wrapper.
func (h *Hub) Take(w control.Wrapper, take control.Take) (control.Taken, error) {
	return control.Taken{}, nil
}

// Release decides on a held answer.
func (h *Hub) Release(peer control.Peer, r control.Release) (control.ReleaseAnswer, error) {
	return control.ReleaseAnswer{}, answer(control.CodeNotFound, "nothing is held")
}

// Exceptions are those that are in force.
func (h *Hub) Exceptions() ([]control.Exception, error) { return nil, nil }

// Except makes exceptions.
func (h *Hub) Except(peer control.Peer, e control.Except) ([]control.Exception, error) {
	return nil, answer(control.CodeNotFound, "nothing is held")
}

// EndException ends one.
func (h *Hub) EndException(peer control.Peer, id string) (control.Exception, error) {
	return control.Exception{}, answer(control.CodeNotFound, "no such exception")
}
