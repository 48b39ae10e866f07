package control

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/sallyport/sallyport/proxy/pin"
)

// Keyed is the digest of a request under a hub's key (State.SameKey), as Released names it. The digest alone would tell what was
// asked to whoever can guess it.
func Keyed(key []byte, same pin.Digest) pin.Digest {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(same))
	return pin.Digest(hex.EncodeToString(mac.Sum(nil)))
}
