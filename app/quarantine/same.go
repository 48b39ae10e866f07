package quarantine

import (
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// SameKey is the key under which a server's wrappers know the same request again. A plain digest of arguments tells them to whoever
// can guess them, and a password of six digits is guessed in a second.
func (q *Quarantine) SameKey(server string) []byte {
	return q.office.Store.Derive("same request", server)
}

// keyedSame is the digest of a request under a key.
func keyedSame(key []byte, same string) string { return string(control.Keyed(key, pin.Digest(same))) }

// sameOf is what a wrapper compares its request with. Earlier versions kept the digest itself.
func (q *Quarantine) sameOf(one store.Held) string {
	if one.Keyed == "" && one.Same != "" {
		return keyedSame(q.SameKey(one.ServerID), one.Same)
	}
	return one.Keyed
}
